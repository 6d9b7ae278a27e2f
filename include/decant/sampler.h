// From a row of logits to a token.
//
//   DECANT_TRY(auto sampler, MakeSampler({{StageId::kTemperature, TemperatureParams{0.8}},
//                                         {StageId::kTopK, TopKParams{40}}}, vocabulary, {}));
//   SamplerState state({.seed = 7});
//   DECANT_TRY(Choice choice, sampler->Sample(RowView::F32(logits), state, nullptr));
//   state.Accept(choice.token);
//
// The arithmetic is docs/determinism.md; the stages are docs/sampling.md.
#ifndef DECANT_SAMPLER_H_
#define DECANT_SAMPLER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decant/chain.h"
#include "decant/error.h"
#include "decant/history.h"
#include "decant/runtime.h"
#include "decant/step.h"
#include "decant/token.h"

namespace decant {

enum class ElementType : std::uint8_t {
  kF32,
  kF64,   // preset reference only
  kF16,   // IEEE binary16; native only, each logit taken as the f32 that it is
  kBF16,  // the upper half of an f32; native only, likewise
};

std::string_view NameOf(ElementType type);  // "f32", "f64", "f16", "bf16"

// One row of logits, owned by the caller and never modified.
struct RowView {
  const void* data = nullptr;  // aligned to its type; `vocabulary` elements
  ElementType type = ElementType::kF32;
  std::size_t vocabulary = 0;
  // Bit t % 32 of word t / 32 = token t is allowed; null = all are. ceil(vocabulary / 32) words; spare bits are
  // ignored.
  const std::uint32_t* mask = nullptr;
  // The same bits for tokens that penalties, DRY and n-gram bans skip (decant/constraint.h); null = none.
  const std::uint32_t* structural = nullptr;

  static RowView F32(std::span<const float> logits) { return {.data = logits.data(), .vocabulary = logits.size()}; }
  static RowView F64(std::span<const double> logits) {
    return {.data = logits.data(), .type = ElementType::kF64, .vocabulary = logits.size()};
  }
  static RowView F16(std::span<const std::uint16_t> logits) {
    return {.data = logits.data(), .type = ElementType::kF16, .vocabulary = logits.size()};
  }
  static RowView BF16(std::span<const std::uint16_t> logits) {
    return {.data = logits.data(), .type = ElementType::kBF16, .vocabulary = logits.size()};
  }
};

// A preset is an engine's behaviour: its arithmetic, order, ties and stream.
enum class Preset : std::uint8_t {
  kNative,     // decant's own: integer weights, addressed randomness
  kReference,  // seed arithmetic: f64 softmax, SplitMix64
  kOctlm,      // a small PyTorch decoder: f32 softmax, torch.multinomial (docs/octlm-preset.md)
};
std::string_view NameOf(Preset preset);  // "native", "reference", "octlm"
Result<Preset> FindPreset(std::string_view name);
std::span<const Preset> Presets();            // every one
std::string_view GeneratorOf(Preset preset);  // of its randomness: "philox4x32-10", "splitmix64", "mt19937"

struct SamplerStateOptions {
  std::uint64_t seed = 0;
  // Number of the choice (or beam) that this sequence is; part of the address of its randomness.
  std::uint32_t sequence = 0;
  // Tokens already in the sequence, BOS included; copied. Stages that look back need them.
  std::span<const TokenId> prompt = {};
  std::span<const TokenId> output = {};
  // For a caller without the tokens: how many there are. Absent = prompt and output.
  std::optional<std::uint64_t> position = {};
};

// Where a preset's sequential generator stands: before its next draw. SplitMix64 is its one word; a generator with a
// larger state keeps it in `words`, immutable once shared: copies share them. A state keeps one for each accepted
// token, to roll back to (2.5 KB a token for the Mersenne Twister).
struct RandomStream {
  std::uint64_t word = 0;
  std::shared_ptr<const std::vector<std::uint32_t>> words = {};
};

// What one sequence remembers between steps. One owner; copying it forks the sequence.
class SamplerState {
 public:
  explicit SamplerState(SamplerStateOptions options);

  std::uint64_t seed() const { return seed_; }
  std::uint32_t sequence() const { return sequence_; }
  std::uint64_t position() const { return position_; }
  // The tokens, as far as they were given; empty for a caller that gave a position alone.
  const History& history() const { return history_; }
  History& history() { return history_; }

  // Commits a token: the position moves, and so does the stream of an engine preset.
  void Accept(TokenId token);
  // Commits the stream only: the next draw from the same prefix.
  void CommitDraw() { stream_ = pending_stream_; }
  // Takes the last n accepted tokens back, the stream included. REQUIRES: n <= tokens accepted.
  void RollBack(std::size_t n);

