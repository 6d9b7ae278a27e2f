// Classes of characters as switches on their UTF-8 bytes. Equal tails are one node, in one class as between classes.
#include <algorithm>
#include <vector>

#include "grammar/expr_store.h"

namespace decant::grammar {
namespace {

using Ranges = std::vector<CodePointRange>;

// What of the ranges lies in [first, last], less base.
Ranges Clip(std::span<const CodePointRange> ranges, char32_t first, char32_t last, char32_t base) {
  auto at = std::ranges::lower_bound(ranges, first, {}, &CodePointRange::last);
  Ranges clipped;
  for (; at != ranges.end() && at->first <= last; ++at) {
    clipped.push_back({std::max(at->first, first) - base, std::min(at->last, last) - base});
  }
  return clipped;
}

// Sorted, disjoint, not touching, scalar values only.
Ranges Normalise(std::span<const CodePointRange> ranges) {
  Ranges sorted;
  const auto keep = [&sorted](char32_t first, char32_t last, char32_t low, char32_t high) {
    first = std::max(first, low);
    last = std::min(last, high);
    if (first <= last) sorted.push_back({first, last});
  };
  for (const CodePointRange& range : ranges) {
    keep(range.first, range.last, 0, 0xD7FF);
    keep(range.first, range.last, 0xE000, 0x10FFFF);
  }
  std::ranges::sort(sorted, {}, &CodePointRange::first);
  Ranges merged;
  for (const CodePointRange& range : sorted) {
    if (!merged.empty() && range.first <= merged.back().last + 1) {
      merged.back().last = std::max(merged.back().last, range.last);
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

}  // namespace

// Of numbers of 6 * count bits, each as that many continuation bytes.
Expr ExprStore::ContinuationBytes(std::span<const CodePointRange> ranges, int count) {
  if (ranges.empty()) return kNothing;
  if (count == 1) {
    ByteSet set;
    for (const CodePointRange& range : ranges) {
      for (char32_t digit = range.first; digit <= range.last; ++digit) set.Add(static_cast<std::uint8_t>(0x80 + digit));
    }
    return Bytes(set);
  }
  const int shift = 6 * (count - 1);
  const char32_t last_below = (char32_t{1} << shift) - 1;
  std::vector<Arc> arcs;
  for (char32_t digit = ranges.front().first >> shift; digit <= ranges.back().last >> shift; ++digit) {
    const Ranges below = Clip(ranges, digit << shift, digit << shift | last_below, digit << shift);
    const auto byte = static_cast<std::uint8_t>(0x80 + digit);
    const bool same = !arcs.empty() && below.size() == 1 && below[0].first == 0 && below[0].last == last_below &&
                      arcs.back().next == any_tails_[static_cast<std::size_t>(count - 1)];
    arcs.push_back({byte, byte, same ? arcs.back().next : ContinuationBytes(below, count - 1)});
  }
  return Switch(arcs);
}

Expr ExprStore::CodePoints(std::span<const CodePointRange> given) {
  const Ranges ranges = Normalise(given);
  std::vector<Arc> arcs;
  for (const CodePointRange& range : Clip(ranges, 0, 0x7F, 0)) {
    arcs.push_back({static_cast<std::uint8_t>(range.first), static_cast<std::uint8_t>(range.last), kEmptyText});
  }
  struct Length {
    char32_t first, last;
    int tail;
    unsigned lead;
  };
  for (const Length& of : {Length{0x80, 0x7FF, 1, 0xC0}, {0x800, 0xFFFF, 2, 0xE0}, {0x10000, 0x10FFFF, 3, 0xF0}}) {
    const int shift = 6 * of.tail;
    const Ranges long_enough = Clip(ranges, of.first, of.last, 0);
    for (char32_t digit = of.first >> shift; digit <= of.last >> shift; ++digit) {
      const char32_t base = digit << shift;
      const Ranges below = Clip(long_enough, base, base | ((char32_t{1} << shift) - 1), base);
      const auto lead = static_cast<std::uint8_t>(of.lead + digit);
      arcs.push_back({lead, lead, ContinuationBytes(below, of.tail)});
    }
  }
  return Switch(arcs);
}

}  // namespace decant::grammar
