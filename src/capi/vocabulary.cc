// A vocabulary for constraints, as a handle.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "capi/call.h"
#include "capi/handles.h"
#include "capi/options.h"
#include "decant/c.h"
#include "decant/constraint.h"

using decant::Result;
using decant::capi::Call;
using decant::capi::Require;

namespace {

// The tokens' bytes, as they lie with the caller.
Result<std::vector<std::string_view>> BytesOf(const decant_vocabulary_options& options) {
  std::vector<std::string_view> bytes;
  if (options.count == 0) return bytes;
  DECANT_CHECKED(Require(options.bytes, "bytes"));
  DECANT_CHECKED(Require(options.lengths, "lengths"));
  bytes.reserve(options.count);
  for (std::size_t i = 0; i < options.count; ++i) {
    if (options.lengths[i] == 0) {
      bytes.emplace_back();
      continue;
    }
    DECANT_CHECKED(Require(options.bytes[i], "bytes of token " + std::to_string(i)));
    bytes.emplace_back(options.bytes[i], options.lengths[i]);
  }
  return bytes;
}

}  // namespace

decant_status decant_vocabulary_new(const decant_vocabulary_options* options, decant_vocabulary** vocabulary,
                                    decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(options, "options"));
    DECANT_CHECKED(Require(vocabulary, "vocabulary"));
    DECANT_CHECKED(decant::capi::RequireSize(
        options->size, sizeof(decant_vocabulary_options),
        {.type = "decant_vocabulary_options", .initialiser = "DECANT_VOCABULARY_OPTIONS_INIT"}));
    DECANT_TRY(const auto bytes, BytesOf(*options));
    DECANT_TRY(const auto special, decant::capi::TokensOf(options->special, options->special_size, "special"));
    DECANT_TRY(const auto end, decant::capi::TokensOf(options->end, options->end_size, "end"));
    DECANT_TRY(auto made, decant::ConstraintVocabulary::Of({.bytes = bytes,
                                                            .special = special,
                                                            .end = end,
                                                            .row_length = options->row_length,
                                                            .cache_bytes = options->cache_bytes}));
    decant::capi::Give(std::make_unique<decant_vocabulary>(decant_vocabulary{std::move(made)}), vocabulary);
    return {};
  });
}

size_t decant_vocabulary_row_length(const decant_vocabulary* vocabulary) {
  return vocabulary == nullptr ? 0 : vocabulary->vocabulary->row_length();
}
size_t decant_vocabulary_memory_bytes(const decant_vocabulary* vocabulary) {
  return vocabulary == nullptr ? 0 : vocabulary->vocabulary->memory_bytes();
}
size_t decant_vocabulary_cache_bytes(const decant_vocabulary* vocabulary) {
  return vocabulary == nullptr ? 0 : vocabulary->vocabulary->cache_bytes();
}

void decant_vocabulary_free(decant_vocabulary* vocabulary) { decant::capi::Take(vocabulary); }
