// Optimizers as loops: one linalg.generic each, whose destinations are the variable and its states.
// The formulas are those of the op texts in dialects/train/TrainOptimizers.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/train/Train.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/ScalarMath.h"
#include "passes/conversion/train/LowerTrain.h"

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::train;

namespace {

using Scalars = SmallVector<Value>;

/// The type in which a variable is updated: sums of 16 bits would lose small moves.
Type computeTypeOf(Value variable) {
  Type type = tensorType(variable).getElementType();
  return type.isF64() ? type : Float32Type::get(type.getContext());
}

/// Floats among `values` in `type`, integers as they are.
SmallVector<Value> castFloats(ImplicitLocOpBuilder &builder, ValueRange values, Type type) {
  return llvm::map_to_vector(values, [&](Value value) {
    return isa<FloatType>(value.getType()) ? castScalar(builder, value, type) : value;
  });
}

/// A scalar tensor computed from scalar tensors, before the loop over the elements.
Value createScalarTensor(ImplicitLocOpBuilder &builder, Type type, ValueRange inputs,
                         ScalarBody body) {
  return createElementwise(builder, RankedTensorType::get({}, type), inputs,
                           [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                             return body(b, castFloats(b, in, type));
                           });
}

/// What decides whether the step counts, where each result of an optimizer is used by one selection
/// only: between it and what `outputs` held. Else null.
Value findCondition(Operation *optimizer, ValueRange outputs) {
  Value condition;
  for (auto [result, output] : llvm::zip_equal(optimizer->getResults(), outputs)) {
    auto select = result.hasOneUse() ? dyn_cast<SelectOp>(*result.user_begin()) : SelectOp();
    if (!select || select.getOnTrue() != result || select.getOnFalse() != output ||
        (condition && select.getCondition() != condition))
      return Value();
    condition = select.getCondition();
  }
  Operation *decision = condition ? condition.getDefiningOp() : nullptr;
  bool isKnown = !decision || (decision->getBlock() == optimizer->getBlock() &&
                               decision->isBeforeInBlock(optimizer));
  return isKnown ? condition : Value();
}

/// Replaces an optimizer by one loop, whose destinations are the variable and its states. A skipped
/// step is skipped within that loop, so that it costs no pass over memory of its own.
void replaceUpdate(ImplicitLocOpBuilder &builder, PatternRewriter &rewriter, Operation *optimizer,
                   ValueRange inputs, ValueRange outputs, ScalarBody update) {
  Type type = computeTypeOf(outputs.front());
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
    Scalars results = update(b, castFloats(b, in, type));
    for (auto [result, output] : llvm::zip_equal(results, outputs))
      result = castScalar(b, result, tensorType(output).getElementType());
    return results;
  };
  Value condition = findCondition(optimizer, outputs);
  if (!condition)
    return rewriter.replaceOp(optimizer, createElementwise(builder, inputs, outputs, body));
  SmallVector<Value> allInputs(inputs);
  allInputs.push_back(condition);
  auto select = [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
    Value counts = in[inputs.size()];
    SmallVector<Value> others(in.take_front(inputs.size()));
    llvm::append_range(others, in.drop_front(allInputs.size()));
    Scalars results = body(b, others);
    for (auto [value, old] : llvm::zip(results, in.drop_front(allInputs.size())))
      value = arith::SelectOp::create(b, counts, value, old);
    return results;
  };
  SmallVector<Value> results = createElementwise(builder, allInputs, outputs, select);
  for (auto [old, value] : llvm::zip(optimizer->getResults(), results))
    rewriter.replaceAllUsesWith((*old.user_begin())->getResult(0), value);
  rewriter.replaceOp(optimizer, results);
}

/// The gradient with weight decay added: g + coefficient * x.
Value regularize(const ScalarMath &s, Value gradient, Value variable, APFloat coefficient) {
  if (coefficient.isZero())
    return gradient;
  return s.add(gradient, s.mul(s.constant(coefficient.convertToDouble()), variable));
}

/// `step` as a scalar of the computation's type.
Value stepAsFloat(const ScalarMath &s, Value step) { return castScalar(s.builder, step, s.type); }

struct LowerSgd : OpRewritePattern<SgdOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SgdOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Type type = computeTypeOf(op.getVariable());
    auto body = [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
      ScalarMath s(b, type);
      Value gradient = in[0], rate = in[1], x = in[2];
      Value g = regularize(s, gradient, x, op.getNormCoefficient());
      return {s.sub(x, s.mul(rate, g))};
    };
    replaceUpdate(builder, rewriter, op, {op.getGradient(), op.getLearningRate()}, op.getVariable(),
                  body);
    return success();
  }
};

