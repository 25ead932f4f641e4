// Whether micro-batches divide what a rank takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/specialize/Specialization.h"

#include "dialects/train/Train.h"

using namespace mlir;
using namespace tutti::specialize;
using namespace tutti::train;

static LogicalResult emitIndivisible(MicroBatchOp op, InputAttr input,
                                     const tutti::program::BatchShare &share) {
  return mlir::emitError(op.getLoc())
         << op.getParts() << " micro-batches do not divide the " << share.localBatch
         << " samples of " << input.getDataset() << " that a rank takes (global batch "
         << share.globalBatch << ", " << share.ranks << (share.ranks == 1 ? " rank" : " ranks")
         << "); change one of the three";
}

LogicalResult tutti::specialize::checkMicroBatches(func::FuncOp function,
                                                   const BatchShares &shares) {
  WalkResult walked = function.walk([&](MicroBatchOp op) {
    auto argument = dyn_cast<BlockArgument>(op.getBatch());
    auto input =
        argument && argument.getOwner() == &function.getBody().front()
            ? function.getArgAttrOfType<InputAttr>(argument.getArgNumber(), TrainDialect::kInput)
            : InputAttr();
    if (!input)
      return WalkResult::advance();
    auto share = shares.find(input.getDataset().getAttr());
    if (share == shares.end() || share->second.localBatch % op.getParts() == 0)
      return WalkResult::advance();
    (void)emitIndivisible(op, input, share->second);
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}
