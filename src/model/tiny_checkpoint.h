// The tiny checkpoint, "decant.tiny/1": a llama-architecture decoder in f32, with the state of a random generator,
// small enough to be committed. The format is docs/formats/tiny.md.
#ifndef DECANT_MODEL_TINY_CHECKPOINT_H_
#define DECANT_MODEL_TINY_CHECKPOINT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "decant/error.h"

namespace decant::model {

inline constexpr std::string_view kTinyMagic = "decant.tiny/1\n";

struct TinyDimensions {
  std::uint32_t vocabulary = 0;    // 1..65536
  std::uint32_t context = 0;       // tokens a sequence may hold, 1..4096
  std::uint32_t width = 0;         // 2..1024; width / heads is even
  std::uint32_t layers = 0;        // 1..64
  std::uint32_t heads = 0;         // divides width
  std::uint32_t kv_heads = 0;      // divides heads
  std::uint32_t feed_forward = 0;  // 1..4096
  float rope_base = 10000;         // finite, >= 1
  float epsilon = 1e-5F;           // of RMSNorm, in (0, 1)

  std::uint32_t head_width() const { return width / heads; }
  std::uint32_t kv_width() const { return head_width() * kv_heads; }
  bool operator==(const TinyDimensions&) const = default;
};

// Matrices are rows of inputs, one row an output.
struct TinyLayer {
  std::vector<float> attention_norm;     // width
  std::vector<float> query;              // width x width
  std::vector<float> key, value;         // kv_width x width
  std::vector<float> attention_output;   // width x width
  std::vector<float> feed_forward_norm;  // width
  std::vector<float> gate, up;           // feed_forward x width
  std::vector<float> down;               // width x feed_forward
  bool operator==(const TinyLayer&) const = default;
};

struct TinyCheckpoint {
  TinyDimensions dimensions;
  std::uint64_t random_state = 0;  // of the generator that continues from here
  std::vector<float> embedding;    // vocabulary x width
  std::vector<TinyLayer> layers;
  std::vector<float> output_norm;  // width
  std::vector<float> output;       // vocabulary x width
  bool operator==(const TinyCheckpoint&) const = default;
};

// kOutOfRange, naming the size.
Result<void> CheckTinyDimensions(const TinyDimensions& dimensions);

// A checkpoint of these sizes, every weight 0. Errors: those of CheckTinyDimensions.
Result<TinyCheckpoint> MakeTinyCheckpoint(const TinyDimensions& dimensions);

// True when the bytes start as a tiny checkpoint of any version does: "decant.tiny/".
bool IsTinyCheckpoint(std::span<const std::byte> bytes);

// Errors: kUnsupportedFile without the magic, and for another version, by its name; kCorruptFile, with the offset, for
// a size out of range, a file that is not exactly as long as its sizes say, a wrong hash, or a weight that is not
// finite. Nothing is allocated before the length is known to be right.
Result<TinyCheckpoint> ParseTinyCheckpoint(std::span<const std::byte> bytes);

// REQUIRES: the vectors are as long as the dimensions say (as MakeTinyCheckpoint and ParseTinyCheckpoint leave them).
std::vector<std::byte> WriteTinyCheckpoint(const TinyCheckpoint& checkpoint);

}  // namespace decant::model

#endif  // DECANT_MODEL_TINY_CHECKPOINT_H_
