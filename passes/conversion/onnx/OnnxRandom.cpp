// Dropout and random tensors as kernel calls: the kernels draw the same numbers on every number of
// ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/interfaces/Draws.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/onnx/Onnx.h"
#include "dialects/train/Train.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/ScalarMath.h"
#include "passes/conversion/onnx/LowerOnnx.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::onnx;
using tutti::kernel::createKernel;

static constexpr const char *kNoTurn = "it is in a loop that computes several micro-batches in a "
                                       "turn, and train.turn does not say of which it is";

namespace {

using Scalars = SmallVector<Value>;

int64_t nodeOf(Operation *op) {
  return op->getAttrOfType<IntegerAttr>(tutti::kDrawNumber).getInt();
}

/// A missing training_mode means false; one that is not constant has no answer.
std::optional<bool> constantMode(Value mode) {
  if (!mode)
    return false;
  DenseElementsAttr value;
  if (!matchPattern(mode, m_Constant(&value)) || !value.isSplat())
    return std::nullopt;
  return value.getSplatValue<bool>();
}

constexpr const char *kModeNotConstant = "training_mode must be a constant";

/// `ratio` or its default as a scalar of `type`.
Value ratioOf(ImplicitLocOpBuilder &builder, Value ratio, Type type) {
  if (!ratio)
    return createFilled(builder, RankedTensorType::get({}, type), 0.5);
  Value scalar = createReshape(builder, ratio, {});
  if (tensorType(scalar).getElementType() == type)
    return scalar;
  return createElementwise(builder, RankedTensorType::get({}, type), scalar,
                           [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                             return {castScalar(b, in[0], type)};
                           });
}

/// `value` / (1 - ratio) where `mask` is true, else 0; of 16 bits in f32, rounded once.
Value scaleKept(ImplicitLocOpBuilder &builder, RankedTensorType type, Value value, Value mask,
                Value ratio) {
  Type element = type.getElementType();
  Type wide = element.getIntOrFloatBitWidth() == 16 ? builder.getF32Type() : element;
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
    ScalarMath s(b, wide);
    Value kept = s.div(castScalar(b, in[0], wide), s.sub(s.constant(1), in[2]));
    return {castScalar(b, s.select(in[1], kept, s.constant(0)), element)};
  };
  Value dropped = ratioOf(builder, ratio, wide);
  return createElementwise(builder, type, {value, mask, dropped}, body);
}

/// Which micro-batch it is, as a buffer for a kernel.
Value numberOf(ImplicitLocOpBuilder &builder, tutti::train::MicroBatchOp part) {
  auto type = RankedTensorType::get({}, builder.getI64Type());
  Value number = arith::IndexCastOp::create(builder, type.getElementType(), part.getIndex());
  return tensor::FromElementsOp::create(builder, type, number);
}

/// Of how many blocks of samples, one after the other, the data consist; -1: they hold no samples.
int64_t blocksOf(tutti::PlacedDrawsOpInterface op) {
  std::optional<ArrayRef<int64_t>> samples = op.getSamples();
  if (!samples)
    return 1;
  if (samples->empty())
    return -1;
  int64_t blocks = samples->back();
  for (int64_t size : tensorType(op.getDrawnFor()).getShape().take_front(samples->front()))
    blocks *= size;
  return blocks;
}

struct LowerDropout : OpRewritePattern<DropoutOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DropoutOp op, PatternRewriter &rewriter) const override {
    RankedTensorType type = tensorType(op.getOutput());
    std::optional<bool> training = constantMode(op.getTrainingMode());
    if (!training)
      return rewriter.notifyMatchFailure(op, kModeNotConstant);
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    if (!*training) {
      auto kept = DenseElementsAttr::get(tensorType(op.getMask()), true);
      rewriter.replaceOp(op, {op.getData(), arith::ConstantOp::create(builder, kept)});
      return success();
    }
    Value ratio = ratioOf(builder, op.getRatio(), builder.getF32Type());
    // The kernel knows f32. Of other types it tells which elements are kept, and not of what.
    auto drawn = RankedTensorType::get(type.getShape(), builder.getF32Type());
    Value data = type == drawn ? op.getData() : createFilled(builder, drawn, 0);
    // A seed of the node's own moves it to a range of numbers of its own.
    int64_t node = nodeOf(op) + (op.getSeed() ? (int64_t(*op.getSeed()) + 1) << 32 : 0);
    SmallVector<Value> inputs{data, ratio};
    FailureOr<tutti::train::MicroBatchOp> part = tutti::train::findMicroBatch(op);
    if (failed(part))
      return rewriter.notifyMatchFailure(op, kNoTurn);
    if (*part)
      inputs.push_back(numberOf(builder, *part));
    SmallVector<Value> outputs{createEmpty(builder, drawn),
                               createEmpty(builder, tensorType(op.getMask()))};
    auto call =
        createKernel<tutti::kernel::DropoutOp>(builder, op.getLoc(), inputs, outputs, node,
                                               *part ? int64_t(part->getParts()) : 1, blocksOf(op));
    if (type == drawn) {
      rewriter.replaceOp(op, call.getResults());
      return success();
    }
    Value mask = call.getResult(1);
    rewriter.replaceOp(op, {scaleKept(builder, type, op.getData(), mask, op.getRatio()), mask});
    return success();
  }
};

