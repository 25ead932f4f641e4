// From a step whose values are placed to the program of one of N ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_STABLEHLO_LOCALPROGRAM_H
#define TUTTI_PASSES_STABLEHLO_LOCALPROGRAM_H

#include "passes/stablehlo/Placement.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace tutti::stablehlo {

/// Rewrites `step` in place: values that are parts get their local types, sums of `cut` and
/// whatever else is combined otherwise become collectives on `world`, and every result is whole.
class LocalProgram {
public:
  LocalProgram(mlir::func::FuncOp step, Placement &placement, llvm::DenseSet<mlir::Value> cut,
               mlir::FlatSymbolRefAttr world)
      : step(step), placement(placement), cut(std::move(cut)), world(world) {}

  /// Fails, with an error at the operation, where a sum is of a type that ranks cannot reduce.
  llvm::LogicalResult rewrite();

  unsigned getSums() const { return sums; }
  unsigned getGathers() const { return gathers; }

private:
  void rewriteBlock(mlir::Block &block);
  void rewriteOp(mlir::Operation *op);
  /// `value` as `user`, which comes after all users that asked before, wants it.
  mlir::Value getAs(mlir::Value value, const Layout &wanted, mlir::Operation *user);
  mlir::Value getWhole(mlir::Value value, mlir::Operation *user);
  mlir::Value getPart(mlir::Value value, int64_t axis);
  mlir::Value makePart(mlir::OpBuilder &builder, mlir::Value value, int64_t axis);
  mlir::Value reduce(mlir::OpBuilder &builder, mlir::Value value, Reduction reduction);
  mlir::Value gather(mlir::OpBuilder &builder, mlir::Value value, int64_t axis);
  mlir::Value computeWhole(mlir::Value value, mlir::Operation *user);
  mlir::Value sliceByRank(mlir::OpBuilder &builder, mlir::Value value, int64_t axis);
  /// The first sample of this rank among `local` times as many as there are ranks.
  mlir::Value getOffset(mlir::OpBuilder &builder, mlir::Location loc, int64_t local);
  mlir::Value getRank();
  void eraseUnused(mlir::Block &block);
  mlir::OpBuilder builderAfter(mlir::Value value);

  mlir::func::FuncOp step;
  Placement &placement;
  llvm::DenseSet<mlir::Value> cut;
  mlir::FlatSymbolRefAttr world;
  llvm::DenseMap<mlir::Value, mlir::Value> wholes;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> parts;
  mlir::Value rank;
  unsigned sums = 0, gathers = 0;
  bool isBroken = false;
};

} // namespace tutti::stablehlo

#endif // TUTTI_PASSES_STABLEHLO_LOCALPROGRAM_H