struct LowerMomentum : OpRewritePattern<MomentumOp> {
  using OpRewritePattern::OpRewritePattern;

  /// The weight of the gradient: beta, but 1 in the first step.
  static Value createGradientWeight(ImplicitLocOpBuilder &builder, MomentumOp op, Type type) {
    double beta = op.getBeta().convertToDouble();
    if (beta == 1.0 || !op.getStep())
      return createFilled(builder, RankedTensorType::get({}, type), beta);
    return createScalarTensor(builder, type, op.getStep(),
                              [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                                ScalarMath s(b, type), steps(b, in[0].getType());
                                Value started = steps.less(steps.constant(0), in[0]);
                                return {s.select(started, s.constant(beta), s.constant(1))};
                              });
  }

  LogicalResult matchAndRewrite(MomentumOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Type type = computeTypeOf(op.getVariable());
    Value weight = createGradientWeight(builder, op, type);
    auto body = [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
      ScalarMath s(b, type);
      Value gradient = in[0], rate = in[1], weight = in[2], x = in[3], velocity = in[4];
      Value alpha = s.constant(op.getAlpha().convertToDouble());
      Value g = regularize(s, gradient, x, op.getNormCoefficient());
      Value moved = s.add(s.mul(alpha, velocity), s.mul(weight, g));
      bool nesterov = op.getMode() == MomentumMode::Nesterov;
      Value direction = nesterov ? s.add(g, s.mul(alpha, moved)) : moved;
      return {s.sub(x, s.mul(rate, direction)), moved};
    };
    replaceUpdate(builder, rewriter, op, {op.getGradient(), op.getLearningRate(), weight},
                  {op.getVariable(), op.getVelocity()}, body);
    return success();
  }
};

struct LowerAdagrad : OpRewritePattern<AdagradOp> {
  using OpRewritePattern::OpRewritePattern;

  /// rate / (1 + step * decay)
  static Value createRate(ImplicitLocOpBuilder &builder, AdagradOp op, Type type) {
    double decay = op.getDecayFactor().convertToDouble();
    if (decay == 0.0 || !op.getStep())
      return op.getLearningRate();
    return createScalarTensor(builder, type, {op.getLearningRate(), op.getStep()},
                              [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                                ScalarMath s(b, type);
                                Value slowed = s.mul(stepAsFloat(s, in[1]), s.constant(decay));
                                return {s.div(in[0], s.add(s.constant(1), slowed))};
                              });
  }

  LogicalResult matchAndRewrite(AdagradOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Type type = computeTypeOf(op.getVariable());
    Value rate = createRate(builder, op, type);
    auto body = [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
      ScalarMath s(b, type);
      Value gradient = in[0], rate = in[1], x = in[2], accumulator = in[3];
      Value g = regularize(s, gradient, x, op.getNormCoefficient());
      Value sum = s.add(accumulator, s.mul(g, g));
      Value scale = s.add(s.sqrt(sum), s.constant(op.getEpsilon().convertToDouble()));
      return {s.sub(x, s.div(s.mul(rate, g), scale)), sum};
    };
    replaceUpdate(builder, rewriter, op, {op.getGradient(), rate},
                  {op.getVariable(), op.getAccumulator()}, body);
    return success();
  }
};

/// A loop over the rows that sums squares, one that updates the accumulator, and one over the
/// elements.
struct LowerRowwiseAdagrad : OpRewritePattern<RowwiseAdagradOp> {
  using OpRewritePattern::OpRewritePattern;

  /// Of each row, the sum of the squares of what moves it.
  static Value createSquares(ImplicitLocOpBuilder &builder, RowwiseAdagradOp op, Type type) {
    ArrayRef<int64_t> shape = tensorType(op.getVariable()).getShape();
    AffineMap all = builder.getMultiDimIdentityMap(shape.size());
    return createReduction(builder, shape, /*kept=*/{0}, {op.getGradient(), op.getVariable()},
                           {all, all}, type, /*initial=*/{0.0},
                           [&](ImplicitLocOpBuilder &b, ValueRange given) -> Scalars {
                             ScalarMath s(b, type);
                             SmallVector<Value> in = castFloats(b, given, type);
                             Value g = regularize(s, in[0], in[1], op.getNormCoefficient());
                             return {s.add(in[2], s.mul(g, g))};
                           })[0];
  }

