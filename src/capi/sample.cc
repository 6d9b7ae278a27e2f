// One row, one choice.
#include "capi/call.h"
#include "capi/handles.h"
#include "capi/row.h"
#include "decant/c.h"

using decant::Result;
using decant::capi::Call;
using decant::capi::Require;

decant_status decant_sample(const decant_sampler* sampler, const decant_row* row, decant_state* state,
                            decant_detail detail, decant_choice* choice, decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(sampler, "sampler"));
    DECANT_CHECKED(Require(row, "row"));
    DECANT_CHECKED(Require(state, "state"));
    DECANT_CHECKED(Require(choice, "choice"));
    DECANT_TRY(const auto wanted, decant::capi::DetailOf(detail));
    DECANT_TRY(const auto view, decant::capi::RowOf(*row));
    DECANT_TRY(const auto chosen, sampler->sampler->Choose(view, state->state, wanted));
    *choice = decant::capi::ChoiceOf(chosen);
    return {};
  });
}
