// A place in a text, as a handle that also knows how far it may be rolled back. Filling a mask and accepting a token
// are called at every step of a model: they take no memory of their own.
#include "decant/constraint.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "capi/call.h"
#include "capi/handles.h"
#include "decant/c.h"

using decant::Result;
using decant::capi::Call;
using decant::capi::Require;

namespace {

constexpr std::size_t kMostConstraints = INT32_MAX;

std::unexpected<decant::Error> OutOfRange(const std::string& name, std::size_t value, const std::string& allowed) {
  return decant::Fail(decant::ErrorCode::kOutOfRange, name + " is " + std::to_string(value) + "; expected " + allowed,
                      {.subject = name, .allowed = allowed});
}

Result<void> CheckWords(const decant_constraint& constraint, std::size_t words) {
  if (words == constraint.words) return {};
  return OutOfRange("words", words, std::to_string(constraint.words));
}

// Every row has room, and no constraint is two rows', which two threads might fill at once.
Result<void> CheckRows(std::span<const decant_constraint* const> constraints, std::size_t stride) {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    DECANT_CHECKED(Require(constraints[i], "constraint " + std::to_string(i)));
    if (stride >= constraints[i]->words) continue;
    return OutOfRange("stride", stride,
                      "at least " + std::to_string(constraints[i]->words) + ", for constraint " + std::to_string(i));
  }
  std::vector<const decant_constraint*> sorted(constraints.begin(), constraints.end());
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) == sorted.end()) return {};
  return decant::Fail(decant::ErrorCode::kConflict, "a constraint is there twice; expected each once",
                      {.subject = "constraints", .hint = "decant_constraint_fork makes a second one"});
}

void FillRow(const decant_constraint& constraint, std::span<std::uint32_t> row) {
  constraint.constraint->FillMask(row.first(constraint.words));
  std::ranges::fill(row.subspan(constraint.words), 0U);
}

decant_constraint_place PlaceOf(decant::ConstraintState state) {
  switch (state) {
    case decant::ConstraintState::kOpen:
      return DECANT_OPEN;
    case decant::ConstraintState::kMayEnd:
      return DECANT_MAY_END;
    case decant::ConstraintState::kMustEnd:
      return DECANT_MUST_END;
    case decant::ConstraintState::kDead:
      return DECANT_DEAD;
  }
  return DECANT_DEAD;
}

}  // namespace

decant_status decant_constraint_new(const decant_grammar* grammar, decant_constraint** constraint,
                                    decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(grammar, "grammar"));
    DECANT_CHECKED(Require(constraint, "constraint"));
    auto made = std::make_unique<decant_constraint>();
    made->grammar = grammar->grammar;
    made->constraint = made->grammar->Start();
    made->words = (made->grammar->row_length() + 31) / 32;
    decant::capi::Give(std::move(made), constraint);
    return {};
  });
}

decant_status decant_constraint_fork(const decant_constraint* constraint, decant_constraint** fork,
                                     decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(constraint, "constraint"));
    DECANT_CHECKED(Require(fork, "fork"));
    auto made = std::make_unique<decant_constraint>();
    made->grammar = constraint->grammar;
    made->constraint = constraint->constraint->Fork();
    made->words = constraint->words;
    made->accepted = constraint->accepted;
    decant::capi::Give(std::move(made), fork);
    return {};
  });
}

decant_status decant_constraint_fill_mask(const decant_constraint* constraint, uint32_t* mask, size_t words,
                                          decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(constraint, "constraint"));
    DECANT_CHECKED(Require(mask, "mask"));
    DECANT_CHECKED(CheckWords(*constraint, words));
    constraint->constraint->FillMask({mask, words});
    return {};
  });
}

decant_status decant_constraint_fill_structural(const decant_constraint* constraint, uint32_t* structural, size_t words,
                                                decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(constraint, "constraint"));
    DECANT_CHECKED(Require(structural, "structural"));
    DECANT_CHECKED(CheckWords(*constraint, words));
    constraint->constraint->FillStructural({structural, words});
    return {};
  });
}