  LogicalResult matchAndRewrite(RowwiseAdagradOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Type type = computeTypeOf(op.getVariable());
    RankedTensorType table = tensorType(op.getVariable());
    int64_t width = table.getNumElements() / std::max<int64_t>(table.getDimSize(0), 1);
    Value squares = createSquares(builder, op, type);
    auto rows = RankedTensorType::get({table.getDimSize(0)}, type);
    // The new accumulator, in the type of the computation, too: the move depends on it.
    SmallVector<Value> sums = createElementwise(
        builder, {squares, op.getLearningRate()}, {createEmpty(builder, rows), op.getAccumulator()},
        [&](ImplicitLocOpBuilder &b, ValueRange given) -> Scalars {
          ScalarMath s(b, type);
          SmallVector<Value> in = castFloats(b, given, type);
          Value sum = s.add(in[3], s.div(in[0], s.constant(double(width))));
          Value scale = s.add(s.sqrt(sum), s.constant(op.getEpsilon().convertToDouble()));
          return {s.div(in[1], scale), castScalar(b, sum, table.getElementType())};
        });
    SmallVector<int64_t> column(table.getRank(), 1);
    column[0] = table.getDimSize(0);
    Value rates = createReshape(builder, sums[0], column);
    Value moved = createElementwise(
        builder, {op.getGradient(), rates}, op.getVariable(),
        [&](ImplicitLocOpBuilder &b, ValueRange given) -> Scalars {
          ScalarMath s(b, type);
          SmallVector<Value> in = castFloats(b, given, type);
          Value g = regularize(s, in[0], in[2], op.getNormCoefficient());
          return {castScalar(b, s.sub(in[2], s.mul(in[1], g)), table.getElementType())};
        })[0];
    rewriter.replaceOp(op, {moved, sums[1]});
    return success();
  }
};

/// 1 - base^step, and 1 where step is not positive, as a scalar tensor. In f64: f32 would lose the
/// first steps' corrections to rounding.
Value createBiasCorrection(ImplicitLocOpBuilder &builder, Value step, APFloat base, Type type) {
  return createScalarTensor(
      builder, type, step, [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
        ScalarMath wide(b, b.getF64Type()), steps(b, in[0].getType());
        Value power = math::PowFOp::create(b, wide.constant(base.convertToDouble()),
                                           castScalar(b, in[0], wide.type));
        Value started = steps.less(steps.constant(0), in[0]);
        Value correction =
            wide.select(started, wide.sub(wide.constant(1), power), wide.constant(1));
        return {castScalar(b, correction, type)};
      });
}

/// What Adam and AdamW share: moments, corrected moments, and the move.
struct AdamStep {
  double alpha, beta, epsilon;
  bool epsilonBeforeCorrection;

  /// `in` is gradient, rate, a, b, variable, m, v; `g` the gradient to use and `x` the variable to
  /// move from.
  Scalars build(const ScalarMath &s, ValueRange in, Value g, Value x) const {
    Value rate = in[1], a = in[2], b = in[3], oldFirst = in[5], oldSecond = in[6];
    Value first = s.add(s.mul(s.constant(alpha), oldFirst), s.mul(s.constant(1 - alpha), g));
    Value second =
        s.add(s.mul(s.constant(beta), oldSecond), s.mul(s.constant(1 - beta), s.mul(g, g)));
    Value small = s.constant(epsilon);
    Value move;
    if (epsilonBeforeCorrection)
      move = s.div(s.mul(s.div(s.mul(rate, s.sqrt(b)), a), first), s.add(s.sqrt(second), small));
    else
      move = s.div(s.mul(s.div(rate, a), first), s.add(s.sqrt(s.div(second, b)), small));
    return {s.sub(x, move), first, second};
  }
};

template <typename Op>
LogicalResult lowerAdam(Op op, AdamStep step, PatternRewriter &rewriter,
                        function_ref<Scalars(const ScalarMath &, ValueRange)> body) {
  ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
  Type type = computeTypeOf(op.getVariable());
  Value a = createBiasCorrection(builder, op.getStep(), op.getAlpha(), type);
  Value b = createBiasCorrection(builder, op.getStep(), op.getBeta(), type);
  auto scalarBody = [&](ImplicitLocOpBuilder &nested, ValueRange in) -> Scalars {
    return body(ScalarMath(nested, type), in);
  };
  replaceUpdate(builder, rewriter, op, {op.getGradient(), op.getLearningRate(), a, b},
                {op.getVariable(), op.getFirstMoment(), op.getSecondMoment()}, scalarBody);
  return success();
}

template <typename Op> AdamStep adamStepOf(Op op, bool epsilonBeforeCorrection) {
  return {op.getAlpha().convertToDouble(), op.getBeta().convertToDouble(),
          op.getEpsilon().convertToDouble(), epsilonBeforeCorrection};
}

