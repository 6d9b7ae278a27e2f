// The loop over a scripted model: every stop, streaming, and what it refuses.
#include "decant/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace decant {
namespace {

// A model of letters: token i is the i-th piece; after a prefix of n tokens it wants the n-th scripted one.
class ScriptedModel final : public LanguageModel {
 public:
  ScriptedModel(std::size_t vocabulary, std::size_t context, std::vector<TokenId> script)
      : vocabulary_(vocabulary), context_(context), script_(std::move(script)) {}

  std::size_t vocabulary_size() const override { return vocabulary_; }
  std::size_t context_length() const override { return context_; }
  KvSequence Start() const override { return KvSequence(pool_); }
  Result<std::vector<RowError>> Forward(std::span<const Row> rows, std::span<float> logits) const override {
    std::size_t out = 0;
    for (const Row& row : rows) {
      DECANT_CHECKED(row.sequence->Reserve(1));
      row.sequence->Advance(1);
      ++rows_;
      if (!row.wants_logits) continue;
      for (std::size_t id = 0; id < vocabulary_; ++id) {
        logits[out++] = id == script_[row.position % script_.size()] ? 10.0f : 0.0f;
      }
    }
    return std::vector<RowError>();
  }
  std::size_t rows() const { return rows_; }

 private:
  std::size_t vocabulary_, context_;
  std::vector<TokenId> script_;
  std::shared_ptr<BlockPool> pool_ = std::make_shared<BlockPool>(64, 64);
  mutable std::size_t rows_ = 0;
};

class Pieces final : public Tokenizer {
 public:
  explicit Pieces(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}
  std::size_t vocabulary_size() const override { return pieces_.size(); }
  std::vector<TokenId> Encode(std::string_view, SpecialText) const override { return {}; }
  std::string_view Bytes(TokenId id) const override { return pieces_[id]; }
  Result<std::string> Decode(std::span<const TokenId>) const override { return std::string(); }
  TokenKind kind(TokenId) const override { return TokenKind::kNormal; }
  std::optional<TokenId> Find(std::string_view bytes) const override {
    const auto piece = std::ranges::find(pieces_, bytes);
    if (piece == pieces_.end()) return std::nullopt;
    return static_cast<TokenId>(piece - pieces_.begin());
  }
  std::optional<TokenId> bos() const override { return std::nullopt; }
  std::optional<TokenId> eos() const override { return std::nullopt; }
  bool add_bos() const override { return false; }
  std::string_view name() const override { return "pieces"; }

 private:
  std::vector<std::string> pieces_;
};

class GenerateTest : public ::testing::Test {
 protected:
  // Greedy generation along the script (script[n] is the token after a prefix of n + 1 tokens).
  Result<Generation> Go(std::vector<TokenId> script, GenerateOptions options, std::vector<TokenId> prompt = {0}) {
    const ScriptedModel model(pieces_.vocabulary_size(), context_, std::move(script));
    const auto sampler = MakeSampler(chain_, pieces_.vocabulary_size(), {});
    SamplerState state({.prompt = prompt});
    shown_.clear();
    chunks_.clear();
    auto result = Generate(model, &pieces_, prompt, **sampler, state, options,
                           {.on_prefill = nullptr,
                            .on_text =
                                [this](std::string_view text) {
                                  shown_ += text;
                                  chunks_.emplace_back(text);
                                },
                            .on_step = nullptr});
    rows_ = model.rows();
    return result;
  }

