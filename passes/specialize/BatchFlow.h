// What follows from the batch of a function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_SPECIALIZE_BATCHFLOW_H
#define TUTTI_PASSES_SPECIALIZE_BATCHFLOW_H

#include "passes/specialize/EqualSamples.h"
#include "passes/specialize/VaryBatch.h"

#include "dialects/onnx/Onnx.h"
#include "lib/layout/Layout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tutti::specialize {

/// The sizes of a tensor whose shape follows from the batch.
struct Sizes {
  /// Its shape for a batch that is larger by a prime factor.
  llvm::SmallVector<int64_t> scaled;
  /// Of a dimension outer * batch * inner; 0 where that is not known.
  llvm::SmallVector<int64_t> inner;
};

/// What follows from the batch in one function, and what must be written otherwise.
class BatchFlow {
public:
  BatchFlow(mlir::func::FuncOp function, int64_t batch) : function(function), batch(batch) {}

  std::optional<BatchObstacle> find();
  /// Where there is no obstacle in any function.
  void apply();
  /// Where there is one.
  void revert();

private:
  bool follows(mlir::Value value) const { return layouts.contains(value); }
  bool holdsBatch(mlir::Value value, unsigned dimension) const;
  mlir::Type scaledType(mlir::Value value) const;
  std::string shapeText(mlir::Value value) const;
  BatchObstacle obstacle(mlir::Operation &op, const llvm::Twine &problem) const;

  std::optional<BatchObstacle> visit(mlir::Operation &op);
  std::optional<BatchObstacle> visitReshape(tutti::onnx::ReshapeOp op);
  std::optional<BatchObstacle> visitInferred(mlir::Operation &op);
  std::optional<BatchObstacle> visitReduced(mlir::Operation &op);
  void keepReduced(mlir::Operation &op);
  void stateBatchOf(tutti::onnx::ExpandOp op);
  void stateBatchOf(tutti::onnx::SliceOp op);
  std::optional<BatchObstacle> record(mlir::Operation &op, mlir::TypeRange scaled);
  bool repeatsOneSample(mlir::OpOperand &operand, llvm::SmallVectorImpl<mlir::Type> &operands);
  bool joinsOneSample(mlir::OpOperand &operand, llvm::SmallVectorImpl<mlir::Type> &operands);
  std::optional<unsigned> dimensionOfBatch(mlir::Value value) const;
  std::optional<Layout> findReshaped(mlir::Value data, unsigned dimension,
                                     llvm::ArrayRef<int64_t> shape) const;
  int64_t innerOf(mlir::Operation &op, unsigned result, unsigned dimension, int64_t scaled) const;

  mlir::func::FuncOp function;
  int64_t batch;
  llvm::DenseMap<mlir::Value, Sizes> layouts;
  EqualSamples equalSamples;
  /// Computed from the batch, but of a shape that does not follow from it.
  llvm::DenseSet<mlir::Value> reduced;
  /// With what was stated before.
  llvm::SmallVector<std::pair<mlir::Operation *, mlir::DictionaryAttr>> restated;
  /// Operands that keep one sample.
  llvm::SmallVector<std::pair<mlir::OpOperand *, unsigned>> narrowed;
  /// Operands that repeat one sample along a dimension, as often as `like` is long there.
  struct Repeated {
    mlir::OpOperand *operand;
    unsigned dimension;
    mlir::Value like;
  };
  llvm::SmallVector<Repeated> repeated;
};

} // namespace tutti::specialize

#endif // TUTTI_PASSES_SPECIALIZE_BATCHFLOW_H
