// Builds GGUF files in memory, correct or broken on purpose: tests make their own data. Tests only.
#ifndef DECANT_WEIGHTS_GGUF_WRITER_FOR_TEST_H_
#define DECANT_WEIGHTS_GGUF_WRITER_FOR_TEST_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weights/gguf.h"

namespace decant::weights {

// Appends little-endian values to bytes.
class ByteWriter {
 public:
  template <class T>
  ByteWriter& Put(T value) {
    for (const std::byte byte : std::bit_cast<std::array<std::byte, sizeof(T)>>(value)) bytes_.push_back(byte);
    return *this;
  }
  ByteWriter& PutRaw(std::span<const std::byte> raw) {
    bytes_.insert(bytes_.end(), raw.begin(), raw.end());
    return *this;
  }
  ByteWriter& PutText(std::string_view text) { return PutRaw(std::as_bytes(std::span(text.data(), text.size()))); }
  ByteWriter& PutString(std::string_view text) {
    Put(static_cast<std::uint64_t>(text.size()));
    return PutText(text);
  }
  void PadTo(std::size_t alignment) {
    while (bytes_.size() % alignment != 0) bytes_.push_back(std::byte{0});
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class GgufWriter {
 public:
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;  // written as general.alignment by the caller, if at all

  template <class T>
  void Add(std::string_view key, GgufType type, T value) {
    Key(key, type).Put(value);
  }
  void AddU32(std::string_view key, std::uint32_t value) { Add(key, GgufType::kU32, value); }
  void AddF32(std::string_view key, float value) { Add(key, GgufType::kF32, value); }
  void AddString(std::string_view key, std::string_view value) { Key(key, GgufType::kString).PutString(value); }
  void AddStrings(std::string_view key, std::span<const std::string> values) {
    Key(key, GgufType::kArray).Put(GgufType::kString).Put(static_cast<std::uint64_t>(values.size()));
    for (const std::string& value : values) metadata_.PutString(value);
  }
  template <class T>
  void AddArray(std::string_view key, GgufType element, std::span<const T> values) {
    Key(key, GgufType::kArray).Put(element).Put(static_cast<std::uint64_t>(values.size()));
    for (const T& value : values) metadata_.Put(value);
  }
  // The caller writes the payload.
  ByteWriter& Key(std::string_view key, GgufType type) {
    ++entries_;
    return metadata_.PutString(key).Put(type);
  }

  void AddTensor(std::string_view name, std::vector<std::uint64_t> dims, std::uint32_t type,
                 std::vector<std::byte> data) {
    tensors_.push_back({std::string(name), std::move(dims), type, std::move(data)});
  }

  std::vector<std::byte> Finish() const {
    ByteWriter out;
    out.PutText("GGUF").Put(version).Put(static_cast<std::uint64_t>(tensors_.size())).Put(entries_);
    out.PutRaw(metadata_.bytes());
    std::uint64_t offset = 0;
    for (const Tensor& tensor : tensors_) {
      out.PutString(tensor.name).Put(static_cast<std::uint32_t>(tensor.dims.size()));
      for (const std::uint64_t extent : tensor.dims) out.Put(extent);
      out.Put(tensor.type).Put(offset);
      offset += (tensor.data.size() + alignment - 1) / alignment * alignment;
    }
    for (const Tensor& tensor : tensors_) {
      out.PadTo(static_cast<std::size_t>(alignment));
      out.PutRaw(tensor.data);
    }
    out.PadTo(static_cast<std::size_t>(alignment));
    return std::move(out.bytes());
  }

 private:
  struct Tensor {
    std::string name;
    std::vector<std::uint64_t> dims;
    std::uint32_t type;
    std::vector<std::byte> data;
  };
  ByteWriter metadata_;
  std::uint64_t entries_ = 0;
  std::vector<Tensor> tensors_;
};

}  // namespace decant::weights

#endif  // DECANT_WEIGHTS_GGUF_WRITER_FOR_TEST_H_