  Pieces pieces_{{"a", "b", "DEF", "G", "HI", "J", "\xF0\x9F", "\x98\x8A", "</s>"}};
  std::size_t context_ = 100;
  Chain chain_ = {{StageId::kTemperature, TemperatureParams{0}}};
  std::string shown_;
  std::vector<std::string> chunks_;
  std::size_t rows_ = 0;
};

TEST_F(GenerateTest, StopsAtTheTokenLimit) {
  const auto out = Go({1}, {.max_tokens = 3});
  ASSERT_TRUE(out.has_value()) << out.error().message;
  EXPECT_EQ(out->tokens, (std::vector<TokenId>{1, 1, 1}));
  EXPECT_EQ(out->text, "bbb");
  EXPECT_EQ(shown_, "bbb");
  EXPECT_EQ(out->stop, StopReason::kTokenLimit);
  EXPECT_EQ(out->model_calls, 3u);
}

TEST_F(GenerateTest, NoTokensAskedForIsNoModelCall) {
  const auto out = Go({1}, {.max_tokens = 0});
  EXPECT_EQ(out->stop, StopReason::kTokenLimit);
  EXPECT_EQ(out->model_calls, 0u);
}

TEST_F(GenerateTest, EosStaysInTheTokensButNotInTheText) {
  const auto out = Go({1, 8}, {.eos = 8});
  EXPECT_EQ(out->tokens, (std::vector<TokenId>{1, 8}));
  EXPECT_EQ(out->text, "b");
  EXPECT_EQ(out->stop, StopReason::kEos);
  EXPECT_EQ(Go({1, 8}, {.stop_token_ids = {8}})->stop, StopReason::kStopToken);
}

TEST_F(GenerateTest, EosComesBeforeTheTokenLimit) {
  EXPECT_EQ(Go({8}, {.max_tokens = 1, .eos = 8})->stop, StopReason::kEos);
}

TEST_F(GenerateTest, CutsAStopStringThatSpansTokensAndShowsNothingOfIt) {
  const auto out = Go({1, 2, 3, 4, 5}, {.max_tokens = 50, .stop_strings = {"DEFGHIJ"}});
  EXPECT_EQ(out->tokens, (std::vector<TokenId>{1, 2, 3, 4, 5}));
  EXPECT_EQ(out->text, "b");
  EXPECT_EQ(shown_, "b");
  EXPECT_EQ(out->stop, StopReason::kStopString);
  EXPECT_EQ(out->stop_string, "DEFGHIJ");
}

TEST_F(GenerateTest, CutsInsideAToken) {
  EXPECT_EQ(Go({1, 2}, {.max_tokens = 50, .stop_strings = {"EF"}})->text, "bD");
  EXPECT_EQ(shown_, "bD");
}

TEST_F(GenerateTest, FlushesAStopStringThatNeverCompletes) {
  const auto out = Go({1, 2, 3, 1}, {.max_tokens = 3, .stop_strings = {"DEFGHIJ"}});
  EXPECT_EQ(out->text, "bDEFG");
  EXPECT_EQ(shown_, "bDEFG");
}

TEST_F(GenerateTest, ShowsWholeCodePointsOnly) {
  const auto out = Go({6, 7}, {.max_tokens = 4});
  EXPECT_EQ(shown_, "\xF0\x9F\x98\x8A\xF0\x9F\x98\x8A");
  EXPECT_EQ(chunks_.size(), 2u);
  EXPECT_EQ(out->text, shown_);
  EXPECT_EQ(Go({6, 1}, {.max_tokens = 2})->text,
            "\xF0\x9F"
            "b");  // the bytes are kept,
  EXPECT_EQ(shown_,
            "\xEF\xBF\xBD"
            "b");  // shown as U+FFFD
}

TEST_F(GenerateTest, AFullContextEmitsOneMoreToken) {
  context_ = 2;
  const auto out = Go({1}, {.max_tokens = 9});
  EXPECT_EQ(out->tokens.size(), 2u);
  EXPECT_EQ(out->stop, StopReason::kContext);
  EXPECT_EQ(Go({1}, {.max_tokens = 9}, {0, 0})->tokens.size(), 1u);
}

TEST_F(GenerateTest, ChunksAndTheCacheDoNotChangeTheTokens) {
  const std::vector<TokenId> script = {1, 2, 3, 4, 5, 6, 7}, prompt(5, 0);
  const auto expected = Go(script, {.max_tokens = 6}, prompt)->tokens;
  EXPECT_EQ(rows_, 10u);
  for (const std::size_t chunk : {1u, 2u, 5u}) {
    EXPECT_EQ(Go(script, {.max_tokens = 6, .prefill_chunk = chunk}, prompt)->tokens, expected);
  }
  EXPECT_EQ(Go(script, {.max_tokens = 6, .kv_cache = KvCacheUse::kOff}, prompt)->tokens, expected);
  EXPECT_EQ(rows_, 5u + 6 + 7 + 8 + 9 + 10);
}

TEST_F(GenerateTest, ASlidingContextGoesOnWithTheLastTokensThatFit) {
  context_ = 3;
  const auto out = Go({1, 2, 3}, {.max_tokens = 7, .at_context_end = ContextEnd::kSlide}, {0, 0});
  ASSERT_TRUE(out.has_value()) << out.error().message;
  EXPECT_EQ(out->stop, StopReason::kTokenLimit);
  // After 2 and 3 tokens the script's places 1 and 2; from then on the model sees three tokens each time.
  EXPECT_EQ(out->tokens, (std::vector<TokenId>{2, 3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(rows_, 2u + 1 + 5 * 3);
}

TEST_F(GenerateTest, StopTextsWaitForMinTokens) {
  const auto out = Go({1}, {.max_tokens = 9, .stop_strings = {"bb"}, .min_tokens = 4});
  EXPECT_EQ(out->tokens.size(), 4u);
  EXPECT_EQ(out->text, "bb");
  EXPECT_EQ(out->stop, StopReason::kStopString);
}

TEST_F(GenerateTest, APrefixCacheSparesTheTokensItHolds) {
  const std::vector<TokenId> script = {1, 2, 3, 4, 5, 6, 7};
  PrefixCache cache;
  const auto first = Go(script, {.max_tokens = 3, .cache = &cache}, {0, 0, 0});
  EXPECT_EQ(cache.tokens, (std::vector<TokenId>{0, 0, 0, 3, 4}));  // the last token was not computed yet
  EXPECT_EQ(rows_, 5u);
  const std::vector<TokenId> longer = {0, 0, 0, 3, 4, 5, 1};
  const auto plain = Go(script, {.max_tokens = 2}, longer);
  const auto second = Go(script, {.max_tokens = 2, .cache = &cache}, longer);
  EXPECT_EQ(second->tokens, plain->tokens);
  EXPECT_EQ(rows_, 2u + 1);
  // A prompt that parts earlier, and one that is the cache itself: its last token is computed anew.
  EXPECT_EQ(Go(script, {.max_tokens = 1, .cache = &cache}, {0, 1})->tokens, (std::vector<TokenId>{2}));
  EXPECT_EQ(rows_, 1u);
  EXPECT_EQ(Go(script, {.max_tokens = 1, .cache = &cache}, {0, 1})->tokens, (std::vector<TokenId>{2}));
  EXPECT_EQ(rows_, 1u);
}

// Allows the tokens of a list one after the other, then ends.
class OneAfterTheOther final : public Constraint {
 public:
  explicit OneAfterTheOther(std::vector<TokenId> tokens) : tokens_(std::move(tokens)) {}
  void FillMask(std::span<std::uint32_t> mask) const override {
    std::ranges::fill(mask, 0u);
    const TokenId token = next_ < tokens_.size() ? tokens_[next_] : 8;
    mask[token / 32] |= 1u << (token % 32);
  }
  void FillStructural(std::span<std::uint32_t> structural) const override { std::ranges::fill(structural, 0u); }
  Result<void> Accept(TokenId) override { return ++next_, Result<void>(); }
  std::size_t Validate(std::span<const TokenId>) const override { return 0; }
  void RollBack(std::size_t n) override { next_ -= n; }
  std::unique_ptr<Constraint> Fork() const override { return std::make_unique<OneAfterTheOther>(*this); }
  ConstraintState state() const override {
    return next_ < tokens_.size() ? ConstraintState::kOpen : ConstraintState::kMustEnd;
  }
  std::vector<TokenId> ForcedTokens() const override {
    return {tokens_.begin() + static_cast<std::ptrdiff_t>(next_), tokens_.end()};
  }

 private:
  std::vector<TokenId> tokens_;
  std::size_t next_ = 0;
};

// Allows every token.
class AllowsAll final : public Constraint {
 public:
  void FillMask(std::span<std::uint32_t> mask) const override {
    for (std::uint32_t id = 0; id < 9; ++id) mask[id / 32] |= 1u << (id % 32);
  }
  void FillStructural(std::span<std::uint32_t> structural) const override { std::ranges::fill(structural, 0u); }
  Result<void> Accept(TokenId) override { return {}; }
  std::size_t Validate(std::span<const TokenId> tokens) const override { return tokens.size(); }
  void RollBack(std::size_t) override {}
  std::unique_ptr<Constraint> Fork() const override { return std::make_unique<AllowsAll>(*this); }
  ConstraintState state() const override { return ConstraintState::kMayEnd; }
  std::vector<TokenId> ForcedTokens() const override { return {}; }
};

TEST_F(GenerateTest, BansGiveWayToNoConstraintThatAllowsEverything) {
  chain_ = {{StageId::kAllowedTokens, TokenListParams{{1}}}, {StageId::kBannedTokens, TokenListParams{{1}}}};
  EXPECT_EQ(Go({1}, {.max_tokens = 1}).error().code, ErrorCode::kEmptySupport);
  AllowsAll constraint;
  const auto out = Go({1}, {.max_tokens = 1, .constraint = &constraint});
  ASSERT_FALSE(out.has_value());
  EXPECT_EQ(out.error().code, ErrorCode::kEmptySupport);
}

TEST_F(GenerateTest, AConstraintDecidesWhatMayComeAndEndsTheText) {
  OneAfterTheOther constraint({3, 4});
  const auto out = Go({1}, {.max_tokens = 9, .eos = 8, .constraint = &constraint});
  ASSERT_TRUE(out.has_value()) << out.error().message;
  EXPECT_EQ(out->tokens, (std::vector<TokenId>{3, 4}));
  EXPECT_EQ(out->stop, StopReason::kGrammarEnd);
  EXPECT_EQ(out->complete, true);
}

TEST_F(GenerateTest, AConstraintThatNothingMayFollowEndsBeforeTheFirstToken) {
  OneAfterTheOther constraint({});
  const auto out = Go({1}, {.max_tokens = 9, .constraint = &constraint});
  EXPECT_EQ(out->stop, StopReason::kGrammarEnd);
  EXPECT_TRUE(out->tokens.empty());
  EXPECT_EQ(out->model_calls, 0u);
}

TEST_F(GenerateTest, SaysWhetherTheConstraintsTextIsWhole) {
  OneAfterTheOther cut({3, 4});
  EXPECT_EQ(Go({1}, {.max_tokens = 1, .constraint = &cut})->complete, false);
  EXPECT_EQ(Go({1}, {.max_tokens = 1})->complete, std::nullopt);
  AllowsAll ends_anywhere;
  EXPECT_EQ(Go({1}, {.max_tokens = 1, .constraint = &ends_anywhere})->complete, true);
  // What a stop text cut is not what the constraint saw.
  const auto stopped = Go({1, 2}, {.max_tokens = 9, .stop_strings = {"EF"}, .constraint = &ends_anywhere});
  EXPECT_EQ(stopped->stop, StopReason::kStopString);
  EXPECT_EQ(stopped->complete, false);
  OneAfterTheOther stop_token({3, 4});
  EXPECT_EQ(Go({1}, {.stop_token_ids = {3}, .constraint = &stop_token})->complete, false);
  OneAfterTheOther healing({3, 4});
  EXPECT_EQ(Go({1}, {.max_tokens = 1, .constraint = &healing, .healed_bytes = 1})->complete, std::nullopt);
}

// One of a few texts over the pieces, "</s>" where one is whole.
class OneOfTexts : public Constraint {
 public:
  OneOfTexts(const Tokenizer& tokenizer, std::vector<std::string> texts)
      : tokenizer_(&tokenizer), texts_(std::move(texts)) {}
  void FillMask(std::span<std::uint32_t> mask) const override {
    std::ranges::fill(mask, 0u);
    for (TokenId id = 0; id < tokenizer_->vocabulary_size(); ++id) {
      if (Validate({&id, 1}) == 1) mask[id / 32] |= 1u << (id % 32);
    }
  }
  void FillStructural(std::span<std::uint32_t> structural) const override { std::ranges::fill(structural, 0u); }
  Result<void> Accept(TokenId token) override {
    if (token == 8 && std::ranges::find(texts_, written_) != texts_.end()) return {};
    const std::string next = written_ + std::string(tokenizer_->Bytes(token));
    if (!Goes(next)) return Fail(ErrorCode::kConstraintViolated, "no text goes on so");
    written_ = next;
    return {};
  }
  std::size_t Validate(std::span<const TokenId> tokens) const override {
    OneOfTexts ahead(*this);
    const auto refused = std::ranges::find_if(tokens, [&ahead](TokenId token) { return !ahead.Accept(token); });
    return static_cast<std::size_t>(refused - tokens.begin());
  }
  void RollBack(std::size_t) override {}
  std::unique_ptr<Constraint> Fork() const override { return std::make_unique<OneOfTexts>(*this); }
  ConstraintState state() const override {
    const bool whole = std::ranges::find(texts_, written_) != texts_.end();
    const bool more = std::ranges::any_of(
        texts_, [this](const std::string& text) { return text != written_ && text.starts_with(written_); });
    if (whole) return more ? ConstraintState::kMayEnd : ConstraintState::kMustEnd;
    return more ? ConstraintState::kOpen : ConstraintState::kDead;
  }
  std::vector<TokenId> ForcedTokens() const override { return {}; }
  std::optional<std::string> ShortestEnd() const override {
    std::optional<std::string> best;
    for (const std::string& text : texts_) {
      if (!text.starts_with(written_)) continue;
      if (!best || text.size() - written_.size() < best->size()) best = text.substr(written_.size());
    }
    return best;
  }

 private:
  bool Goes(const std::string& start) const {
    return std::ranges::any_of(texts_, [&](const std::string& text) { return text.starts_with(start); });
  }
  const Tokenizer* tokenizer_;
  std::vector<std::string> texts_;
  std::string written_;
};

TEST_F(GenerateTest, ClosesTheTextBeforeTheLimitCutsIt) {
  const std::vector<std::string> texts = {"bG", "aaaaaaaG"};
  const std::vector<TokenId> script = {0, 0, 0, 0, 0, 0, 0, 3};
  OneOfTexts roomy(pieces_, texts);
  const auto free = Go(script, {.max_tokens = 8, .constraint = &roomy, .close_on_budget = true});
  ASSERT_TRUE(free.has_value()) << free.error().message;
  EXPECT_EQ(free->text, "aaaaaaaG");
  EXPECT_EQ(free->closing_tokens, 0u);
  OneOfTexts tight(pieces_, texts);
  const auto closed = Go(script, {.max_tokens = 7, .constraint = &tight, .close_on_budget = true});
  EXPECT_EQ(closed->text, "bG");
  EXPECT_EQ(closed->closing_tokens, 1u);  // G then came by itself
  EXPECT_EQ(closed->complete, true);
  OneOfTexts cut(pieces_, texts);
  EXPECT_EQ(Go(script, {.max_tokens = 7, .constraint = &cut})->complete, false);
  OneOfTexts little(pieces_, texts);
  const auto refused = Go(script, {.max_tokens = 1, .constraint = &little, .close_on_budget = true});
  EXPECT_EQ(refused.error().message, "the shortest text of the constraint has 2 tokens; there is room for 1");
}

// The shortest end that it finds after a first token is longer than that of before.
class ForgetfulTexts : public OneOfTexts {
 public:
  using OneOfTexts::OneOfTexts;
  std::unique_ptr<Constraint> Fork() const override { return std::make_unique<ForgetfulTexts>(*this); }
  std::optional<std::string> ShortestEnd() const override {
    auto end = OneOfTexts::ShortestEnd();
    if (end == "bG") return "bbbbG";
    return end;
  }
};

TEST_F(GenerateTest, ClosesByTheEndThatItKnows) {
  ForgetfulTexts constraint(pieces_, {"abG", "abbbbG", "aaaaaaaG"});
  const auto out = Go({0, 0, 0, 0, 0}, {.max_tokens = 4, .constraint = &constraint, .close_on_budget = true});
  ASSERT_TRUE(out.has_value()) << out.error().message;
  EXPECT_EQ(out->text, "abG");
  EXPECT_EQ(out->complete, true);
}

TEST_F(GenerateTest, ClosesAWholeTextByItsEndToken) {
  OneOfTexts constraint(pieces_, {"b", "bbbb"});
  const auto out = Go({1}, {.max_tokens = 3, .eos = 8, .constraint = &constraint, .close_on_budget = true});
  ASSERT_TRUE(out.has_value()) << out.error().message;
  EXPECT_EQ(out->text, "b");
  EXPECT_EQ(out->stop, StopReason::kEos);
  EXPECT_EQ(out->complete, true);
  EXPECT_EQ(out->closing_tokens, 1u);
}

TEST_F(GenerateTest, ClosesBeforeTheContextIsFull) {
  context_ = 4;
  OneOfTexts constraint(pieces_, {"bG", "aaaaaaaG"});
  const auto out = Go({0}, {.constraint = &constraint, .close_on_budget = true});
  ASSERT_TRUE(out.has_value()) << out.error().message;
  EXPECT_EQ(out->text, "bG");
}

TEST_F(GenerateTest, NamesADeadEnd) {
  OneOfTexts constraint(pieces_, {"a", "bx"});  // no piece writes x
  const auto out = Go({1}, {.max_tokens = 9, .constraint = &constraint});
  ASSERT_TRUE(out.has_value()) << out.error().message;
  EXPECT_EQ(out->stop, StopReason::kGrammarDeadEnd);
  EXPECT_EQ(out->text, "b");
  EXPECT_EQ(out->complete, false);
}

TEST_F(GenerateTest, CancelAndTimeEndItWithWhatThereIs) {
  std::stop_source source;
  source.request_stop();
  const auto cancelled = Go({1}, {.cancel = source.get_token()});
  EXPECT_EQ(cancelled->stop, StopReason::kCancelled);
  EXPECT_TRUE(cancelled->tokens.empty());
  const auto timed = Go({1}, {.max_time = std::chrono::nanoseconds(1)});
  EXPECT_EQ(timed->stop, StopReason::kTime);
  EXPECT_EQ(timed->tokens.size(), 1u);
}

TEST_F(GenerateTest, RefusesWhatItCannotDoByName) {
  EXPECT_EQ(Go({1}, {}, {}).error().code, ErrorCode::kEmptyPrompt);
  EXPECT_EQ(Go({1}, {}, std::vector<TokenId>(101, 0)).error().message,
            "the prompt has 101 tokens; the context holds 100");
  EXPECT_EQ(Go({1}, {}, {0, 9}).error().message,
            "prompt token 9 at position 1 is outside the vocabulary; expected 0..8");
  EXPECT_EQ(Go({1}, {.eos = 9}).error().code, ErrorCode::kTokenOutOfRange);
  EXPECT_EQ(Go({1}, {.stop_strings = {""}}).error().code, ErrorCode::kOutOfRange);
  EXPECT_EQ(Go({1}, {.prefill_chunk = 0}).error().code, ErrorCode::kOutOfRange);
}

}  // namespace
}  // namespace decant
