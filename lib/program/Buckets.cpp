// Edits of collectives that communicate several values at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/Buckets.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tutti;
using collective::BucketOpInterface;

BucketOpInterface tutti::program::keepMembers(BucketOpInterface bucket,
                                              const llvm::SmallBitVector &kept) {
  if (kept.all())
    return bucket;
  OpBuilder builder(bucket);
  OperationState state(bucket.getLoc(), bucket->getName());
  SmallVector<Value> outputs;
  for (unsigned member : kept.set_bits()) {
    outputs.push_back(bucket.getOutputs()[member]);
    state.addOperands(bucket.getInputs()[member]);
    state.addTypes(outputs.back().getType());
  }
  state.addAttributes(bucket->getAttrs());
  state.attributes.set("operandSegmentSizes",
                       builder.getDenseI32ArrayAttr({static_cast<int32_t>(outputs.size()), 0}));
  BucketOpInterface rest;
  if (!outputs.empty())
    rest = cast<BucketOpInterface>(builder.create(state));
  for (auto [member, output] : llvm::enumerate(outputs))
    output.replaceAllUsesWith(rest.getOutputs()[member]);
  bucket.erase();
  return rest;
}
