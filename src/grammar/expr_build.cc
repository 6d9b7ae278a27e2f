// Concatenations, unions and intersections, and how they are simplified as they are made.
//
// Two rules keep counted repetitions small. Parts of a union that differ in the counts of one repetition, where the
// counts touch, are one part: x{3,5}y|x{6,9}y is x{3,9}y, so an unanchored search for x{500} has few states. And
// repetitions of single characters intersect by their counts: [a-z]*&.{3,9} is [a-z]{3,9}.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "grammar/expr_store.h"
#include "grammar/part_room.h"

namespace decant::grammar {
namespace {

bool IsSwitch(const ExprNode& n) { return n.kind == ExprKind::kBytes || n.kind == ExprKind::kSwitch; }

std::optional<std::uint64_t> AddCounts(std::uint64_t a, std::uint64_t b) {
  if (a == kUnbounded || b == kUnbounded) return kUnbounded;
  if (a + b < a || a + b == kUnbounded) return std::nullopt;
  return a + b;
}

void SortUnique(std::pmr::vector<Expr>& parts) {
  std::ranges::sort(parts);
  parts.erase(std::ranges::unique(parts).begin(), parts.end());
}

}  // namespace

Expr ExprStore::Concat(Expr first, Expr second) {
  if (node(first).has_text == Existence::kNo || node(second).has_text == Existence::kNo) return kNothing;
  if (first == kEmptyText) return second;
  if (second == kEmptyText) return first;
  if (node(first).kind != ExprKind::kConcat) return Join(first, second);
  // A short chain is hung up anew, so that equal texts are equal nodes; a long one stays, as copying it each time
  // would cost its length at every step through it.
  constexpr std::size_t kShort = 8;
  std::array<Expr, kShort> chain;
  std::size_t length = 0;
  Expr last = first;
  for (; node(last).kind == ExprKind::kConcat; last = Expr{node(last).b}) {
    if (length == kShort || node(Expr{node(last).a}).kind == ExprKind::kConcat) return InternConcat(first, second);
    chain[length++] = Expr{node(last).a};
  }
  Expr whole = Join(last, second);
  while (length > 0) whole = Join(chain[--length], whole);
  return whole;
}

Expr ExprStore::Join(Expr first, Expr second) {
  if (const auto joined = JoinLiterals(first, second)) return *joined;
  if (const auto joined = JoinCounts(first, second)) return *joined;
  return InternConcat(first, second);
}

std::optional<Expr> ExprStore::JoinLiterals(Expr first, Expr second) {
  constexpr std::size_t kLongest = 64;
  std::array<char, kLongest> bytes;
  std::size_t length = 0;
  const auto append = [&](Expr e) {
    const ExprNode& n = node(e);
    if (n.kind == ExprKind::kLiteral && length + n.b <= kLongest) {
      std::ranges::copy(literal(n), bytes.begin() + static_cast<std::ptrdiff_t>(length));
      length += n.b;
      return true;
    }
    if (n.kind != ExprKind::kBytes || length == kLongest) return false;
    const auto& words = set(n).words;
    int only = -1;
    for (int w = 0; w < 4; ++w) {
      const std::uint64_t word = words[static_cast<std::size_t>(w)];
      if (word == 0) continue;
      if (only >= 0 || !std::has_single_bit(word)) return false;
      only = 64 * w + std::countr_zero(word);
    }
    bytes[length++] = static_cast<char>(only);
    return true;
  };
  if (!append(first)) return std::nullopt;
  const ExprNode& after = node(second);
  const bool more = after.kind == ExprKind::kConcat;
  const Expr rest = more ? Expr{after.b} : kEmptyText;
  if (!append(more ? Expr{after.a} : second)) return std::nullopt;
  const Expr head = Literal({bytes.data(), length});
  return more ? InternConcat(head, rest) : head;
}

std::optional<Expr> ExprStore::JoinCounts(Expr first, Expr second) {
  const ExprNode &a = node(first), &after = node(second);
  const bool more = after.kind == ExprKind::kConcat;
  const Expr head = more ? Expr{after.a} : second;
  const ExprNode& b = node(head);
  const bool repeats_first = a.kind == ExprKind::kRepeat, repeats_head = b.kind == ExprKind::kRepeat;
  if (!repeats_first && !repeats_head) return std::nullopt;
  const Expr body = repeats_first ? Expr{a.a} : first;
  if (body != (repeats_head ? Expr{b.a} : head)) return std::nullopt;
  constexpr Counts kOnce{.least = 1, .most = 1};
  const Counts x = repeats_first ? counts(a) : kOnce, y = repeats_head ? counts(b) : kOnce;
  const auto least = AddCounts(x.least, y.least), most = AddCounts(x.most, y.most);
  if (!least || !most || *least == kUnbounded) return std::nullopt;
  const Expr rest = more ? Expr{after.b} : kEmptyText;
  const Expr all = Repeat(body, *least, *most);
  return more ? InternConcat(all, rest) : all;
}

Expr ExprStore::Merged(std::span<const Expr> switches, ExprKind kind) {
  std::vector<Arc> arcs;
  std::vector<Expr> nexts;
  for (int byte = 0; byte < 256; ++byte) {
    const auto b = static_cast<std::uint8_t>(byte);
    nexts.clear();
    for (const Expr e : switches) {
      const ExprNode& n = node(e);
      Expr next = kNothing;
      if (n.kind == ExprKind::kBytes) {
        if (set(n).Has(b)) next = kEmptyText;
      } else {
        const auto of = this->arcs(n);
        const auto at = std::ranges::lower_bound(of, b, {}, &Arc::last);
        if (at != of.end() && at->first <= b) next = at->next;
      }
      nexts.push_back(next);
    }
    const bool same = std::ranges::all_of(nexts, [&](Expr e) { return e == nexts[0]; });
    const Expr next = same ? nexts[0] : kind == ExprKind::kUnion ? Union(nexts) : Intersect(nexts);
    if (next != kNothing) arcs.push_back({b, b, next});
  }
  return Switch(arcs);
}

void ExprStore::MergeSwitches(PartList& parts, ExprKind kind) {
  const auto is_switch = [this](Expr e) { return IsSwitch(node(e)); };
  if (std::ranges::count_if(parts, is_switch) < 2) return;
  PartList switches(parts.get_allocator());
  std::ranges::copy_if(parts, std::back_inserter(switches), is_switch);
  std::erase_if(parts, is_switch);
  ByteSet bytes;
  if (std::ranges::all_of(switches, [this](Expr e) { return node(e).kind == ExprKind::kBytes; })) {
    for (std::size_t w = 0; w < 4; ++w) {
      bytes.words[w] = kind == ExprKind::kUnion ? 0 : ~std::uint64_t{0};
      for (const Expr e : switches) {
        const std::uint64_t word = set(node(e)).words[w];
        bytes.words[w] = kind == ExprKind::kUnion ? bytes.words[w] | word : bytes.words[w] & word;
      }
    }
    parts.push_back(Bytes(bytes));
    return;
  }
  parts.push_back(Merged(switches, kind));
}

// A part of a union as before·body{least,most}·tail, the repetition at its head (place 0) or after that (place 1).
std::optional<ExprStore::CountedPart> ExprStore::CountedAt(Expr part, int place) const {
  CountedPart form{.body = part, .part = part};
  const auto split = [&] {
    const ExprNode& n = node(form.body);
    if (n.kind != ExprKind::kConcat) return;
    form.body = Expr{n.a};
    form.tail = Expr{n.b};
  };
  split();
  if (place == 1) {
    if (form.tail == kEmptyText) return std::nullopt;
    form.before = form.body;
    form.body = form.tail;
    form.tail = kEmptyText;
    split();
  }
  if (form.body == kEmptyText) return std::nullopt;
  if (const ExprNode& n = node(form.body); n.kind == ExprKind::kRepeat) {
    form.counts = counts(n);
    form.body = Expr{n.a};
  }
  return form;
}

void ExprStore::MergeCountsAt(PartList& parts, int place) {
  std::pmr::vector<CountedPart> forms(parts.get_allocator().resource());
  PartList merged(parts.get_allocator()), within(parts.get_allocator());
  for (const Expr part : parts) {
    if (const auto form = CountedAt(part, place)) {
      forms.push_back(*form);
    } else {
      merged.push_back(part);
    }
  }
  std::ranges::sort(forms, {},
                    [](const CountedPart& f) { return std::tuple(f.before, f.tail, f.body, f.counts.least); });
  bool changed = false;
  for (std::size_t i = 0; i < forms.size();) {
    CountedPart run = forms[i];
    const std::size_t begin = i++;
    for (; i < forms.size(); ++i) {
      const CountedPart& f = forms[i];
      if (f.before != run.before || f.tail != run.tail || f.body != run.body) break;
      if (run.counts.most != kUnbounded && f.counts.least > run.counts.most + 1) break;
      run.counts.most = std::max(run.counts.most, f.counts.most);
    }
    const bool starts_bare = run.before == kEmptyText && run.counts.least == 1 && run.counts.most > 1 &&
                             std::ranges::find(parts, run.tail) != parts.end();  // x{1,n}y|y is x{0,n}y
    if (starts_bare) {
      run.counts.least = 0;
      within.push_back(run.tail);
    }
    if (i == begin + 1 && !starts_bare) {
      merged.push_back(run.part);
    } else {
      changed = true;
      merged.push_back(Concat(run.before, Concat(Repeat(run.body, run.counts.least, run.counts.most), run.tail)));
    }
  }
  if (!changed) return;
  std::erase_if(merged, [&](Expr e) { return std::ranges::find(within, e) != within.end(); });
  parts = std::move(merged);
  SortUnique(parts);
}

bool ExprStore::IsCounted(Expr part) const {
  const ExprNode& n = node(part);
  if (n.kind != ExprKind::kConcat) return n.kind == ExprKind::kRepeat;
  const ExprNode& second = node(Expr{n.b});
  return node(Expr{n.a}).kind == ExprKind::kRepeat || second.kind == ExprKind::kRepeat ||
         (second.kind == ExprKind::kConcat && node(Expr{second.a}).kind == ExprKind::kRepeat);
}

// What is within another part anyway: of a union such parts go, of an intersection the other.
void ExprStore::DropCovered(PartList& parts, ExprKind kind) const {
  for (std::size_t s = 0; s < border_.size(); ++s) {
    if (!std::ranges::binary_search(parts, border_[s])) continue;
    const auto is_within = [&](Expr e) { return e != border_[s] && (node(e).within >> s & 1) != 0; };
    if (kind == ExprKind::kUnion) {
      std::erase_if(parts, is_within);
    } else if (std::ranges::any_of(parts, is_within)) {
      std::erase(parts, border_[s]);
    }
  }
}

bool ExprStore::HasOpposites(std::span<const Expr> parts) const {
  return std::ranges::any_of(parts, [&](Expr e) {
    const ExprNode& n = node(e);
    return n.kind == ExprKind::kComplement && std::ranges::binary_search(parts, Expr{n.a});
  });
}

Expr ExprStore::Union(std::span<const Expr> given) {
  PartRoom room;
  PartList parts(&room.memory);
  for (const Expr part : given) {
    const ExprNode& n = node(part);
    if (n.has_text == Existence::kNo) continue;
    if (part == kEveryText) return part;
    if (n.kind == ExprKind::kUnion) {
      parts.insert(parts.end(), operands(n).begin(), operands(n).end());
    } else {
      parts.push_back(part);
    }
  }
  if (parts.empty()) return kNothing;
  SortUnique(parts);
  if (parts.size() == 1) return parts[0];
  MergeSwitches(parts, ExprKind::kUnion);
  if (std::ranges::any_of(parts, [this](Expr e) { return IsCounted(e); })) {
    SortUnique(parts);
    MergeCountsAt(parts, 1);
    MergeCountsAt(parts, 0);
  }
  SortUnique(parts);
  DropCovered(parts, ExprKind::kUnion);
  if (parts.size() > 1 && parts[0] == kEmptyText &&
      std::any_of(parts.begin() + 1, parts.end(), [this](Expr e) { return node(e).nullable; })) {
    parts.erase(parts.begin());
  }
  if (parts.size() == 1) return parts[0];
  if (parts[0] == kEveryText || HasOpposites(parts)) return kEveryText;
  return InternOperands(ExprKind::kUnion, parts);
}

// pending·body{least,most}, where the body is one character, and pending nothing or the rest of one.
std::optional<ExprStore::CharacterRun> ExprStore::CharacterRunOf(Expr part) const {
  CharacterRun run;
  const auto is_pending = [this](Expr e) {
    const ExprNode& n = node(e);
    return IsSwitch(n) && n.most == 0 && n.within != 0;
  };
  Expr body = part;
  if (is_pending(part)) return CharacterRun{.pending = part};
  if (const ExprNode& n = node(part); n.kind == ExprKind::kConcat && is_pending(Expr{n.a})) {
    run.pending = Expr{n.a};
    body = Expr{n.b};
  }
  run.counts = {.least = 1, .most = 1};
  if (const ExprNode& n = node(body); n.kind == ExprKind::kRepeat) {
    run.counts = counts(n);
    body = Expr{n.a};
  }
  const ExprNode& one = node(body);
  if (!IsSwitch(one) || one.least != 1 || one.most != 1 || (one.within & 1) == 0) return std::nullopt;
  run.body = body;
  return run;
}

std::optional<ExprStore::AnyCharacters> ExprStore::AnyCharactersOf(Expr e) const {
  const auto run = CharacterRunOf(e);
  if (!run || run->body != any_code_point_) return std::nullopt;
  if (run->pending == kEmptyText) return AnyCharacters{.state = 0, .counts = run->counts};
  for (int s = 1; s < kUtf8States; ++s) {
    if (run->pending == Expr{node(border_[static_cast<std::size_t>(s)]).a}) return AnyCharacters{s, run->counts};
  }
  return std::nullopt;
}

std::optional<ExprStore::Bounded> ExprStore::BoundedOf(const std::array<Expr, 2>& parts) const {
  for (std::size_t i = 0; i < 2; ++i) {
    const auto run = AnyCharactersOf(parts[i]);
    const Expr other = parts[1 - i];
    const ExprNode& n = node(other);
    if (!run || !n.plain || (n.within >> run->state & 1) == 0) continue;
    if (n.stretches || run->counts.least == 0) return Bounded{*run, other};
  }
  return std::nullopt;
}

void ExprStore::MergeCharacterRuns(PartList& parts) {
  PartList rest(parts.get_allocator());
  std::pmr::vector<CharacterRun> runs(parts.get_allocator().resource());
  bool changed = false;
  for (const Expr part : parts) {
    const auto run = CharacterRunOf(part);
    if (!run) {
      rest.push_back(part);
      continue;
    }
    const auto alike = std::ranges::find_if(runs, [&](const CharacterRun& other) {
      if (run->pending == kEmptyText || other.pending == kEmptyText) return run->pending == other.pending;
      return (node(run->pending).within & node(other.pending).within) != 0;
    });
    if (alike == runs.end()) {
      runs.push_back(*run);
      continue;
    }
    changed = true;
    const std::array<Expr, 2> pending = {alike->pending, run->pending}, body = {alike->body, run->body};
    alike->pending = Intersect(pending);
    alike->body = Intersect(body);
    alike->counts = {.least = std::max(alike->counts.least, run->counts.least),
                     .most = std::min(alike->counts.most, run->counts.most)};
  }
  if (!changed) return;
  parts = std::move(rest);
  for (const CharacterRun& run : runs) {
    const bool none = run.counts.least > run.counts.most;
    parts.push_back(none ? kNothing : Concat(run.pending, Repeat(run.body, run.counts.least, run.counts.most)));
  }
}

// How many characters a growing expression grows by.
std::uint64_t ExprStore::GrowthOf(Expr e) const {
  for (;;) {
    const ExprNode& n = node(e);
    if (n.kind == ExprKind::kRepeat) return node(Expr{n.a}).least;
    e = node(Expr{n.a}).grows ? Expr{n.a} : Expr{n.b};
  }
}

// Whether a plain e has a text of so many characters. A shortest one is known, and so is what one can grow by.
bool ExprStore::MeetsRun(const Counts& counts, Expr e) const {
  const ExprNode& n = node(e);
  if (n.least >= kEndless - 1 || n.least > counts.most) return false;
  if (n.least >= counts.least) return true;
  if (!n.grows) return false;
  const std::uint64_t growth = GrowthOf(e), missing = counts.least - n.least;
  return counts.most - n.least >= (missing + growth - 1) / growth * growth;
}

// A number of any characters and a plain language of UTF-8; or a plain one with texts of any length, less bounded ones.
bool ExprStore::MeetsSurely(std::span<const Expr> parts) const {
  Expr plain = kNothing;
  std::optional<AnyCharacters> run;
  std::uint32_t longest = 0;
  for (const Expr part : parts) {
    const ExprNode& n = node(part);
    if (n.kind == ExprKind::kComplement && node(Expr{n.a}).most != kEndless) {
      longest = std::max(longest, node(Expr{n.a}).most + 1);
    } else if (const auto characters = n.plain && !run ? AnyCharactersOf(part) : std::nullopt) {
      run = characters;
    } else if (n.plain && plain == kNothing) {
      plain = part;
    } else {
      return false;
    }
  }
  if (plain == kNothing) return run && run->counts.most >= std::max<std::uint64_t>(run->counts.least, longest);
  const ExprNode& n = node(plain);
  if (!run) return n.grows;
  if ((n.within >> run->state & 1) == 0) return false;
  const Counts counts{.least = std::max<std::uint64_t>(run->counts.least, longest), .most = run->counts.most};
  if (counts.least > counts.most) return false;
  if (n.kind != ExprKind::kUnion) return MeetsRun(counts, plain);
  return std::ranges::any_of(operands(n), [&](Expr part) { return MeetsRun(counts, part); });
}

std::optional<std::vector<std::string_view>> ExprStore::TextsOf(Expr e) const {
  const ExprNode& n = node(e);
  if (n.kind == ExprKind::kLiteral) return std::vector<std::string_view>{literal(n)};
  if (n.kind != ExprKind::kLiterals) return std::nullopt;
  std::vector<std::string_view> texts;
  const TableRange& of = range(n);
  for (std::uint32_t i = of.low; i < of.high; ++i) texts.push_back(text(of.table, i).substr(of.depth));
  return texts;
}

std::optional<Expr> ExprStore::IntersectTexts(Expr a, Expr b) {
  std::vector<Expr> parts;
  for (const Expr part : {a, b}) {
    const ExprNode& n = node(part);
    if (n.kind == ExprKind::kIntersection) {
      parts.insert(parts.end(), operands(n).begin(), operands(n).end());
    } else {
      parts.push_back(part);
    }
  }
  std::optional<std::vector<std::string_view>> kept;
  Expr table = kNothing;  // whose texts `kept` are, or some of them
  std::vector<Expr> rest;
  for (const Expr part : parts) {
    std::optional<std::vector<std::string_view>> texts = TextsOf(part);
    if (!texts.has_value()) {
      rest.push_back(part);
    } else if (!kept.has_value()) {
      kept = std::move(texts);
      table = part;
    } else {
      std::vector<std::string_view> both;
      std::ranges::set_intersection(*kept, *texts, std::back_inserter(both));
      kept = std::move(both);
    }
  }
  if (!kept.has_value()) return std::nullopt;
  std::erase_if(rest, [&](Expr part) {
    if (node(part).kind != ExprKind::kComplement) return false;
    const std::optional<std::vector<std::string_view>> texts = TextsOf(Expr{node(part).a});
    if (!texts.has_value()) return false;
    std::vector<std::string_view> left;
    std::ranges::set_difference(*kept, *texts, std::back_inserter(left));
    kept = std::move(left);
    return true;
  });
  if (rest.size() + 1 == parts.size()) return std::nullopt;
  rest.push_back(SomeOf(table, *kept));
  return rest.size() == 1 ? rest.front() : Intersect(rest);
}

Expr ExprStore::Intersect(std::span<const Expr> given) {
  PartRoom room;
  PartList parts(&room.memory);
  for (const Expr part : given) {
    const ExprNode& n = node(part);
    if (n.has_text == Existence::kNo) return kNothing;
    if (part == kEveryText) continue;
    if (n.kind == ExprKind::kIntersection) {
      parts.insert(parts.end(), operands(n).begin(), operands(n).end());
    } else {
      parts.push_back(part);
    }
  }
  if (parts.empty()) return kEveryText;
  SortUnique(parts);
  if (parts.size() == 1) return parts[0];
  if (parts[0] == kEmptyText) {
    return std::ranges::all_of(parts, [this](Expr e) { return node(e).nullable; }) ? kEmptyText : kNothing;
  }
  MergeSwitches(parts, ExprKind::kIntersection);
  MergeCharacterRuns(parts);
  SortUnique(parts);
  if (parts[0] == kNothing) return kNothing;
  if (parts[0] == kEmptyText && parts.size() > 1) return Intersect(std::vector<Expr>(parts.begin(), parts.end()));
  DropCovered(parts, ExprKind::kIntersection);
  if (parts.size() == 1) return parts[0];
  if (HasOpposites(parts)) return kNothing;
  return InternOperands(ExprKind::kIntersection, parts);
}

}  // namespace decant::grammar
