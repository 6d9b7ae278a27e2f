// Many rows: the good requests go to the batch sampler together, the others fail alone.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "capi/call.h"
#include "capi/handles.h"
#include "capi/row.h"
#include "decant/c.h"
#include "decant/sampler.h"

using decant::Result;
using decant::capi::Call;
using decant::capi::Require;

namespace {

constexpr std::size_t kMostRequests = INT32_MAX;

// What a caller gave for the results of each request.
struct Output {
  std::span<decant_choice> choices;
  decant_status* statuses;  // may be null
};

Result<void> CheckCount(std::size_t count) {
  if (count <= kMostRequests) return {};
  const std::string allowed = "0.." + std::to_string(kMostRequests);
  return decant::Fail(decant::ErrorCode::kOutOfRange, "count is " + std::to_string(count) + "; expected " + allowed,
                      {.subject = "count", .allowed = allowed});
}

Result<decant::SampleRequest> RequestOf(const decant_request& request) {
  DECANT_CHECKED(Require(request.sampler, "sampler"));
  DECANT_CHECKED(Require(request.state, "state"));
  DECANT_TRY(const auto row, decant::capi::RowOf(request.row));
  return decant::SampleRequest{.sampler = request.sampler->sampler.get(), .row = row, .state = &request.state->state};
}

void Reject(decant_batch& batch, std::uint32_t index, decant::Error error) {
  batch.errors[index] = decant_error{std::move(error)};
}

// Two threads must not sample with one state: all but its first request are rejected.
void RejectRepeatedStates(std::span<const decant_request> requests, decant_batch& batch) {
  batch.by_state.clear();
  for (std::uint32_t i = 0; i < requests.size(); ++i) {
    if (requests[i].state != nullptr) batch.by_state.emplace_back(requests[i].state, i);
  }
  std::ranges::sort(batch.by_state);
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < batch.by_state.size(); ++i) {
    const auto [state, index] = batch.by_state[i];
    if (i == 0 || batch.by_state[i - 1].first != state) {
      first = index;
      continue;
    }
    Reject(batch, index,
           {.code = decant::ErrorCode::kConflict,
            .message = "its state is request " + std::to_string(first) + "'s too; expected each state at most once",
            .subject = "state",
            .hint = "decant_state_clone makes a second one"});
  }
}

void Prepare(std::span<const decant_request> requests, decant_batch& batch) {
  batch.errors.clear();
  batch.errors.resize(requests.size());
  batch.requests.clear();
  batch.sampled.clear();
  RejectRepeatedStates(requests, batch);
  for (std::uint32_t i = 0; i < requests.size(); ++i) {
    if (batch.errors[i].has_value()) continue;
    auto request = RequestOf(requests[i]);
    if (!request.has_value()) {
      Reject(batch, i, std::move(request).error());
      continue;
    }
    batch.requests.push_back(*request);
    batch.sampled.push_back(i);
  }
  batch.choices.resize(batch.requests.size());
}

// The first request without a choice is the call's own error.
Result<void> Finish(decant_batch& batch, const Output& output) {
  for (std::size_t i = 0; i < batch.sampled.size(); ++i) {
    Result<decant::Choice>& choice = batch.choices[i];
    if (choice.has_value()) {
      output.choices[batch.sampled[i]] = decant::capi::ChoiceOf(*choice);
    } else {
      Reject(batch, batch.sampled[i], std::move(choice).error());
    }
  }
  const auto failed = [](const std::optional<decant_error>& error) { return error.has_value(); };
  for (std::size_t i = 0; i < batch.errors.size() && output.statuses != nullptr; ++i) {
    output.statuses[i] = failed(batch.errors[i]) ? decant::capi::StatusOf(batch.errors[i]->error) : DECANT_OK;
  }
  const auto first = std::ranges::find_if(batch.errors, failed);
  if (first == batch.errors.end()) return {};
  decant::Error error = (*first)->error;
  error.message = "request " + std::to_string(first - batch.errors.begin()) + ": " + error.message;
  return std::unexpected(std::move(error));
}

}  // namespace

decant_status decant_batch_new(const decant_runtime* runtime, decant_batch** batch, decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(batch, "batch"));
    auto threads = runtime == nullptr ? nullptr : runtime->runtime;
    decant::capi::Give(std::make_unique<decant_batch>(std::move(threads)), batch);
    return {};
  });
}

decant_status decant_batch_sample(decant_batch* batch, const decant_request* requests, size_t count,
                                  decant_detail detail, decant_choice* choices, decant_status* statuses,
                                  decant_error** error) {
  bool sampled = false;
  const decant_status status = Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(batch, "batch"));
    batch->errors.clear();
    DECANT_CHECKED(CheckCount(count));
    DECANT_TRY(const auto wanted, decant::capi::DetailOf(detail));
    if (count == 0) return {};
    DECANT_CHECKED(Require(requests, "requests"));
    DECANT_CHECKED(Require(choices, "choices"));
    Prepare({requests, count}, *batch);
    batch->sampler.Sample(batch->requests, wanted, batch->choices);
    sampled = true;
    return Finish(*batch, {.choices = {choices, count}, .statuses = statuses});
  });
  // A count that no array can have says nothing of how long this one is.
  if (!sampled && statuses != nullptr && count <= kMostRequests) std::fill_n(statuses, count, status);
  return status;
}

const decant_error* decant_batch_error(const decant_batch* batch, size_t i) {
  if (batch == nullptr || i >= batch->errors.size() || !batch->errors[i].has_value()) return nullptr;
  return &*batch->errors[i];
}

void decant_batch_free(decant_batch* batch) { decant::capi::Take(batch); }
