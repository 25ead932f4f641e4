// What operators of ONNX count, and draw.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/SampleCount.h"

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

} // namespace

void tutti::onnx::attachSampleCounts(MLIRContext *context) {
  SoftmaxCrossEntropyLossOp::attachInterface<CountOfLoss>(*context);
  DivOp::attachInterface<DivisorOfQuotient>(*context);
  RandomNormalOp::attachInterface<SeedOfRandom<RandomNormalOp>>(*context);
  RandomUniformOp::attachInterface<SeedOfRandom<RandomUniformOp>>(*context);
}
