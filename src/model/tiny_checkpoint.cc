// Bytes to a tiny checkpoint and back. ForEachTensor is the one place that knows the order and the sizes of the
// tensors.
#include "model/tiny_checkpoint.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "core/check.h"
#include "core/sha256.h"

namespace decant::model {
namespace {

constexpr std::string_view kFamily = "decant.tiny/";
constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kHashBytes = 32;
constexpr std::size_t kFirstSizeOffset = 16;
constexpr std::size_t kRopeBaseOffset = 44;
constexpr std::size_t kEpsilonOffset = 48;
constexpr std::size_t kReservedOffset = 52;
constexpr std::size_t kRandomStateOffset = 56;

// The sizes, in the order of the header.
struct SizeField {
  const char* name;
  std::uint32_t TinyDimensions::* member;
  std::uint32_t least, most;
};
constexpr SizeField kSizeFields[] = {
    {"vocabulary", &TinyDimensions::vocabulary, 1, 65536},
    {"context", &TinyDimensions::context, 1, 4096},
    {"width", &TinyDimensions::width, 2, 1024},
    {"layers", &TinyDimensions::layers, 1, 64},
    {"heads", &TinyDimensions::heads, 1, 512},
    {"kv_heads", &TinyDimensions::kv_heads, 1, 512},
    {"feed_forward", &TinyDimensions::feed_forward, 1, 4096},
};

// What is wrong with the dimensions, and where in the header it stands.
struct Complaint {
  std::string subject;
  std::string message;
  std::size_t offset = 0;
};

std::optional<Complaint> FindFault(const TinyDimensions& dimensions) {
  std::size_t offset = kFirstSizeOffset;
  for (const SizeField& field : kSizeFields) {
    const std::uint32_t value = dimensions.*field.member;
    if (value < field.least || value > field.most) {
      return Complaint{field.name,
                       std::string(field.name) + " is " + std::to_string(value) + "; expected " +
                           std::to_string(field.least) + ".." + std::to_string(field.most),
                       offset};
    }
    offset += sizeof(std::uint32_t);
  }
  const std::string width = std::to_string(dimensions.width);
  const std::string heads = std::to_string(dimensions.heads);
  if (dimensions.width % dimensions.heads != 0 || dimensions.head_width() % 2 != 0) {
    return Complaint{"heads", "heads is " + heads + "; expected a divisor of width " + width + " with an even quotient",
                     kFirstSizeOffset + 16};
  }
  if (dimensions.heads % dimensions.kv_heads != 0) {
    return Complaint{"kv_heads",
                     "kv_heads is " + std::to_string(dimensions.kv_heads) + "; expected a divisor of heads " + heads,
                     kFirstSizeOffset + 20};
  }
  if (!(std::isfinite(dimensions.rope_base) && dimensions.rope_base >= 1)) {
    return Complaint{"rope_base", "rope_base is " + std::to_string(dimensions.rope_base) + "; expected at least 1",
                     kRopeBaseOffset};
  }
  if (!(dimensions.epsilon > 0 && dimensions.epsilon < 1)) {
    return Complaint{"epsilon", "epsilon is " + std::to_string(dimensions.epsilon) + "; expected a number in (0, 1)",
                     kEpsilonOffset};
  }
  return std::nullopt;
}

// Calls visit(name, vector, size) for every tensor, in file order. The layers must be there already.
template <class Checkpoint, class Visit>
void ForEachTensor(Checkpoint& checkpoint, Visit visit) {
  const TinyDimensions& d = checkpoint.dimensions;
  const std::size_t width = d.width;
  visit("embedding", checkpoint.embedding, d.vocabulary * width);
  for (auto& layer : checkpoint.layers) {
    visit("attention_norm", layer.attention_norm, width);
    visit("query", layer.query, width * width);
    visit("key", layer.key, d.kv_width() * width);
    visit("value", layer.value, d.kv_width() * width);
    visit("attention_output", layer.attention_output, width * width);
    visit("feed_forward_norm", layer.feed_forward_norm, width);
    visit("gate", layer.gate, d.feed_forward * width);
    visit("up", layer.up, d.feed_forward * width);
    visit("down", layer.down, width * d.feed_forward);
  }
  visit("output_norm", checkpoint.output_norm, width);
  visit("output", checkpoint.output, d.vocabulary * width);
}

// REQUIRES: no fault. At most 2^31 with the ranges above.
std::uint64_t CountWeights(const TinyDimensions& d) {
  const std::uint64_t width = d.width;
  const std::uint64_t layer = 2 * width + 2 * width * width + 2 * width * d.kv_width() + 3 * width * d.feed_forward;
  return 2 * width * d.vocabulary + d.layers * layer + width;
}

template <class T>
T Load(std::span<const std::byte> bytes, std::size_t offset) {
  static_assert(std::endian::native == std::endian::little);
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

template <class T>
void Store(std::vector<std::byte>& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

std::unexpected<Error> Corrupt(std::string message, std::string subject, std::size_t offset) {
  return Fail(ErrorCode::kCorruptFile,
              "tiny checkpoint: " + std::move(message) + " (byte " + std::to_string(offset) + ")",
              {.subject = std::move(subject), .at = Position{.offset = offset}});
}

bool StartsWith(std::span<const std::byte> bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

Result<void> CheckMagic(std::span<const std::byte> bytes) {
  if (StartsWith(bytes, kTinyMagic)) return {};
  if (!StartsWith(bytes, kFamily)) {
    return Fail(ErrorCode::kUnsupportedFile, "not a tiny checkpoint: the file does not start with \"decant.tiny/1\\n\"",
                {.subject = "magic", .at = Position{.offset = 0}});
  }
  // A version is a number and ends its line.
  std::string version;
  for (const std::byte byte : bytes.subspan(kFamily.size())) {
    const char digit = std::to_integer<char>(byte);
    if (digit < '0' || digit > '9' || version.size() == 10) break;
    version += digit;
  }
  if (version.empty() || version == "1") version.clear();
  return Fail(ErrorCode::kUnsupportedFile,
              (version.empty() ? "the tiny checkpoint has no version that can be read"
                               : "the tiny checkpoint is decant.tiny/" + version) +
                  "; this program reads decant.tiny/1",
              {.subject = "magic", .allowed = "decant.tiny/1", .at = Position{.offset = kFamily.size()}});
}

std::string HashOf(std::span<const std::byte> bytes) {
  core::Sha256 hash;
  hash.Update(bytes);
  return hash.Finish();
}

std::string HexOf(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

TinyCheckpoint Allocate(const TinyDimensions& dimensions) {
  TinyCheckpoint checkpoint{.dimensions = dimensions, .embedding = {}, .layers = {}, .output_norm = {}, .output = {}};
  checkpoint.layers.resize(dimensions.layers);
  ForEachTensor(checkpoint, [](const char*, std::vector<float>& tensor, std::size_t size) { tensor.resize(size); });
  return checkpoint;
}

TinyDimensions ReadDimensions(std::span<const std::byte> bytes) {
  TinyDimensions dimensions;
  std::size_t offset = kFirstSizeOffset;
  for (const SizeField& field : kSizeFields) {
    dimensions.*field.member = Load<std::uint32_t>(bytes, offset);
    offset += sizeof(std::uint32_t);
  }
  dimensions.rope_base = Load<float>(bytes, kRopeBaseOffset);
  dimensions.epsilon = Load<float>(bytes, kEpsilonOffset);
  return dimensions;
}

}  // namespace

Result<void> CheckTinyDimensions(const TinyDimensions& dimensions) {
  auto fault = FindFault(dimensions);
  if (!fault) return {};
  return Fail(ErrorCode::kOutOfRange, std::move(fault->message), {.subject = std::move(fault->subject)});
}

Result<TinyCheckpoint> MakeTinyCheckpoint(const TinyDimensions& dimensions) {
  DECANT_CHECKED(CheckTinyDimensions(dimensions));
  return Allocate(dimensions);
}

bool IsTinyCheckpoint(std::span<const std::byte> bytes) { return StartsWith(bytes, kFamily); }

Result<TinyCheckpoint> ParseTinyCheckpoint(std::span<const std::byte> bytes) {
  DECANT_CHECKED(CheckMagic(bytes));
  if (bytes.size() < kHeaderBytes) {
    return Corrupt("the file has " + std::to_string(bytes.size()) + " bytes; expected a header of 64", "header",
                   bytes.size());
  }
  if (Load<std::uint16_t>(bytes, kTinyMagic.size()) != 0)
    return Corrupt("padding is not 0", "padding", kTinyMagic.size());
  if (Load<std::uint32_t>(bytes, kReservedOffset) != 0) return Corrupt("padding is not 0", "padding", kReservedOffset);
  const TinyDimensions dimensions = ReadDimensions(bytes);
  if (auto fault = FindFault(dimensions)) {
    return Corrupt(std::move(fault->message), std::move(fault->subject), fault->offset);
  }
  const std::uint64_t expected = kHeaderBytes + CountWeights(dimensions) * sizeof(float) + kHashBytes;
  if (bytes.size() != expected) {
    return Corrupt(
        "the file has " + std::to_string(bytes.size()) + " bytes; its sizes need " + std::to_string(expected), "length",
        std::min<std::size_t>(bytes.size(), expected));
  }
  const std::span<const std::byte> body = bytes.first(bytes.size() - kHashBytes);
  if (HashOf(body) != HexOf(bytes.last(kHashBytes))) {
    return Corrupt("the SHA-256 at the end is not that of the bytes before it", "hash", body.size());
  }

  TinyCheckpoint checkpoint = Allocate(dimensions);
  checkpoint.random_state = Load<std::uint64_t>(bytes, kRandomStateOffset);
  std::size_t offset = kHeaderBytes;
  std::optional<Complaint> fault;
  ForEachTensor(checkpoint, [&](const char* name, std::vector<float>& tensor, std::size_t size) {
    std::memcpy(tensor.data(), bytes.data() + offset, size * sizeof(float));
    const auto bad = std::ranges::find_if(tensor, [](float weight) { return !std::isfinite(weight); });
    if (bad != tensor.end() && !fault) {
      const auto index = static_cast<std::size_t>(bad - tensor.begin());
      fault = Complaint{name, std::string(name) + "[" + std::to_string(index) + "] is not finite",
                        offset + index * sizeof(float)};
    }
    offset += size * sizeof(float);
  });
  if (fault) return Corrupt(std::move(fault->message), std::move(fault->subject), fault->offset);
  return checkpoint;
}

std::vector<std::byte> WriteTinyCheckpoint(const TinyCheckpoint& checkpoint) {
  const TinyDimensions& dimensions = checkpoint.dimensions;
  std::vector<std::byte> bytes(kHeaderBytes + CountWeights(dimensions) * sizeof(float));
  std::memcpy(bytes.data(), kTinyMagic.data(), kTinyMagic.size());
  std::size_t offset = kFirstSizeOffset;
  for (const SizeField& field : kSizeFields) {
    Store(bytes, offset, dimensions.*field.member);
    offset += sizeof(std::uint32_t);
  }
  Store(bytes, kRopeBaseOffset, dimensions.rope_base);
  Store(bytes, kEpsilonOffset, dimensions.epsilon);
  Store(bytes, kRandomStateOffset, checkpoint.random_state);
  offset = kHeaderBytes;
  ForEachTensor(checkpoint, [&](const char*, const std::vector<float>& tensor, std::size_t size) {
    DECANT_CHECK(tensor.size() == size);
    std::memcpy(bytes.data() + offset, tensor.data(), size * sizeof(float));
    offset += size * sizeof(float);
  });
  DECANT_CHECK(offset == bytes.size());
  const std::string hash = HashOf(bytes);
  for (std::size_t i = 0; i < hash.size(); i += 2) {
    const auto digit = [&](std::size_t at) {
      const char c = hash[at];
      return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    };
    bytes.push_back(static_cast<std::byte>(digit(i) * 16 + digit(i + 1)));
  }
  return bytes;
}

}  // namespace decant::model
