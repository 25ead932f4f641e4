// How many samples a rank takes from each global batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/BatchShare.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tutti::program;
using tutti::train::BatchPolicy;
using tutti::train::DatasetOp;

static LogicalResult checkDivides(DatasetOp dataset, int64_t batch, int64_t ranks,
                                  BatchPolicy policy) {
  if (policy == BatchPolicy::Error && batch % ranks != 0)
    return dataset.emitOpError("has a global batch of ")
           << batch << " samples, which " << ranks
           << " ranks cannot share equally; change one of the two or choose batch-policy=drop, pad "
              "or weighted";
  bool roundsUp = policy == BatchPolicy::Pad;
  if (batch < ranks && !roundsUp)
    return dataset.emitOpError("has a global batch of ")
           << batch << " samples, too few for " << ranks << " ranks: some would get none";
  return success();
}

static BatchShare divide(int64_t batch, int64_t ranks, BatchPolicy policy, bool isCeil) {
  int64_t floor = batch / ranks, ceil = llvm::divideCeil(batch, ranks);
  switch (policy) {
  case BatchPolicy::Error:
  case BatchPolicy::Drop:
    return {batch, ranks, floor, floor * ranks};
  case BatchPolicy::Pad:
    return {batch, ranks, ceil, ceil * ranks};
  case BatchPolicy::Weighted:
    return {batch, ranks, isCeil ? ceil : floor, batch};
  }
  llvm_unreachable("a policy without a rule");
}

FailureOr<BatchShare> tutti::program::shareOf(DatasetOp dataset, bool isCeil) {
  if (!dataset.getGlobalBatch())
    return dataset.emitOpError("has no global_batch; give one with --train=\"global-batch=...\"");
  int64_t batch = *dataset.getGlobalBatch();
  tutti::train::ShardAttr shard = dataset.getShardAttr();
  if (!shard)
    return BatchShare{batch, 1, batch, batch};
  if (shard.getRanks() < 1)
    return dataset.emitOpError(
        "is not specialised for a number of ranks; run specialize-world first");
  if (failed(checkDivides(dataset, batch, shard.getRanks(), shard.getPolicy())))
    return failure();
  return divide(batch, shard.getRanks(), shard.getPolicy(), isCeil);
}
