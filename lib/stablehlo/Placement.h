// How every value of a function lies on the ranks, when its batch is divided among them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_STABLEHLO_PLACEMENT_H
#define TUTTI_LIB_STABLEHLO_PLACEMENT_H

#include "lib/stablehlo/Rules.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace tutti::stablehlo {

/// A forward analysis of one block of generic StableHLO, through its loops and branches. Arguments
/// of the block lie as `setForm` said before; everything else follows, operation by operation.
///
/// Scatters that add parts of a batch to a table that is not zero are written as a scatter to zeros
/// and an addition on the way: only then is what the ranks sum not the table, too.
class Placement {
public:
  explicit Placement(int64_t ranks) : ranks(ranks) {}

  void setForm(mlir::Value value, Form form) { forms[value] = form; }

  /// Whole for values that nobody placed.
  Form getForm(mlir::Value value) const { return forms.lookup(value); }

  /// Places all values of `block`. Fails, with an error at the operation, where that is not known.
  llvm::LogicalResult place(mlir::Block &block);

  /// The rule of an operation that was placed; null for others, such as the function's return.
  const Rule *getRule(mlir::Operation *op) const;

  int64_t getRanks() const { return ranks; }

private:
  /// `op` may become another operation.
  llvm::LogicalResult placeOp(mlir::Operation *&op);
  llvm::LogicalResult placeWhile(mlir::Operation *op);
  llvm::LogicalResult placeBranches(mlir::Operation *op);
  /// Places the body of a loop whose values are carried as `carried`; says what it yields.
  llvm::LogicalResult placeTrip(mlir::Operation *op, llvm::ArrayRef<Form> carried,
                                llvm::SmallVectorImpl<Form> &yielded);
  /// The scatter that stands for `op` now.
  mlir::Operation *splitScatter(mlir::Operation *op);
  llvm::SmallVector<Form> getForms(mlir::ValueRange values) const;
  void setRule(mlir::Operation *op, Rule rule);

  int64_t ranks;
  llvm::DenseMap<mlir::Value, Form> forms;
  llvm::DenseMap<mlir::Operation *, Rule> rules;
};

} // namespace tutti::stablehlo

#endif // TUTTI_LIB_STABLEHLO_PLACEMENT_H