decant_status decant_constraint_fill_masks(const decant_constraint* const* constraints, size_t count, uint32_t* masks,
                                           size_t stride, const decant_runtime* runtime, decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    if (count == 0) return {};
    if (count > kMostConstraints) return OutOfRange("count", count, "0.." + std::to_string(kMostConstraints));
    DECANT_CHECKED(Require(constraints, "constraints"));
    DECANT_CHECKED(Require(masks, "masks"));
    DECANT_CHECKED(CheckRows({constraints, count}, stride));
    const auto fill = [&](std::size_t i) { FillRow(*constraints[i], {masks + i * stride, stride}); };
    if (runtime != nullptr && runtime->runtime->threads() > 1) {
      runtime->runtime->Parallel(static_cast<int>(count), [&](int i) { fill(static_cast<std::size_t>(i)); });
      return {};
    }
    for (std::size_t i = 0; i < count; ++i) fill(i);
    return {};
  });
}

decant_status decant_constraint_accept(decant_constraint* constraint, uint32_t token, decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(constraint, "constraint"));
    DECANT_CHECKED(constraint->constraint->Accept(token));
    ++constraint->accepted;
    return {};
  });
}

decant_status decant_constraint_validate(const decant_constraint* constraint, const uint32_t* tokens, size_t count,
                                         size_t* accepted, decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(constraint, "constraint"));
    if (count > 0) DECANT_CHECKED(Require(tokens, "tokens"));
    DECANT_CHECKED(Require(accepted, "accepted"));
    *accepted = constraint->constraint->Validate({tokens, count});
    return {};
  });
}

decant_status decant_constraint_roll_back(decant_constraint* constraint, size_t n, decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(constraint, "constraint"));
    if (n > constraint->accepted) {
      return OutOfRange("n", n, "0.." + std::to_string(constraint->accepted) + ", as many as were accepted");
    }
    constraint->constraint->RollBack(n);
    constraint->accepted -= n;
    return {};
  });
}

decant_status decant_constraint_state(const decant_constraint* constraint, decant_constraint_place* place,
                                      decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(constraint, "constraint"));
    DECANT_CHECKED(Require(place, "place"));
    *place = PlaceOf(constraint->constraint->state());
    return {};
  });
}

decant_status decant_constraint_is_proven(const decant_constraint* constraint, int* proven, decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(constraint, "constraint"));
    DECANT_CHECKED(Require(proven, "proven"));
    *proven = constraint->constraint->IsProven() ? 1 : 0;
    return {};
  });
}

decant_status decant_constraint_forced_tokens(decant_constraint* constraint, const uint32_t** tokens, size_t* count,
                                              decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(constraint, "constraint"));
    DECANT_CHECKED(Require(tokens, "tokens"));
    DECANT_CHECKED(Require(count, "count"));
    constraint->forced_tokens = constraint->constraint->ForcedTokens();
    *tokens = constraint->forced_tokens.data();
    *count = constraint->forced_tokens.size();
    return {};
  });
}

decant_status decant_constraint_forced_bytes(decant_constraint* constraint, const char** bytes, size_t* size,
                                             decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(constraint, "constraint"));
    DECANT_CHECKED(Require(bytes, "bytes"));
    DECANT_CHECKED(Require(size, "size"));
    constraint->forced_bytes = constraint->constraint->ForcedBytes();
    *bytes = constraint->forced_bytes.c_str();
    *size = constraint->forced_bytes.size();
    return {};
  });
}

decant_status decant_constraint_shortest_end(decant_constraint* constraint, const char** bytes, size_t* size,
                                             decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(constraint, "constraint"));
    DECANT_CHECKED(Require(bytes, "bytes"));
    DECANT_CHECKED(Require(size, "size"));
    constraint->shortest_end = constraint->constraint->ShortestEnd();
    *bytes = constraint->shortest_end.has_value() ? constraint->shortest_end->c_str() : nullptr;
    *size = constraint->shortest_end.has_value() ? constraint->shortest_end->size() : 0;
    return {};
  });
}

decant_status decant_constraint_expected(decant_constraint* constraint, const char** text, decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(constraint, "constraint"));
    DECANT_CHECKED(Require(text, "text"));
    constraint->expected = constraint->constraint->Expected();
    *text = constraint->expected.c_str();
    return {};
  });
}

void decant_constraint_free(decant_constraint* constraint) { decant::capi::Take(constraint); }
