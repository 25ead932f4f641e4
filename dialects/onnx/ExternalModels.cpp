// What operators of ONNX are to passes that do not know them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/ExternalModels.h"

#include "dialects/interfaces/Lookup.h"
#include "dialects/interfaces/SampleCount.h"
#include "dialects/onnx/Onnx.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::onnx;

namespace {

struct CountOfLoss : SampleCountOpInterface::ExternalModel<CountOfLoss, SoftmaxCrossEntropyLossOp> {
  StringRef getDividingCount(Operation *op) const {
    auto loss = cast<SoftmaxCrossEntropyLossOp>(op);
    if (loss.getReduction() != "mean")
      return "";
    if (loss.getWeights())
      return "the weights of its own labels";
    return loss.getIgnoreIndex() ? "the number of its own labels that count" : "";
  }
};

struct DivisorOfQuotient : SampleCountOpInterface::ExternalModel<DivisorOfQuotient, DivOp> {
  Value getDivisor(Operation *op) const { return op->getOperand(1); }
};

template <typename Op>
struct SeedOfRandom : SampleCountOpInterface::ExternalModel<SeedOfRandom<Op>, Op> {
  bool hasFixedSeed(Operation *op) const { return cast<Op>(op).getSeed().has_value(); }
};

struct LookupOfGather : LookupOpInterface::ExternalModel<LookupOfGather, GatherOp> {
  Value getLookedUpTable(Operation *op) const {
    auto gather = cast<GatherOp>(op);
    return gather.getGatheredAxis() == 0 ? gather.getData() : Value();
  }
  Value getLookedUpRows(Operation *op) const { return cast<GatherOp>(op).getIndices(); }
};

} // namespace

void tutti::onnx::attachExternalModels(MLIRContext *context) {
  GatherOp::attachInterface<LookupOfGather>(*context);
  SoftmaxCrossEntropyLossOp::attachInterface<CountOfLoss>(*context);
  DivOp::attachInterface<DivisorOfQuotient>(*context);
  RandomNormalOp::attachInterface<SeedOfRandom<RandomNormalOp>>(*context);
  RandomUniformOp::attachInterface<SeedOfRandom<RandomUniformOp>>(*context);
  RandomNormalLikeOp::attachInterface<SeedOfRandom<RandomNormalLikeOp>>(*context);
  RandomUniformLikeOp::attachInterface<SeedOfRandom<RandomUniformLikeOp>>(*context);
}
