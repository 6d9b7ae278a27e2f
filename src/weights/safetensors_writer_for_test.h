// Builds safetensors files in memory, correct or broken on purpose: tests make their own data. Tests only.
#ifndef DECANT_WEIGHTS_SAFETENSORS_WRITER_FOR_TEST_H_
#define DECANT_WEIGHTS_SAFETENSORS_WRITER_FOR_TEST_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weights/gguf_writer_for_test.h"

namespace decant::weights {

// A file with this header and these bytes.
inline std::vector<std::byte> SafetensorsOf(std::string_view header, const std::vector<std::byte>& data) {
  ByteWriter out;
  out.PutString(header).PutRaw(data);
  return std::move(out.bytes());
}

class SafetensorsWriter {
 public:
  // `shape` outermost first: {rows, columns}.
  void Add(std::string_view name, std::string_view dtype, const std::vector<std::uint64_t>& shape,
           const std::vector<std::byte>& data) {
    std::string extents;
    for (const std::uint64_t extent : shape) {
      if (!extents.empty()) extents += ',';
      extents += std::to_string(extent);
    }
    const std::size_t begin = data_.bytes().size();
    data_.PutRaw(data);
    if (!header_.empty()) header_ += ',';
    header_.append("\"").append(name).append(R"(":{"dtype":")").append(dtype).append(R"(","shape":[)").append(extents);
    header_.append(R"(],"data_offsets":[)").append(std::to_string(begin)).append(",");
    header_.append(std::to_string(data_.bytes().size())).append("]}");
  }
  std::vector<std::byte> Finish() const {
    return SafetensorsOf(std::string("{").append(header_).append("}"), data_.bytes());
  }

 private:
  std::string header_;
  ByteWriter data_;
};

}  // namespace decant::weights

#endif  // DECANT_WEIGHTS_SAFETENSORS_WRITER_FOR_TEST_H_
