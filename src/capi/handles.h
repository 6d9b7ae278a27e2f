// What stands behind the opaque types of decant/c.h.
//
// Handles share what they were made from, so that the order in which they are freed does not matter.
#ifndef DECANT_CAPI_HANDLES_H_
#define DECANT_CAPI_HANDLES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decant/c.h"
#include "decant/constraint.h"
#include "decant/error.h"
#include "decant/runtime.h"
#include "decant/sampler.h"

struct decant_error {
  decant::Error error;
};

struct decant_runtime {
  std::shared_ptr<decant::Runtime> runtime;
};

struct decant_sampler {
  std::shared_ptr<const decant::Sampler> sampler;
  std::string plan;
};

struct decant_state {
  decant::SamplerState state;
  std::size_t accepted = 0;  // since it was made; so many can be taken back
};

struct decant_batch {
  explicit decant_batch(std::shared_ptr<decant::Runtime> runtime) : sampler(std::move(runtime)) {}

  decant::BatchSampler sampler;
  // Of one call; kept, so that the next one allocates nothing.
  std::vector<std::optional<decant_error>> errors;                      // one a request
  std::vector<std::pair<const decant_state*, std::uint32_t>> by_state;  // sorted: finds a state that comes twice
  std::vector<std::uint32_t> sampled;                                   // the numbers of the requests that are sampled
  std::vector<decant::SampleRequest> requests;                          // those
  std::vector<decant::Result<decant::Choice>> choices;                  // theirs
};

struct decant_vocabulary {
  std::shared_ptr<const decant::ConstraintVocabulary> vocabulary;
};

struct decant_grammar {
  std::shared_ptr<const decant::Grammar> grammar;
};

struct decant_constraint {
  std::shared_ptr<const decant::Grammar> grammar;  // outlives the constraint
  std::unique_ptr<decant::Constraint> constraint;
  std::size_t words = 0;     // of a mask
  std::size_t accepted = 0;  // tokens; so many can be taken back
  // What the last call of each kind gave.
  std::vector<decant::TokenId> forced_tokens = {};
  std::string forced_bytes = {}, expected = {};
  std::optional<std::string> shortest_end = {};
};

#endif  // DECANT_CAPI_HANDLES_H_
