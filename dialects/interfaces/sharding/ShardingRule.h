// What splitting the tensors of an operation among ranks means: its rule.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_DIALECTS_INTERFACES_SHARDING_SHARDINGRULE_H
#define TUTTI_DIALECTS_INTERFACES_SHARDING_SHARDINGRULE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace tutti {

/// What splitting a factor, a loop dimension of an operation's meaning, among ranks means.
///
/// A result that has the factor is cut as the operands are, unless the kind is Whole. A result that
/// lacks it is what the kind says; with Pass it is what it was, for nothing in it depends on the
/// factor (only its size is asked for, or an operand that lacks it too).
enum class FactorKind {
  Pass,   ///< nothing is communicated
  Sum,    ///< results that lack it are summands of the whole result
  Max,    ///< likewise, their maximum is the whole result
  Min,    ///< their minimum
  Prod,   ///< their product
  Whole,  ///< it cannot be split: each part of a result depends on all of the operands
  Near,   ///< a part of a result depends on operands beyond its own part: neighbours, or others
  Masked, ///< indices that point outside the part give zeros, and then results are summands
};

/// A loop dimension.
struct Factor {
  FactorKind kind = FactorKind::Pass;
  /// Results are divided by the number of elements of this factor, as means and their gradients
  /// are. Computed from one of n parts they are n times too large. With the kind Sum it is said of
  /// the results that lack the factor (ReduceMean), with Pass of those that have it
  /// (ReduceMeanGrad).
  bool divides = false;
  std::string name;
  /// The number of its elements, or ShapedType::kDynamic.
  int64_t size = mlir::ShapedType::kDynamic;
};

/// For each dimension of a tensor its factors, outermost first, by index. A dimension without any
/// has size 1, or is repeated by broadcasting.
using TensorFactors = llvm::SmallVector<llvm::SmallVector<unsigned, 1>>;

/// The factors of an operation, and where they are.
struct ShardingRule {
  llvm::SmallVector<Factor> factors;
  /// One for each of the operation's operands and results. What is no tensor has no dimensions.
  llvm::SmallVector<TensorFactors> operands, results;
  /// Sets of operands in which the results are jointly linear while all others are fixed: {0, 1}
  /// for a sum, {0} and {1} for a product. Without a set nothing is known to be linear. Where a
  /// factor of kind Sum is split that no result has, what lacks it in a set with an operand that
  /// has it counts once, not in each part: C of a Gemm.
  llvm::SmallVector<llvm::SmallVector<unsigned>> linear;
  /// Operands of which only the shape matters, whatever their values are.
  llvm::SmallVector<unsigned> shapesOnly;
  /// Results that do not depend on what the operands' values are: never summands of anything.
  llvm::SmallVector<unsigned> constantResults;

  /// A new factor, that stands nowhere yet.
  unsigned add(FactorKind kind, llvm::StringRef name, int64_t size);
  /// The results are jointly linear in these operands, if there are any.
  void addLinear(llvm::ArrayRef<unsigned> set);
};

/// Whether two rules say the same of the same dimensions, whatever factors are called.
bool operator==(const ShardingRule &a, const ShardingRule &b);

/// The rule as a line: `b0 m k+, k+ n -> b0 m n`. A dimension without factors is `1`, one of
/// several is in brackets.
std::string spellShardingRule(const ShardingRule &rule);

/// How often the parts of a line stand for something: only where the types do not say it.
struct ShardingCounts {
  /// For each tensor of the line how many operands or results it stands for; empty: each for one.
  llvm::SmallVector<unsigned> operands, results;
  /// How many dimensions `name..` stands for.
  llvm::SmallVector<std::pair<llvm::StringRef, unsigned>> dimensions;
};

/// A rule as text, for operands and results of any rank:
///
///     rule      tensors -> tensors     tensors are divided by commas
///     tensor    dimensions             divided by blanks; `()` has none
///     dimension k                      one factor
///               k..                    any number of them, aligned at the last among tensors
///               (h d)                  several, outermost first
///               1                      none
///     kind      k k+ k> k< k* k^ k~ k? Pass, Sum, Max, Min, Prod, Whole, Near, Masked
///               k/                     Sum, or Pass if all results have k, and divides
///
/// A kind may be written once for each factor. Dimensions of static size 1 lose their factor.
class ShardingText {
public:
  explicit ShardingText(llvm::StringRef text);

  /// The factors for operands and results of these types. Fails if the text cannot be read, or a
  /// type is an unranked tensor or has too few or too many dimensions for it.
  mlir::FailureOr<ShardingRule> expand(mlir::TypeRange operands, mlir::TypeRange results,
                                       const ShardingCounts &counts = {}) const;

  /// The rule of `op`, whose definition has an operand and a result for each tensor of the line.
  template <typename Op>
  mlir::FailureOr<ShardingRule>
  expand(Op op, llvm::ArrayRef<std::pair<llvm::StringRef, unsigned>> dimensions = {}) const {
    ShardingCounts counts;
    counts.dimensions.append(dimensions.begin(), dimensions.end());
    for (unsigned i = 0; i < operands.size(); ++i)
      counts.operands.push_back(op.getODSOperandIndexAndLength(i).second);
    for (unsigned i = 0; i < results.size(); ++i)
      counts.results.push_back(op.getODSResultIndexAndLength(i).second);
    return expand(op->getOperandTypes(), op->getResultTypes(), counts);
  }

private:
  struct Dimension {
    llvm::SmallVector<std::string, 1> factors; ///< none: `1`
    bool isRepeated = false;
  };
  using Tensor = llvm::SmallVector<Dimension>;
  friend class ShardingTextReader;
  friend class ShardingTextExpansion;

  bool isRead = false;
  llvm::SmallVector<Tensor> operands, results;
  llvm::StringMap<Factor> kinds; ///< by name; those that are not here are Pass
};

/// Reads `text` and expands it: for tests and tools.
mlir::FailureOr<ShardingRule> parseShardingRule(llvm::StringRef text, mlir::TypeRange operands,
                                                mlir::TypeRange results,
                                                const ShardingCounts &counts = {});

/// The rule of an operation that works element by element, with numpy's broadcasting.
mlir::FailureOr<ShardingRule> pointwiseShardingRule(mlir::Operation *op);

/// Which operands an accessor of generated code stands for, for `ShardingRule::linear`.
inline void appendNumbers(llvm::SmallVector<unsigned> &numbers, mlir::OpOperand &operand) {
  numbers.push_back(operand.getOperandNumber());
}
inline void appendNumbers(llvm::SmallVector<unsigned> &numbers, mlir::MutableOperandRange range) {
  for (unsigned i = 0; i < range.size(); ++i)
    numbers.push_back(range[i].getOperandNumber());
}
/// The numbers of some operands, by their accessors.
template <typename... Operands> llvm::SmallVector<unsigned> operandNumbers(Operands &&...operands) {
  llvm::SmallVector<unsigned> numbers;
  (appendNumbers(numbers, operands), ...);
  return numbers;
}

} // namespace tutti

#include "dialects/interfaces/sharding/ShardingRule.h.inc"

#endif // TUTTI_DIALECTS_INTERFACES_SHARDING_SHARDINGRULE_H
