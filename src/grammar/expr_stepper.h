// Derivatives, and the table of those taken so far: for each state the classes of bytes under which its derivatives are
// equal, and one successor a class.
#ifndef DECANT_GRAMMAR_EXPR_STEPPER_H_
#define DECANT_GRAMMAR_EXPR_STEPPER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "grammar/expr_pool.h"
#include "grammar/expr_store.h"

namespace decant::grammar {

class ExprStepper {
 public:
  explicit ExprStepper(ExprStore& store);

  // The derivative; not looked at for emptiness.
  Expr Derive(Expr e, std::uint8_t byte);
  // The derivative, kNothing if it has no text; filled into the row.
  Expr Step(Expr e, std::uint8_t byte);
  // Makes the rows reach e, with its classes and successors not yet known.
  const ExprRow& RowOf(Expr e);
  const std::vector<ExprRow>& rows() const { return rows_; }

  // Bytes with equal derivatives of e: one of each class, in order of bytes.
  std::span<const std::uint8_t> ClassBytes(Expr e);
  std::span<const std::uint16_t> ClassSizes(Expr e);  // how many bytes each has
  // All but bytes that nothing takes, as far as the expression's form shows that.
  ByteSet FirstBytes(Expr e);

  std::optional<bool> HasText(Expr e, std::size_t states);
  std::uint64_t undecided() const { return undecided_; }
  std::size_t memory_bytes() const;

 private:
  static constexpr int kNoClass = -1;
  struct Partition {
    std::array<std::uint8_t, 256> class_of = {};
    std::vector<std::uint8_t> first;   // of each class
    std::vector<std::uint16_t> sizes;  // of each class
    int dead = kNoClass;               // the class of bytes that nothing takes
    ByteSet alive = {};                // the bytes of the other classes
  };
  enum class Act : std::uint8_t { kDerive, kOpen, kClose, kCombine };
  struct Task {
    Act act;
    Expr e;
    Expr tail;  // what follows e
  };
  struct Remembered {
    Expr e = kUnknownExpr;
    std::uint32_t byte = 0;
    Expr next = kNothing;
  };
  class Search;

  std::uint32_t PartitionOf(Expr e);
  std::uint32_t OwnPartition(const ExprNode& n);
  // visit(byte, high) for each byte that texts of a table go on with; the texts below `high` have that one or a lower.
  template <class Visit>
  void VisitBranches(const ExprStore::TableRange& range, Visit visit) const;
  bool IsShortTable(const ExprNode& n) const;
  std::uint32_t PartitionOfByte(std::uint8_t byte);
  // Bytes with the label 0 are those that nothing takes.
  std::uint32_t InternPartition(const std::array<std::uint16_t, 256>& labels);
  // Of a union's operands or an intersection's.
  std::uint32_t Meet(std::uint32_t a, std::uint32_t b, ExprKind kind);
  std::uint32_t WithoutDead(std::uint32_t a);
  std::uint32_t PartitionByParts(Expr e, std::span<const Expr> below);
  bool IsDead(Expr e, std::uint8_t byte) const;

  void Run(const Task& task, std::uint8_t byte);
  void Combine(const ExprNode& n, Expr tail);
  Remembered& SlotOf(Expr e, std::uint8_t byte);
  // Without its parts that have no text.
  Expr Pruned(Expr e);
  Existence Exists(Expr e, std::size_t states);
  Existence ExistsByParts(Expr e) const;
  Existence ExistsBySearch(Expr e, std::size_t states);

  ExprStore& store_;
  std::vector<ExprRow> rows_;
  std::array<std::uint32_t, 256> of_byte_ = {};  // PartitionOfByte
  std::deque<Partition> partitions_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> partitions_by_hash_;
  std::unordered_map<std::uint64_t, std::uint32_t> meets_;
  std::vector<std::uint32_t> partition_of_;  // by expression, kNoPartition = not known
  std::vector<std::unique_ptr<Expr[]>> chunks_;
  std::size_t chunk_used_ = 0, chunk_size_ = 0, chunk_bytes_ = 0;

  std::vector<Task> tasks_;
  std::vector<Expr> parts_;              // what collectors hold
  std::vector<std::size_t> collectors_;  // where in parts_ each begins
  std::vector<Expr> operands_;           // derivatives of operands, for Combine
  std::vector<Remembered> remembered_;   // direct-mapped
  std::uint64_t undecided_ = 0;
  std::size_t states_a_step_ = SearchBudget{}.states;
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_EXPR_STEPPER_H_
