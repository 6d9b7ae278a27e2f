// A stack whose copies share what lies below: copying, pushing and popping cost the same at any height. For the states
// that a constraint went through, which roll back and fork.
#ifndef DECANT_GRAMMAR_PERSISTENT_STACK_H_
#define DECANT_GRAMMAR_PERSISTENT_STACK_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace decant::grammar {

// Copies may be used in different threads; one copy has one owner.
template <class T>
class PersistentStack {
 public:
  PersistentStack() = default;
  PersistentStack(const PersistentStack& other) : top_(other.top_), size_(other.size_) { Hold(top_); }
  PersistentStack(PersistentStack&& other) noexcept
      : top_(std::exchange(other.top_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PersistentStack& operator=(PersistentStack other) noexcept {
    std::swap(top_, other.top_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~PersistentStack() { Release(top_); }

  std::size_t size() const { return size_; }
  const T& top() const { return top_->value; }  // REQUIRES: size() > 0
  void Push(T value) {
    top_ = new Node{std::move(value), top_};  // owned by a count: a long chain must not be freed by recursion
    ++size_;
  }
  void Pop() {  // REQUIRES: size() > 0
    Node* below = top_->below;
    Hold(below);
    Release(std::exchange(top_, below));
    --size_;
  }
  // visit(value) from the top down until it gives false.
  template <class Visit>
  void VisitDown(Visit visit) const {
    for (const Node* node = top_; node != nullptr && visit(node->value); node = node->below) {
    }
  }

 private:
  struct Node {
    T value;
    Node* below;
    std::atomic<std::size_t> holders{1};
  };
  static void Hold(Node* node) {
    if (node != nullptr) node->holders.fetch_add(1, std::memory_order_relaxed);
  }
  static void Release(Node* node) {
    while (node != nullptr && node->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete std::exchange(node, node->below);
    }
  }

  Node* top_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_PERSISTENT_STACK_H_
