// One linalg op on buffers seen as a nest of loops over flat arrays.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/codegen/LoopNest.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"

using namespace mlir;

namespace tutti::codegen {

/// The strides of `operand` along the op's dimensions, from its memory layout and its indexing map.
static LogicalResult describeOperand(linalg::LinalgOp op, OpOperand &operand, LoopNest &nest) {
  if (op.isScalar(&operand)) { // as the value of linalg.fill: the same everywhere
    nest.offsets.push_back(0);
    nest.extents.push_back(0);
    nest.isOffsetComputed.push_back(false);
    for (Loop &loop : nest.loops)
      loop.strides.push_back(0);
    return success();
  }
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  SmallVector<int64_t> layout;
  int64_t offset;
  if (!type || !type.hasStaticShape() || failed(type.getStridesAndOffset(layout, offset)) ||
      ShapedType::isDynamicShape(layout))
    return op.emitOpError("cannot become loops: ")
           << operand.get().getType() << " is not a buffer of static shape and layout";
  nest.isOffsetComputed.push_back(ShapedType::isDynamic(offset));
  if (nest.isOffsetComputed.back())
    offset = 0;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<int64_t> strides(map.getNumDims(), 0);
  for (auto [result, stride] : llvm::zip_equal(map.getResults(), layout)) {
    SmallVector<int64_t> flat;
    if (failed(getFlattenedAffineExpr(result, map.getNumDims(), 0, &flat)) ||
        flat.size() != map.getNumDims() + 1)
      return op.emitOpError("cannot become loops: its access ")
             << AffineMapAttr::get(map) << " is not a sum of indices";
    for (unsigned dimension = 0; dimension < map.getNumDims(); ++dimension)
      strides[dimension] += flat[dimension] * stride;
    offset += flat.back() * stride;
  }
  // An array that is walked backwards starts at its lowest element.
  for (auto [loop, stride] : llvm::zip_equal(nest.loops, strides))
    offset += stride < 0 ? (loop.size - 1) * stride : 0;
  int64_t extent = 1;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), layout))
    extent += (size - 1) * stride;
  nest.offsets.push_back(offset);
  nest.extents.push_back(type.getNumElements() ? extent : 0);
  for (auto [loop, stride] : llvm::zip_equal(nest.loops, strides))
    loop.strides.push_back(stride);
  return success();
}

static bool canMerge(const Loop &outer, const Loop &inner) {
  if (outer.isReduction != inner.isReduction || outer.indexedDimension || inner.indexedDimension)
    return false;
  return llvm::all_of(llvm::zip_equal(outer.strides, inner.strides), [&](auto strides) {
    return std::get<0>(strides) == std::get<1>(strides) * inner.size;
  });
}

/// Merges and drops loops; their order stays, so every element is still visited in the same order.
static void simplify(SmallVector<Loop> &loops) {
  SmallVector<Loop> kept;
  for (Loop &loop : loops) {
    if (loop.size == 1 && !loop.indexedDimension)
      continue;
    if (!kept.empty() && canMerge(kept.back(), loop)) {
      loop.size *= kept.back().size;
      kept.pop_back();
    }
    kept.push_back(std::move(loop));
  }
  loops = std::move(kept);
}

static unsigned countAccumulating(const LoopNest &nest, unsigned firstOutput) {
  unsigned count = 0;
  for (const Loop &loop : llvm::reverse(nest.loops)) {
    auto outputs = ArrayRef(loop.strides).drop_front(firstOutput);
    if (!loop.isReduction || llvm::any_of(outputs, [](int64_t stride) { return stride != 0; }))
      break;
    ++count;
  }
  return count;
}

FailureOr<LoopNest> describeLoops(linalg::LinalgOp op) {
  LoopNest nest;
  for (auto [size, iterator] :
       llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    Loop &loop = nest.loops.emplace_back();
    loop.size = size;
    loop.isReduction = iterator == utils::IteratorType::reduction;
  }
  op.getBlock()->walk(
      [&](linalg::IndexOp index) { nest.loops[index.getDim()].indexedDimension = index.getDim(); });
  for (OpOperand &operand : op->getOpOperands())
    if (failed(describeOperand(op, operand, nest)))
      return failure();
  simplify(nest.loops);
  nest.accumulating = countAccumulating(nest, op.getNumDpsInputs());
  return nest;
}

} // namespace tutti::codegen
