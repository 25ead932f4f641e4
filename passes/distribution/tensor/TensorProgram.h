// From a placement on neighbouring ranks to the program of one of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_DISTRIBUTION_TENSOR_TENSORPROGRAM_H
#define TUTTI_PASSES_DISTRIBUTION_TENSOR_TENSORPROGRAM_H

#include "passes/distribution/tensor/TensorPlacement.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace tutti::distribution {

/// Gives the values of a step that lie in parts their local types, and writes what is between what
/// a value is and what its user wants: reductions, gathers, pieces. Once.
class TensorProgram {
public:
  /// `sums`: where sums are taken (findCheapestSums). `neighbours`: the group of ranks that hold
  /// the parts.
  TensorProgram(mlir::func::FuncOp step, const TensorPlacement &placement,
                llvm::DenseSet<mlir::Value> sums, mlir::FlatSymbolRefAttr neighbours)
      : step(step), placement(placement), cut(std::move(sums)), neighbours(neighbours) {}

  /// Fails, with an error at the operation, where a sum is of a type that ranks cannot reduce, or
  /// an operation is none of its parts.
  llvm::LogicalResult rewrite();

  unsigned getSums() const { return sums; }
  unsigned getGathers() const { return gathers; }
  unsigned getScatters() const { return scatters.size(); }

private:
  void rewriteOp(mlir::Operation *op);
  void makeLoopLocal(mlir::Operation *loop);
  void measureParts(mlir::Operation *op, const Transfer &transfer);
  void makeLocal(mlir::Operation *op, const Transfer &transfer);
  /// `value` as `user`, which comes after all users that asked before, wants it.
  mlir::Value getAs(mlir::Value value, const Layout &wanted, mlir::Operation *user);
  mlir::Value getHeld(mlir::Value value);
  mlir::Value getWhole(mlir::Value value, mlir::Operation *user);
  mlir::Value computeWhole(mlir::Value value, mlir::Operation *user);
  mlir::Value getCorrected(mlir::Value value);
  mlir::Value reduce(mlir::Value value, Reduction reduction);
  mlir::Value gather(mlir::Value value, const Layout &layout);
  mlir::Value getPiece(mlir::Value whole, TensorCut along);
  void eraseUnused();

  mlir::func::FuncOp step;
  const TensorPlacement &placement;
  llvm::DenseSet<mlir::Value> cut;
  mlir::FlatSymbolRefAttr neighbours;
  llvm::DenseMap<mlir::Value, mlir::Value> wholes, scatters, corrected;
  llvm::DenseMap<std::pair<mlir::Value, std::pair<int64_t, int64_t>>, mlir::Value> pieces;
  llvm::SmallVector<mlir::Operation *> ofVocabulary; ///< to be written once all has its types
  unsigned sums = 0, gathers = 0;
  bool isBroken = false, isOfStablehlo = false;
};

/// Lets an operation that has the shapes of its results as an attribute have those of their types
/// there, where they are numbers.
void setShape(mlir::Operation *op);

/// `splat`, of which all elements are equal (isSplat), with the shape of `type`, as a new value.
mlir::Value repeatSplat(mlir::OpBuilder &builder, mlir::Value splat, mlir::RankedTensorType type);

/// Writes after what makes `value`, or at the beginning of the block that takes it.
mlir::OpBuilder builderAfter(mlir::Value value);

/// `value`, a part of `parts` that is of scale `from`, with the scale `to`: that of scale s is the
/// true one times the number of parts to the power of s.
mlir::Value adjustScale(mlir::OpBuilder &builder, mlir::Value value, Scale from, Scale to,
                        int64_t parts);

/// The type of one of `parts` blocks of `type` along `dimension`.
mlir::RankedTensorType getBlockType(mlir::Type type, int64_t dimension, int64_t parts);

/// Whether `local` is what each of `parts` neighbours has of a value of type `whole` that lies as
/// `layout` says.
bool isBlockOf(mlir::Type local, mlir::Type whole, const Layout &layout, int64_t parts);

/// The block of this rank of `whole`; the builder stands after it.
mlir::Value takeBlock(mlir::OpBuilder &builder, mlir::Value whole, TensorCut along, int64_t parts,
                      mlir::FlatSymbolRefAttr neighbours);

/// The blocks of all neighbours of `part`, joined as they were cut.
mlir::Value gatherBlocks(mlir::OpBuilder &builder, mlir::Value part, TensorCut along, int64_t parts,
                         mlir::FlatSymbolRefAttr neighbours);

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_TENSOR_TENSORPROGRAM_H
