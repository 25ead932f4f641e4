// Loss scaling and clipping as loops: sums over all elements, and one factor for all of them.
// The formulas are those of the op texts in dialects/train/TrainGradients.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/train/Train.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/ScalarMath.h"
#include "passes/conversion/train/LowerTrain.h"

#include <limits>

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::train;

namespace {

using Scalars = SmallVector<Value>;

RankedTensorType scalarType(Type element) { return RankedTensorType::get({}, element); }

/// The sum over all elements of all `tensors` of what `term` makes of one, as a scalar tensor of
/// f32.
Value createTotal(ImplicitLocOpBuilder &builder, ValueRange tensors,
                  function_ref<Value(const ScalarMath &, Value)> term) {
  Type type = builder.getF32Type();
  SmallVector<Value> sums;
  for (Value tensor : tensors)
    sums.push_back(createReduction(builder, tensorType(tensor).getShape(), {}, tensor,
                                   builder.getMultiDimIdentityMap(tensorType(tensor).getRank()),
                                   type, 0.0,
                                   [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                                     ScalarMath s(b, type);
                                     return {s.add(in[1], term(s, in[0]))};
                                   })[0]);
  return createElementwise(builder, scalarType(type), sums,
                           [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                             Value total = in[0];
                             for (Value sum : in.slice(1, sums.size() - 1))
                               total = ScalarMath(b, type).add(total, sum);
                             return {total};
                           });
}

/// `tensor` times a scalar tensor of f32, multiplied in f32 (in f64 for f64).
Value createProduct(ImplicitLocOpBuilder &builder, Value tensor, Value factor) {
  RankedTensorType type = tensorType(tensor);
  Type wide = type.getElementType().isF64() ? builder.getF64Type() : builder.getF32Type();
  return createElementwise(builder, type, {tensor, factor},
                           [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                             auto widen = [&](Value v) { return castScalar(b, v, wide); };
                             Value product = ScalarMath(b, wide).mul(widen(in[0]), widen(in[1]));
                             return {castScalar(b, product, type.getElementType())};
                           });
}

struct LowerUnscale : OpRewritePattern<UnscaleOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(UnscaleOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Type f32 = builder.getF32Type();
    Value inverse = createElementwise(builder, scalarType(f32), op.getScale(),
                                      [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                                        ScalarMath s(b, f32);
                                        return {s.div(s.constant(1), in[0])};
                                      });
    rewriter.replaceOp(op, createProduct(builder, op.getGradient(), inverse));
    return success();
  }
};

struct LowerAllFinite : OpRewritePattern<AllFiniteOp> {
  using OpRewritePattern::OpRewritePattern;

  /// Zero for a finite number, not a number for any other; so is the sum over all elements. Unlike
  /// a chain of comparisons it becomes vector code.
  static Value probe(const ScalarMath &s, Value element) {
    ScalarMath own(s.builder, element.getType());
    return castScalar(s.builder, own.mul(element, own.constant(0)), s.type);
  }

  LogicalResult matchAndRewrite(AllFiniteOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value total = createTotal(builder, op.getGradients(), probe);
    rewriter.replaceOp(op, createElementwise(builder, scalarType(builder.getI1Type()), total,
                                             [](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                                               ScalarMath s(b, in[0].getType());
                                               return {s.equal(in[0], s.constant(0))};
                                             }));
    return success();
  }
};

/// The square of an element, in the type that `s` computes in.
Value square(const ScalarMath &s, Value element) {
  Value wide = castScalar(s.builder, element, s.type);
  return s.mul(wide, wide);
}

struct LowerSumOfSquares : OpRewritePattern<SumOfSquaresOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SumOfSquaresOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, createTotal(builder, op.getGradients(), square));
    return success();
  }
};

struct LowerGlobalNorm : OpRewritePattern<GlobalNormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GlobalNormOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, createNorm(builder, op.getGradients()));
    return success();
  }
};

struct LowerClip : OpRewritePattern<tutti::train::ClipOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tutti::train::ClipOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Type f32 = builder.getF32Type();
    double limit = op.getMaxNorm().convertToDouble();
    Value factor = createElementwise(builder, scalarType(f32), op.getNorm(),
                                     [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                                       ScalarMath s(b, f32);
                                       Value ratio =
                                           s.div(s.constant(limit), s.add(in[0], s.constant(1e-6)));
                                       return {s.min(s.constant(1), ratio)};
                                     });
    rewriter.replaceOp(op, createProduct(builder, op.getGradient(), factor));
    return success();
  }
};

/// A selection that no optimizer took into its loop. Its destination is the old value, which stays
/// where it is.
struct LowerSelect : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SelectOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto body = [](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
      return {arith::SelectOp::create(b, in[0], in[1], in[2])};
    };
    rewriter.replaceOp(op, createElementwise(builder, {op.getCondition(), op.getOnTrue()},
                                             ValueRange{op.getOnFalse()}, body));
    return success();
  }
};

struct LowerUpdateLossScale : OpRewritePattern<UpdateLossScaleOp> {
  using OpRewritePattern::OpRewritePattern;

  /// `changed`, or `scale` where that would be infinite or lose bits.
  static Value keepNormal(const ScalarMath &s, Value changed, Value scale) {
    Value tooSmall = s.less(changed, s.constant(std::numeric_limits<float>::min()));
    Value tooLarge = s.less(s.constant(std::numeric_limits<float>::max()), changed);
    return s.select(tooSmall, scale, s.select(tooLarge, scale, changed));
  }

  LogicalResult matchAndRewrite(UpdateLossScaleOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto body = [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
      Value finite = in[0], scale = in[1], tracker = in[2];
      ScalarMath s(b, scale.getType()), steps(b, tracker.getType());
      Value next = steps.add(tracker, steps.constant(1));
      Value waits = steps.less(next, createInterval(b, op));
      Value grown = s.mul(scale, s.constant(op.getGrowthFactor().convertToDouble()));
      Value shrunk = s.mul(scale, s.constant(op.getBackoffFactor().convertToDouble()));
      Value changed = s.select(finite, s.select(waits, scale, grown), shrunk);
      Value zero = steps.constant(0);
      return {keepNormal(s, changed, scale),
              steps.select(finite, steps.select(waits, next, zero), zero)};
    };
    rewriter.replaceOp(op, createElementwise(builder, op.getFinite(),
                                             {op.getScale(), op.getGrowthTracker()}, body));
    return success();
  }

  /// Not through a double, which has fewer bits.
  static Value createInterval(ImplicitLocOpBuilder &builder, UpdateLossScaleOp op) {
    return arith::ConstantOp::create(builder, op.getGrowthIntervalAttr());
  }
};

} // namespace

Value tutti::conversion::createNorm(ImplicitLocOpBuilder &builder, ValueRange tensors) {
  Value total = createTotal(builder, tensors, square);
  return createElementwise(builder, tensorType(total), total,
                           [](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                             return {ScalarMath(b, in[0].getType()).sqrt(in[0])};
                           });
}

void tutti::conversion::populateGradientPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerUnscale, LowerAllFinite, LowerSumOfSquares, LowerGlobalNorm, LowerClip,
               LowerSelect, LowerUpdateLossScale>(patterns.getContext());
}