  // Before the next draw; `word` starts at the seed.
  const RandomStream& stream() const { return stream_; }
  void set_stream(RandomStream stream) { stream_ = pending_stream_ = std::move(stream); }
  void set_pending_stream(RandomStream stream) { pending_stream_ = std::move(stream); }  // for presets

 private:
  std::uint64_t seed_;
  std::uint32_t sequence_;
  std::uint64_t position_;
  History history_;
  RandomStream stream_;                       // committed
  RandomStream pending_stream_;               // after the last draw, not yet committed
  std::vector<RandomStream> streams_before_;  // of each accepted token
};

struct SamplerOptions {
  Preset preset = Preset::kNative;
};

// How much of a Choice is wanted. The token is the same either way.
enum class Detail : std::uint8_t {
  kFull,   // rank, probability and log-probability too: up to several passes over the row more
  kToken,  // the token and drawn_by; the rest is 0
};

// An immutable, planned chain; shared by threads and sequences.
class Sampler {
 public:
  virtual ~Sampler() = default;
  virtual const Chain& chain() const = 0;  // as given
  virtual Preset preset() const = 0;
  virtual std::size_t vocabulary() const = 0;

  // Chooses a token for one row. A failed call moves nothing: kLogitCountMismatch, kWrongType (an element type that the
  // preset does not take), kNonFiniteLogit, kEmptySupport (all are banned), kConflict (a stage looks back, and the
  // state holds a position but not the tokens), kTokenOutOfRange (the history has a token that the row does not have).
  // With `record`, the evidence is written too (the same choice, at more cost); on failure it is left as it was.
  virtual Result<Choice> Sample(const RowView& row, SamplerState& state, StepRecord* record) const = 0;

  // Chooses without evidence. Preset native takes the fewest passes over the row that prove the token; the others
  // give every detail whatever is asked.
  virtual Result<Choice> Choose(const RowView& row, SamplerState& state, Detail detail) const;

  // What Choose does to a row, a pass a line, for people: the wording may change between versions.
  virtual std::string PlanText() const;

  // How many rows bounded passes left to the exact one: too close to a border, mostly; also bans that gave way, and
  // temperatures or scores past the range of the bounds. Since the sampler was made, over all its threads.
  virtual std::uint64_t exact_falls() const { return 0; }

  // One choice a row; a bad row fails alone. REQUIRES: equal lengths; each state at most once.
  void SampleBatch(std::span<const RowView> rows, std::span<SamplerState* const> states,
                   std::span<Result<Choice>> out) const;
};

// Validates the chain for a vocabulary and plans it once. Errors name the stage, the value and its range.
Result<std::shared_ptr<const Sampler>> MakeSampler(Chain chain, std::size_t vocabulary, SamplerOptions options);

// One row of a batch: its own chain, logits and sequence.
struct SampleRequest {
  const Sampler* sampler = nullptr;  // of any preset and vocabulary
  RowView row = {};
  SamplerState* state = nullptr;  // each at most once in a batch
};

// Samples batch after batch. Owns what the threads work with, so that no step of preset native allocates once the
// largest vocabulary was seen, but for a sequence's first look back, custom stages, bans that give way and an Error's
// text. Threads share out the rows, and the first pass over the blocks of a row where rows are fewer than threads. Not
// thread-safe: one batch at a time.
class BatchSampler {
 public:
  // runtime: whose threads to use; null = the caller's own. May be shared.
  explicit BatchSampler(std::shared_ptr<Runtime> runtime);
  ~BatchSampler();
  BatchSampler(const BatchSampler&) = delete;
  BatchSampler& operator=(const BatchSampler&) = delete;

  // out[i] is the choice for requests[i], as requests[i].sampler->Choose(...) gives it: never dependent on the batch,
  // its order or the threads (D1, D2). A bad row fails alone. REQUIRES: equal lengths, no null.
  void Sample(std::span<const SampleRequest> requests, Detail detail, std::span<Result<Choice>> out);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// The probabilities of the model itself: softmax at temperature 1 of the whole row, before any stage. Errors:
// kEmptyLogits, kVocabularyTooLarge, kNonFiniteLogit, kEmptySupport.
struct RawDistribution {
  std::vector<std::uint64_t> weights;  // a token's weight; 0 for bans
  std::uint64_t total = 0;             // their sum
  float maximum = 0;
  double entropy_bits = 0;
};
Result<RawDistribution> RawDistributionOf(std::span<const float> logits);
// The natural log-probability of one token under it; finite unless the token is banned.
double RawLogProbability(const RawDistribution& raw, float logit);

}  // namespace decant

#endif  // DECANT_SAMPLER_H_
