// What a sequence remembers, as a handle that also knows how far it may be rolled back.
#include <string>

#include "capi/call.h"
#include "capi/handles.h"
#include "capi/options.h"
#include "decant/c.h"
#include "decant/sampler.h"

using decant::Result;
using decant::capi::Call;
using decant::capi::Require;

namespace {

Result<decant::SamplerStateOptions> OptionsOf(const decant_state_options& options) {
  DECANT_CHECKED(
      decant::capi::RequireSize(options.size, sizeof(decant_state_options),
                                {.type = "decant_state_options", .initialiser = "DECANT_STATE_OPTIONS_INIT"}));
  DECANT_CHECKED(decant::capi::RequireZero(options.reserved, "reserved of decant_state_options"));
  decant::SamplerStateOptions made{.seed = options.seed, .sequence = options.sequence};
  DECANT_TRY(made.prompt, decant::capi::TokensOf(options.prompt, options.prompt_size, "prompt"));
  DECANT_TRY(made.output, decant::capi::TokensOf(options.output, options.output_size, "output"));
  if (options.position != DECANT_POSITION_OF_TOKENS) made.position = options.position;
  return made;
}

}  // namespace

decant_status decant_state_new(const decant_state_options* options, decant_state** state, decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(state, "state"));
    const decant_state_options defaults = DECANT_STATE_OPTIONS_INIT;
    DECANT_TRY(const auto made, OptionsOf(options == nullptr ? defaults : *options));
    decant::capi::Give(std::make_unique<decant_state>(decant_state{decant::SamplerState(made)}), state);
    return {};
  });
}

decant_status decant_state_accept(decant_state* state, uint32_t token, decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(state, "state"));
    state->state.Accept(token);
    ++state->accepted;
    return {};
  });
}

void decant_state_commit_draw(decant_state* state) {
  if (state != nullptr) state->state.CommitDraw();
}

decant_status decant_state_roll_back(decant_state* state, size_t n, decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(state, "state"));
    if (n > state->accepted) {
      const std::string allowed = "0.." + std::to_string(state->accepted);
      return decant::Fail(
          decant::ErrorCode::kOutOfRange,
          "n is " + std::to_string(n) + " tokens to take back; expected " + allowed + ", as many as were accepted",
          {.subject = "n", .allowed = allowed});
    }
    state->state.RollBack(n);
    state->accepted -= n;
    return {};
  });
}

decant_status decant_state_clone(const decant_state* state, decant_state** clone, decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(state, "state"));
    DECANT_CHECKED(Require(clone, "clone"));
    decant::capi::Give(std::make_unique<decant_state>(*state), clone);
    return {};
  });
}

uint64_t decant_state_position(const decant_state* state) { return state == nullptr ? 0 : state->state.position(); }
uint64_t decant_state_seed(const decant_state* state) { return state == nullptr ? 0 : state->state.seed(); }
uint32_t decant_state_sequence(const decant_state* state) { return state == nullptr ? 0 : state->state.sequence(); }

const uint32_t* decant_state_tokens(const decant_state* state, size_t* size) {
  if (size != nullptr) *size = 0;
  if (state == nullptr || size == nullptr) return nullptr;
  const auto tokens = state->state.history().tokens();
  *size = tokens.size();
  return tokens.empty() ? nullptr : tokens.data();
}

void decant_state_free(decant_state* state) { decant::capi::Take(state); }
