// Values that are computed in chunks, or cut into them, and joined again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_DISTRIBUTION_TENSOR_CHUNKEDVALUES_H
#define TUTTI_PASSES_DISTRIBUTION_TENSOR_CHUNKEDVALUES_H

#include "lib/layout/Transfer.h"
#include "passes/distribution/tensor/TensorPlacement.h"

#include "mlir/IR/Builders.h"

namespace tutti::distribution {

/// The chunks of the values of a block. A value is cut, or joined, once, right after what makes it;
/// all are of static shape.
class ChunkedValues {
public:
  using Chunks = llvm::SmallVector<mlir::Value, 4>;

  /// Each value has `count` chunks. Slices are written in StableHLO, if the program is.
  ChunkedValues(int64_t count, bool isOfStablehlo) : count(count), isOfStablehlo(isOfStablehlo) {}
  int64_t getCount() const { return count; }

  /// `value` has been computed in `chunks`, which lie as `layout` says: the first of them is all of
  /// it if that is no Shard. Its own operation will go.
  void set(mlir::Value value, const Layout &layout, const Chunks &chunks);
  /// The chunks of `value` along `cut`.
  const Chunks &get(mlir::Value value, TensorCut cut);
  /// All of `value`.
  mlir::Value getWhole(mlir::Value value);

private:
  struct Computed {
    Layout layout;
    Chunks chunks;
  };

  int64_t count;
  bool isOfStablehlo;
  llvm::DenseMap<mlir::Value, Computed> computed;
  llvm::DenseMap<mlir::Value, mlir::Value> wholes;
  llvm::DenseMap<std::tuple<mlir::Value, int64_t, int64_t>, Chunks> slices; ///< along what
};

/// `op`, at the builder's point, for chunks of its operands, or all of an operand, and of its
/// results, as `transfer` says.
mlir::Operation *createChunk(mlir::OpBuilder &builder, mlir::Operation *op,
                             const Transfer &transfer, mlir::ValueRange operands, int64_t chunks);

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_TENSOR_CHUNKEDVALUES_H