struct LowerDropoutGrad : OpRewritePattern<DropoutGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DropoutGradOp op, PatternRewriter &rewriter) const override {
    std::optional<bool> training = constantMode(op.getTrainingMode());
    if (!training)
      return rewriter.notifyMatchFailure(op, kModeNotConstant);
    if (!*training) {
      rewriter.replaceOp(op, op.getDY());
      return success();
    }
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(
        op, scaleKept(builder, tensorType(op.getDX()), op.getDY(), op.getMask(), op.getRatio()));
    return success();
  }
};

/// A distribution and its two parameters.
struct Distribution {
  tutti::kernel::Distribution kind;
  APFloat a, b;
};
Distribution distributionOf(RandomNormalOp op) {
  return {tutti::kernel::Distribution::Normal, op.getMean(), op.getScale()};
}
Distribution distributionOf(RandomUniformOp op) {
  return {tutti::kernel::Distribution::Uniform, op.getLow(), op.getHigh()};
}
Distribution distributionOf(RandomNormalLikeOp op) {
  return {tutti::kernel::Distribution::Normal, op.getMean(), op.getScale()};
}
Distribution distributionOf(RandomUniformLikeOp op) {
  return {tutti::kernel::Distribution::Uniform, op.getLow(), op.getHigh()};
}

/// What a tensor of a shape of its own holds no samples of.
int64_t blocksOf(RandomNormalOp) { return -1; }
int64_t blocksOf(RandomUniformOp) { return -1; }
int64_t blocksOf(RandomNormalLikeOp op) {
  return blocksOf(cast<tutti::PlacedDrawsOpInterface>(*op));
}
int64_t blocksOf(RandomUniformLikeOp op) {
  return blocksOf(cast<tutti::PlacedDrawsOpInterface>(*op));
}

template <typename Op> struct LowerRandom : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    RankedTensorType type = tensorType(op.getOutput());
    if (!type.getElementType().isF32() && !type.getElementType().isF64())
      return rewriter.notifyMatchFailure(op, "random tensors are drawn in f32 and f64 only");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Distribution distribution = distributionOf(op);
    // The seed is a float in ONNX: its bits tell any two apart.
    IntegerAttr seed;
    if (op.getSeed())
      seed = builder.getI64IntegerAttr(llvm::bit_cast<int64_t>(op.getSeed()->convertToDouble()));
    auto asDouble = [](APFloat value) { return APFloat(value.convertToDouble()); };
    int64_t blocks = blocksOf(op);
    FailureOr<tutti::train::MicroBatchOp> part =
        blocks > 0 ? tutti::train::findMicroBatch(op) : tutti::train::MicroBatchOp();
    if (failed(part))
      return rewriter.notifyMatchFailure(op, kNoTurn);
    SmallVector<Value> inputs;
    if (*part)
      inputs.push_back(numberOf(builder, *part));
    auto call = createKernel<tutti::kernel::RandomOp>(
        builder, op.getLoc(), inputs, createEmpty(builder, type), distribution.kind,
        asDouble(distribution.a), asDouble(distribution.b), nodeOf(op), seed,
        *part ? int64_t(part->getParts()) : 1, blocks);
    rewriter.replaceOp(op, call.getResults());
    return success();
  }
};

} // namespace

void tutti::conversion::populateRandomPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerDropout, LowerDropoutGrad, LowerRandom<RandomNormalOp>,
               LowerRandom<RandomUniformOp>, LowerRandom<RandomNormalLikeOp>,
               LowerRandom<RandomUniformLikeOp>>(patterns.getContext());
}