struct LowerAdam : OpRewritePattern<AdamOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AdamOp op, PatternRewriter &rewriter) const override {
    AdamStep step = adamStepOf(op, op.getEpsilonBeforeCorrection());
    double shrink = 1 - op.getNormCoefficientPost().convertToDouble();
    return lowerAdam(op, step, rewriter, [&](const ScalarMath &s, ValueRange in) {
      Value g = regularize(s, in[0], in[4], op.getNormCoefficient());
      Scalars results = step.build(s, in, g, in[4]);
      if (shrink != 1.0)
        results[0] = s.mul(results[0], s.constant(shrink));
      return results;
    });
  }
};

struct LowerAdamW : OpRewritePattern<AdamWOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AdamWOp op, PatternRewriter &rewriter) const override {
    AdamStep step = adamStepOf(op, op.getEpsilonBeforeCorrection());
    return lowerAdam(op, step, rewriter, [&](const ScalarMath &s, ValueRange in) {
      Value decay = s.mul(in[1], s.constant(op.getWeightDecay().convertToDouble()));
      Value kept = s.sub(s.constant(1), decay);
      if (!op.getDecayLast())
        return step.build(s, in, in[0], s.mul(in[4], kept));
      Scalars results = step.build(s, in, in[0], in[4]);
      results[0] = s.mul(results[0], kept);
      return results;
    });
  }
};

/// The moments and the direction are one loop, the norms two, and the move another.
struct LowerLamb : OpRewritePattern<LambOp> {
  using OpRewritePattern::OpRewritePattern;

  /// rate * norm(variable) / norm(direction), or rate where a norm is 0; of f32.
  static Value createRate(ImplicitLocOpBuilder &builder, LambOp op, Value direction) {
    Type type = builder.getF32Type();
    return createScalarTensor(builder, type,
                              {createNorm(builder, op.getVariable()),
                               createNorm(builder, direction), op.getLearningRate()},
                              [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                                ScalarMath s(b, type);
                                Value zero = s.constant(0), one = s.constant(1);
                                Value ratio =
                                    s.select(s.less(zero, in[1]), s.div(in[0], in[1]), one);
                                ratio = s.select(s.less(zero, in[0]), ratio, one);
                                return {s.mul(castScalar(b, in[2], type), ratio)};
                              });
  }

  LogicalResult matchAndRewrite(LambOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Type element = computeTypeOf(op.getVariable());
    auto type = RankedTensorType::get(tensorType(op.getVariable()).getShape(), element);
    Value a = createBiasCorrection(builder, op.getStep(), op.getAlpha(), element);
    Value b = createBiasCorrection(builder, op.getStep(), op.getBeta(), element);
    SmallVector<Value> moved = createElementwise(
        builder, {op.getGradient(), a, b, op.getVariable()},
        {createEmpty(builder, type), op.getFirstMoment(), op.getSecondMoment()},
        [&](ImplicitLocOpBuilder &nested, ValueRange given) -> Scalars {
          ScalarMath s(nested, element);
          SmallVector<Value> in = castFloats(nested, given, element);
          double epsilon = op.getEpsilon().convertToDouble();
          AdamStep step{op.getAlpha().convertToDouble(), op.getBeta().convertToDouble(), epsilon,
                        false};
          // As Adam would move from 0 at a rate of -1.
          Scalars adam = step.build(s, {in[0], s.constant(-1), in[1], in[2], in[3], in[5], in[6]},
                                    in[0], s.constant(0));
          auto as = [&](Value value, Value state) {
            return castScalar(nested, value, tensorType(state).getElementType());
          };
          return {regularize(s, adam[0], in[3], op.getWeightDecay()),
                  as(adam[1], op.getFirstMoment()), as(adam[2], op.getSecondMoment())};
        });
    Value rate = createRate(builder, op, moved[0]);
    Value variable = createElementwise(builder, {moved[0], rate}, op.getVariable(),
                                       [&](ImplicitLocOpBuilder &nested, ValueRange in) -> Scalars {
                                         ScalarMath s(nested, element);
                                         SmallVector<Value> wide = castFloats(nested, in, element);
                                         Value moved = s.sub(wide[2], s.mul(wide[1], wide[0]));
                                         return {castScalar(nested, moved, in[2].getType())};
                                       })[0];
    rewriter.replaceOp(op, {variable, moved[1], moved[2]});
    return success();
  }
};

} // namespace

void tutti::conversion::populateOptimizerPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerSgd, LowerMomentum, LowerAdagrad, LowerRowwiseAdagrad, LowerAdam, LowerAdamW,
               LowerLamb>(patterns.getContext());
}
