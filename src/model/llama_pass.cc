// Each step shares its rows, tiles or heads out to the threads; what one output is made of is never split. Failures are
// noted, not thrown: a bad row goes through the motions, so that the others need no second pass.
#include "model/llama_pass.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "core/check.h"
#include "core/math.h"
#include "model/rope.h"
#include "simd/attention.h"
#include "simd/row_kernels.h"

namespace decant::model {
namespace {

// Below this many rows, work on single rows is not worth waking threads for.
constexpr std::size_t kRowsWorthSharing = 4;

std::string LayerName(std::size_t layer, const char* what) { return "blk." + std::to_string(layer) + "." + what; }

void MarkFailed(PassRow& row, std::string where) {
  if (row.failed_at.empty()) row.failed_at = std::move(where);
}

}  // namespace

LlamaPass::Input::Input(std::size_t rows, std::size_t inputs)
    : width(inputs),
      values(rows * inputs),
      q(rows * inputs),
      scales(rows * (inputs / simd::kBlockInputs)),
      sums(rows * (inputs / simd::kBlockInputs)) {}

simd::Activations LlamaPass::Input::View(std::size_t rows) const {
  return {.rows = rows,
          .inputs = width,
          .values = values.data(),
          .q = q.data(),
          .scales = scales.data(),
          .sums = sums.data()};
}

LlamaPass::LlamaPass(const LlamaWeights& weights, Runtime& runtime)
    : weights_(weights), runtime_(runtime), layout_(weights.config), frequencies_(RopeFrequencies(weights.config)) {
  const LlamaConfig& c = weights.config;
  x_ = simd::AlignedBuffer<float>(kMaxRows * c.width);
  rope_ = simd::AlignedBuffer<float>(kMaxRows * c.rope_width);
  query_ = simd::AlignedBuffer<float>(kMaxRows * c.query_width());
  key_ = simd::AlignedBuffer<float>(kMaxRows * c.kv_width());
  value_ = simd::AlignedBuffer<float>(kMaxRows * c.kv_width());
  gate_ = simd::AlignedBuffer<float>(kMaxRows * c.feed_forward);
  up_ = simd::AlignedBuffer<float>(kMaxRows * c.feed_forward);
  halves_ = simd::AlignedBuffer<std::uint16_t>(kMaxRows * c.kv_width());
  normed_ = Input(kMaxRows, c.width);
  mixed_ = Input(kMaxRows, c.query_width());
  gated_ = Input(kMaxRows, c.feed_forward);
  scratch_.resize(static_cast<std::size_t>(std::max(1, runtime.threads())) * 4);
  scores_failed_.resize(kMaxRows * c.kv_heads);
}

std::uint64_t LlamaPass::BufferBytes(const LlamaConfig& c) {
  const auto input = [](std::uint64_t width) {
    return width * (sizeof(float) + sizeof(std::int16_t)) +
           width / simd::kBlockInputs * (sizeof(float) + sizeof(std::int32_t));
  };
  const std::uint64_t query = std::uint64_t{c.heads} * c.head_width, kv = std::uint64_t{c.kv_heads} * c.head_width;
  const std::uint64_t floats =
      std::uint64_t{c.width} + c.rope_width + query + 2 * kv + 2 * std::uint64_t{c.feed_forward};
  const std::uint64_t row = floats * sizeof(float) + kv * sizeof(std::uint16_t) + input(c.width) + input(query) +
                            input(c.feed_forward) + c.kv_heads;
  return kMaxRows * row;
}

LlamaPass::Needs LlamaPass::NeedsOf(std::initializer_list<const simd::PackedMatrix*> matrices) {
  int needs = 0;
  for (const simd::PackedMatrix* matrix : matrices) {
    needs |= static_cast<int>(matrix->is_quantized() ? Needs::kQuantized : Needs::kFloats);
  }
  return static_cast<Needs>(needs);
}

bool LlamaPass::Prepare(Input& input, std::size_t row, Needs needs) {
  const float* const values = input.values.data() + row * input.width;
  if (needs == Needs::kFloats) return simd::AllFinite(values, input.width);
  const std::size_t blocks = input.width / simd::kBlockInputs;
  return simd::QuantizeRow(values, input.width, input.q.data() + row * input.width, input.scales.data() + row * blocks,
                           input.sums.data() + row * blocks);
}

void LlamaPass::ForEach(std::size_t count, const std::function<void(std::size_t)>& body) {
  if (runtime_.threads() <= 1 || count < kRowsWorthSharing) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  const std::size_t tasks = std::min(count, static_cast<std::size_t>(runtime_.threads()) * 4);
  runtime_.Parallel(static_cast<int>(tasks), [&](int task) {
    const core::FloatingPointGuard guard;
    const auto t = static_cast<std::size_t>(task);
    for (std::size_t i = count * t / tasks; i < count * (t + 1) / tasks; ++i) body(i);
  });
}

void LlamaPass::Multiply(const Input& input, std::size_t rows, std::initializer_list<Product> products) {
  const simd::Activations x = input.View(rows);
  std::size_t tiles = 0;
  for (const Product& product : products) tiles += product.weights->tiles();
  const auto run = [&](std::size_t first, std::size_t last) {
    for (const Product& product : products) {
      const std::size_t here = product.weights->tiles();
      if (first < std::min(last, here)) {
        simd::MultiplyTiles(*product.weights, x, first, std::min(last, here), product.store, product.out,
                            product.stride);
      }
      if (last <= here) return;
      first = first > here ? first - here : 0;
      last -= here;
    }
  };
  const auto threads = static_cast<std::size_t>(std::max(1, runtime_.threads()));
  // With one row a share is a stretch of memory and takes its time; with many, smaller shares even out.
  const std::size_t tasks = std::min(tiles, rows < kRowsWorthSharing ? threads : threads * 4);
  if (threads == 1 || tasks <= 1) return run(0, tiles);
  runtime_.Parallel(static_cast<int>(tasks), [&](int task) {
    const core::FloatingPointGuard guard;
    const auto t = static_cast<std::size_t>(task);
    run(tiles * t / tasks, tiles * (t + 1) / tasks);
  });
}

void LlamaPass::Embed(std::span<PassRow> rows) {
  const LlamaConfig& c = weights_.config;
  blocks_.clear();
  table_.clear();
  for (const PassRow& row : rows) {
    table_.push_back(blocks_.size());
    for (std::size_t b = 0; b <= row.position / kKvBlockTokens; ++b) blocks_.push_back(row.sequence->block(b));
  }
  ForEach(rows.size(), [&](std::size_t r) {
    weights_.embedding->UnpackOutput(rows[r].token, x_.data() + r * c.width);
    RopeTable(frequencies_, rows[r].position, std::span(rope_.data() + r * c.rope_width, c.rope_width));
  });
}

void LlamaPass::StoreKeyValue(std::size_t layer, std::size_t row, PassRow& target) {
  const LlamaConfig& c = weights_.config;
  const std::span<const float> table(rope_.data() + row * c.rope_width, c.rope_width);
  float* const key = key_.data() + row * c.kv_width();
  ApplyRope(table, c.heads, c.head_width, query_.data() + row * c.query_width());
  ApplyRope(table, c.kv_heads, c.head_width, key);
  std::uint16_t* const halves = halves_.data() + row * c.kv_width();
  std::byte* const block = blocks_[table_[row] + target.position / kKvBlockTokens];
  const std::size_t place = target.position % kKvBlockTokens;
  if (!simd::ToHalves(key, c.kv_width(), halves)) return MarkFailed(target, LayerName(layer, "attn_k"));
  for (std::size_t h = 0; h < c.kv_heads; ++h) {
    simd::StoreKey(halves + h * c.head_width, c.head_width, place, block + layout_.key_offset(layer, h));
  }
  if (!simd::ToHalves(value_.data() + row * c.kv_width(), c.kv_width(), halves)) {
    return MarkFailed(target, LayerName(layer, "attn_v"));
  }
  for (std::size_t h = 0; h < c.kv_heads; ++h) {
    simd::StoreValue(halves + h * c.head_width, c.head_width, place, block + layout_.value_offset(layer, h));
  }
}

void LlamaPass::Attend(std::size_t layer, std::span<PassRow> rows) {
  const LlamaConfig& c = weights_.config;
  const std::size_t group = c.heads / c.kv_heads;
  const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(c.head_width)));
  const std::size_t count = rows.size() * c.kv_heads;
  std::size_t deepest = 0;
  for (const PassRow& row : rows) deepest = std::max(deepest, row.position + 1);
  const std::size_t scratch = simd::ScratchFloats(group, deepest);
  const auto threads = static_cast<std::size_t>(std::max(1, runtime_.threads()));
  const std::size_t tasks = threads == 1 ? 1 : std::min(count, scratch_.size());
  for (std::size_t t = 0; t < tasks; ++t) {
    if (scratch_[t].size() < scratch) scratch_[t] = simd::AlignedBuffer<float>(simd::RoundUp(scratch, 4096));
  }
  const auto run = [&](std::size_t task, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      // Head by head, so that a share of the work reads the same keys again.
      const std::size_t head = i / rows.size(), r = i % rows.size();
      std::uint8_t& failed = scores_failed_[r * c.kv_heads + head];
      failed = 0;
      if (!rows[r].failed_at.empty()) continue;
      const std::size_t at = r * c.query_width() + head * group * c.head_width;
      failed = !simd::Attend({.queries = query_.data() + at,
                              .heads = group,
                              .width = c.head_width,
                              .blocks = blocks_.data() + table_[r],
                              .key_offset = layout_.key_offset(layer, head),
                              .value_offset = layout_.value_offset(layer, head),
                              .positions = rows[r].position + 1,
                              .scale = scale,
                              .scratch = scratch_[task].data(),
                              .out = mixed_.values.data() + at});
    }
  };
  if (tasks == 1) {
    run(0, 0, count);
  } else {
    runtime_.Parallel(static_cast<int>(tasks), [&](int task) {
      const core::FloatingPointGuard guard;
      const auto t = static_cast<std::size_t>(task);
      run(t, count * t / tasks, count * (t + 1) / tasks);
    });
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (scores_failed_[i] != 0) MarkFailed(rows[i / c.kv_heads], LayerName(layer, "attn_scores"));
  }
}

