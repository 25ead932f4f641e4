// Where sums over ranks are taken so that as few bytes as possible travel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_LAYOUT_SUMCUT_H
#define TUTTI_LIB_LAYOUT_SUMCUT_H

#include "lib/layout/Transfer.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseSet.h"

namespace tutti {

/// How every value of a block lies on the ranks of one axis, as an analysis has found it.
class PlacedValues {
public:
  virtual ~PlacedValues() = default;

  /// Replicate for values that nobody placed.
  virtual Layout getLayout(mlir::Value value) const = 0;

  /// As what an operation that was placed takes its operands, and what it gives; null for others,
  /// such as the function's return.
  virtual const Transfer *getTransfer(mlir::Operation *op) const = 0;
};

/// The values of `block` whose sums are taken: on each way from where a sum arises to where it is
/// needed stands one. After it, linear operations are computed of the whole; before it, of what
/// each rank has. Among all such choices the one of the fewest bytes, where a call counts as
/// kBytesOfCall more; among equal ones the earliest, which can begin first. It is a minimum cut.
llvm::DenseSet<mlir::Value> findCheapestSums(mlir::Block &block, const PlacedValues &placement);

/// The same where only results of `placed` may be sums: operations of one block, each once.
llvm::DenseSet<mlir::Value> findCheapestSums(llvm::ArrayRef<mlir::Operation *> placed,
                                             const PlacedValues &placement);

/// What a call costs in addition to its bytes, in bytes. Because of it, two small sums are not
/// cheaper than one.
inline constexpr int64_t kBytesOfCall = 1024;

} // namespace tutti

#endif // TUTTI_LIB_LAYOUT_SUMCUT_H
