// Edits of collectives that communicate several values at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/plan/Buckets.h"

#include "dialects/interfaces/ranks/Communication.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tutti;
using collective::BucketOpInterface;

BucketOpInterface tutti::program::keepMembers(BucketOpInterface bucket,
                                              const llvm::SmallBitVector &kept) {
  if (kept.all())
    return bucket;
  OpBuilder builder(bucket);
  SmallVector<Value> inputs, outputs;
  for (unsigned member : kept.set_bits()) {
    inputs.push_back(bucket.getInputs()[member]);
    outputs.push_back(bucket.getOutputs()[member]);
  }
  BucketOpInterface rest;
  if (const CommunicationDialectInterface *factory = getFactory(bucket); !outputs.empty()) {
    rest = cast_or_null<BucketOpInterface>(
        factory ? factory->createLike(builder, bucket.getLoc(), bucket, inputs, TypeRange(outputs))
                : nullptr);
    if (!rest)
      return bucket;
  }
  for (auto [member, output] : llvm::enumerate(outputs))
    output.replaceAllUsesWith(rest.getOutputs()[member]);
  bucket.erase();
  return rest;
}
