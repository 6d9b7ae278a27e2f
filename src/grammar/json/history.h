// The places of a text after each of its tokens: a list from the last one back, shared by all forks. Going back drops
// the front of the list; forking copies a pointer.
#ifndef DECANT_GRAMMAR_JSON_HISTORY_H_
#define DECANT_GRAMMAR_JSON_HISTORY_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "decant/constraint.h"
#include "grammar/json/arena.h"
#include "grammar/json/frame.h"

namespace decant::grammar {

struct Moment;

// Counts its holders, in any thread. A list of any length goes without recursion.
class MomentRef {
 public:
  MomentRef() = default;
  explicit MomentRef(std::unique_ptr<Moment> moment) : moment_(moment.release()) {}
  MomentRef(const MomentRef& other);
  MomentRef(MomentRef&& other) noexcept : moment_(std::exchange(other.moment_, nullptr)) {}
  MomentRef& operator=(MomentRef other) noexcept {
    std::swap(moment_, other.moment_);
    return *this;
  }
  ~MomentRef() { Release(std::exchange(moment_, nullptr)); }

  const Moment* operator->() const { return moment_; }
  const Moment& operator*() const { return *moment_; }
  explicit operator bool() const { return moment_ != nullptr; }

 private:
  static void Release(Moment* moment);
  Moment* moment_ = nullptr;
};

// After a token. Its arena holds what the token made; the place may point into older moments too.
struct Moment {
  std::atomic<std::uint32_t> holders{1};
  MomentRef previous;
  Place place;
  PlaceKeys keys;
  ConstraintState state = ConstraintState::kOpen;
  bool has_ended = false;  // by an end token
  Arena arena;
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_HISTORY_H_
