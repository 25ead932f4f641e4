// train-global-divisors: losses that divide by what they count divide by the count of the whole
// batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/Passes.h"

#include "dialects/onnx/Onnx.h"
#include "dialects/train/Train.h"

#include "mlir/IR/TypeUtilities.h"

namespace tutti::gradient {
#define GEN_PASS_DEF_GLOBALDIVISORSPASS
#include "passes/gradient/Passes.h.inc"
} // namespace tutti::gradient

using namespace mlir;
using namespace tutti;

static Value constantOf(OpBuilder &builder, Location loc, Attribute number) {
  auto type = RankedTensorType::get({}, cast<TypedAttr>(number).getType());
  return onnx::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, number));
}

/// Builds the sum of the weights of all labels that are not ignored.
static Value sumOfWeights(OpBuilder &builder, Location loc, Value labels, Value weights,
                          IntegerAttr ignored, Type type) {
  Type labelType = getElementTypeOrSelf(labels);
  Value isIgnored, each;
  if (ignored) {
    auto number = builder.getIntegerAttr(labelType, ignored.getInt());
    isIgnored =
        onnx::EqualOp::create(builder, loc, ValueRange{labels, constantOf(builder, loc, number)});
  }
  if (weights) {
    Value zero = constantOf(builder, loc, builder.getIntegerAttr(labelType, 0));
    Value known =
        isIgnored ? Value(onnx::WhereOp::create(builder, loc, ValueRange{isIgnored, zero, labels}))
                  : labels;
    each = onnx::GatherOp::create(builder, loc, weights, known, /*axis=*/0);
    Value nothing = constantOf(builder, loc, builder.getFloatAttr(type, 0));
    if (isIgnored)
      each = onnx::WhereOp::create(builder, loc, ValueRange{isIgnored, nothing, each});
  } else {
    Value isCounted = onnx::NotOp::create(builder, loc, ValueRange{isIgnored});
    each = onnx::CastOp::create(builder, loc, isCounted, type);
  }
  return onnx::ReduceSumOp::create(builder, loc, each, nullptr, /*keepdims=*/0,
                                   /*noop_with_empty_axes=*/0);
}

/// What all parts of the batch divide by: the same, whatever part counts how much.
static Value divisorOf(OpBuilder &builder, Location loc, Value count) {
  Value total = train::BatchTotalOp::create(builder, loc, count);
  return train::BatchShareOp::create(builder, loc, total);
}

/// Whether a loss, or its gradient, divides by a sum of weights that differs between parts.
template <typename Op> static bool dividesByWeights(Op op) {
  return op.getReduction() == "mean" && (op.getWeights() || op.getIgnoreIndex());
}

static void divideSum(onnx::SoftmaxCrossEntropyLossOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value count = sumOfWeights(builder, loc, op.getLabels(), op.getWeights(), op.getIgnoreIndexAttr(),
                             getElementTypeOrSelf(op.getOutput()));
  Value divisor = divisorOf(builder, loc, count);
  op.setReduction("sum");
  builder.setInsertionPointAfter(op);
  Operation *quotient = onnx::DivOp::create(builder, loc, ValueRange{op.getOutput(), divisor});
  op.getOutput().replaceAllUsesExcept(quotient->getResult(0), quotient);
}

static void divideSum(onnx::SoftmaxCrossEntropyLossGradOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value count = sumOfWeights(builder, loc, op.getLabel(), op.getWeights(), op.getIgnoreIndexAttr(),
                             getElementTypeOrSelf(op.getDY()));
  Value divisor = divisorOf(builder, loc, count);
  op.setReduction("sum");
  op.getDYMutable().assign(onnx::DivOp::create(builder, loc, ValueRange{op.getDY(), divisor}));
}

namespace {
struct GlobalDivisors : gradient::impl::GlobalDivisorsPassBase<GlobalDivisors> {
  void runOnOperation() override {
    auto step = getOperation().lookupSymbol<func::FuncOp>("step");
    if (!step || step.isExternal())
      return markAllAnalysesPreserved();
    bool changes = false;
    auto divide = [&](auto op) {
      if (!dividesByWeights(op))
        return;
      divideSum(op);
      changes = true;
    };
    step.walk([&](onnx::SoftmaxCrossEntropyLossOp op) { divide(op); });
    step.walk([&](onnx::SoftmaxCrossEntropyLossGradOp op) { divide(op); });
    if (!changes)
      markAllAnalysesPreserved();
  }
};
} // namespace
