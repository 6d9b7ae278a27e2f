// A constraint over logits of your own: the sampler chooses, the constraint says from what. No model, no files.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "decant/constraint.h"
#include "decant/sampler.h"

namespace {

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {"drink": {"enum": ["tea", "coffee"]}, "cups": {"type": "integer", "minimum": 1, "maximum": 9}},
  "required": ["drink", "cups"],
  "additionalProperties": false
})";

constexpr decant::TokenId kEnd = 256;

// Tokens 0..255 are the bytes; the last one ends a text.
decant::Result<std::shared_ptr<const decant::ConstraintVocabulary>> MakeVocabulary() {
  std::vector<std::string> bytes;
  for (int b = 0; b < 256; ++b) bytes.emplace_back(1, static_cast<char>(b));
  bytes.emplace_back();
  const std::vector<std::string_view> views(bytes.begin(), bytes.end());
  const decant::TokenId end[] = {kEnd};
  return decant::ConstraintVocabulary::Of({.bytes = views, .special = end, .end = end});
}

decant::Result<std::string> Write(const decant::Grammar& grammar, const decant::Sampler& sampler) {
  // A model would give logits at every step; this one closes what it can, and shuns escapes.
  std::vector<float> logits(kEnd + 1, 0.0F);
  logits['}'] = 8;
  logits['\\'] = -30;
  decant::SamplerState state({.seed = 7});
  const auto constraint = grammar.Start();
  std::vector<std::uint32_t> mask((logits.size() + 31) / 32), structural(mask.size());
  std::string text;
  while (constraint->state() != decant::ConstraintState::kMustEnd) {
    constraint->FillMask(mask);
    constraint->FillStructural(structural);
    decant::RowView row = decant::RowView::F32(logits);
    row.mask = mask.data();
    row.structural = structural.data();
    DECANT_TRY(const decant::Choice choice, sampler.Sample(row, state, nullptr));
    DECANT_CHECKED(constraint->Accept(choice.token));
    state.Accept(choice.token);
    if (choice.token == kEnd) break;
    text += static_cast<char>(choice.token);
  }
  return text;
}

decant::Result<std::string> Run() {
  DECANT_TRY(auto vocabulary, MakeVocabulary());
  DECANT_TRY(const auto grammar,
             decant::CompileJsonSchema(vocabulary, kSchema, {.whitespace = decant::JsonWhitespace::kCompact}));
  DECANT_TRY(const auto sampler, decant::MakeSampler({}, grammar->row_length(), {}));
  return Write(*grammar, *sampler);
}

}  // namespace

int main() {
  const auto text = Run();
  if (!text.has_value()) {
    std::fprintf(stderr, "%s\n", text.error().message.c_str());
    return 1;
  }
  std::printf("%s\n", text->c_str());
  return 0;
}
