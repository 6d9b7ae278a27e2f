// The twin's answer to one row, for any number of draws from it.
//
// twin::Sample works a row out once; its record holds the weights of the draw, and each further random number is then
// answered by a search in their exact prefix sums. Plain on purpose: nothing here is shared with the sampler under
// test.
#ifndef DECANT_TESTS_AGREEMENT_TWIN_ANSWER_H_
#define DECANT_TESTS_AGREEMENT_TWIN_ANSWER_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "decant/sampler.h"
#include "twin/sampler.h"

namespace decant {

class TwinAnswer {
 public:
  // REQUIRES: as twin::Sample.
  TwinAnswer(const Chain& chain, const twin::StepInput& input);

  const Result<StepRecord>& record() const { return record_; }
  // Inclusive prefix sums over record()->support; empty where no random number is used. REQUIRES: record() holds.
  std::span<const std::uint64_t> borders() const { return borders_; }
  std::uint64_t total() const { return borders_.empty() ? 0 : borders_.back(); }

  // The choice at 53 random bits, in full detail. REQUIRES: record() holds.
  Choice At(std::uint64_t r) const;

 private:
  std::uint32_t RankOf(TokenId token) const;

  Result<StepRecord> record_;
  std::vector<std::uint64_t> borders_;
};

// What one call of Choose got wrong; empty = nothing.
std::string Difference(const Result<Choice>& fast, const TwinAnswer& twin, std::uint64_t r, Detail detail);

// The state of a sequence that stands where the input says, with this seed.
SamplerState StateFor(const twin::StepInput& input, std::uint64_t seed);

// The input as the row that a sampler takes.
RowView ViewOf(const twin::StepInput& input);

// The 53 bits that a draw with this seed gets there.
std::uint64_t BitsFor(const twin::StepInput& input, std::uint64_t seed);

// Chooses from the row with each seed, in both details, and compares with the twin; the first draw also in the twin's
// own words. Returns what differs first, with chain, seed and size; empty = nothing. `view` = the same logits, perhaps
// in half precision. REQUIRES: input.address.position = number of prompt and output tokens where a stage looks back.
std::string Differs(const Sampler& sampler, const twin::StepInput& input, const RowView& view,
                    std::span<const std::uint64_t> seeds);
std::string Differs(const Sampler& sampler, const twin::StepInput& input, std::span<const std::uint64_t> seeds);

// The chain with its values, in one line, for a message that reproduces a difference.
std::string Describe(const Chain& chain);

}  // namespace decant

#endif  // DECANT_TESTS_AGREEMENT_TWIN_ANSWER_H_