void LlamaPass::Layer(std::size_t index, std::span<PassRow> rows) {
  const LlamaConfig& c = weights_.config;
  const LlamaLayer& layer = weights_.layers[index];
  const std::size_t n = rows.size();
  using enum simd::Store;

  const Needs attention_needs = NeedsOf({&layer.query, &layer.key, &layer.value});
  ForEach(n, [&](std::size_t r) {
    simd::RmsNorm(x_.data() + r * c.width, layer.attention_norm.data(), c.width, c.epsilon,
                  normed_.values.data() + r * c.width);
    if (!Prepare(normed_, r, attention_needs)) MarkFailed(rows[r], LayerName(index, "attn_norm"));
  });
  Multiply(normed_, n,
           {{&layer.query, kReplace, query_.data(), c.query_width()},
            {&layer.key, kReplace, key_.data(), c.kv_width()},
            {&layer.value, kReplace, value_.data(), c.kv_width()}});
  ForEach(n, [&](std::size_t r) { StoreKeyValue(index, r, rows[r]); });
  Attend(index, rows);
  const Needs output_needs = NeedsOf({&layer.output});
  ForEach(n, [&](std::size_t r) {
    if (!Prepare(mixed_, r, output_needs)) MarkFailed(rows[r], LayerName(index, "attn_output"));
  });
  Multiply(mixed_, n, {{&layer.output, kAdd, x_.data(), c.width}});

  const Needs gate_needs = NeedsOf({&layer.gate, &layer.up});
  ForEach(n, [&](std::size_t r) {
    simd::RmsNorm(x_.data() + r * c.width, layer.feed_forward_norm.data(), c.width, c.epsilon,
                  normed_.values.data() + r * c.width);
    if (!Prepare(normed_, r, gate_needs)) MarkFailed(rows[r], LayerName(index, "ffn_norm"));
  });
  Multiply(normed_, n,
           {{&layer.gate, kReplace, gate_.data(), c.feed_forward}, {&layer.up, kReplace, up_.data(), c.feed_forward}});
  const Needs down_needs = NeedsOf({&layer.down});
  ForEach(n, [&](std::size_t r) {
    const std::size_t at = r * c.feed_forward;
    simd::SwiGlu(gate_.data() + at, up_.data() + at, c.feed_forward, gated_.values.data() + at);
    if (!Prepare(gated_, r, down_needs)) MarkFailed(rows[r], LayerName(index, "ffn_down"));
  });
  Multiply(gated_, n, {{&layer.down, kAdd, x_.data(), c.width}});
}

void LlamaPass::Logits(std::span<PassRow> rows, float* logits) {
  const LlamaConfig& c = weights_.config;
  std::vector<std::size_t> wanting;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].wants_logits) wanting.push_back(r);
  }
  if (wanting.empty()) return;
  const Needs needs = NeedsOf({weights_.head.get()});
  ForEach(wanting.size(), [&](std::size_t i) {
    simd::RmsNorm(x_.data() + wanting[i] * c.width, weights_.output_norm.data(), c.width, c.epsilon,
                  normed_.values.data() + i * c.width);
    if (!Prepare(normed_, i, needs)) MarkFailed(rows[wanting[i]], "output_norm");
  });
  Multiply(normed_, wanting.size(), {{weights_.head.get(), simd::Store::kReplace, logits, c.vocabulary}});
}

void LlamaPass::Run(std::span<PassRow> rows, float* logits) {
  DECANT_CHECK(rows.size() <= kMaxRows);
  Embed(rows);
  for (std::size_t layer = 0; layer < weights_.layers.size(); ++layer) Layer(layer, rows);
  Logits(rows, logits);
}

}  // namespace decant::model
