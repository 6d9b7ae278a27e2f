// Releases a long history in a loop, not link by link in the depth of the stack.
#include "grammar/json/history.h"

namespace decant::grammar {

MomentRef::MomentRef(const MomentRef& other) : moment_(other.moment_) {
  if (moment_ != nullptr) moment_->holders.fetch_add(1, std::memory_order_relaxed);
}

void MomentRef::Release(Moment* moment) {
  while (moment != nullptr && moment->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    const std::unique_ptr<Moment> last(moment);
    moment = std::exchange(last->previous.moment_, nullptr);
  }
}

}  // namespace decant::grammar
