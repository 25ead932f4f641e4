// Optimizers as loops: one linalg.generic each, whose destinations are the variable and its states,
// with the formula of its row in dialects/train/TrainOptimizers.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/interfaces/Expression.h"
#include "dialects/train/Train.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/LoopArithmetic.h"
#include "passes/conversion/train/LowerTrain.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::conversion;
using namespace tutti::train;

namespace {

using Scalars = SmallVector<Value>;

/// Of the numbers that updates are made of, in `type`.
class UpdateArithmetic : public LoopArithmetic {
public:
  UpdateArithmetic(ImplicitLocOpBuilder &builder, Type type)
      : LoopArithmetic(builder), builder(builder), type(type) {}

  Value real(Value step) { return castScalar(builder, step, type); }
  Value next(Value step) { return add(step, constant(1, step)); }

  /// In f64: f32 would lose the first steps' corrections to rounding.
  Value correction(double base, Value step) {
    ScalarMath wide(builder, builder.getF64Type());
    Value power =
        math::PowFOp::create(builder, wide.constant(base), castScalar(builder, step, wide.type));
    Value started = less(constant(0, step), step);
    return castScalar(
        builder, wide.select(started, wide.sub(wide.constant(1), power), wide.constant(1)), type);
  }

  Value momentumOf(double base, double decay, Value step) {
    ScalarMath wide(builder, builder.getF64Type());
    return castScalar(builder, momentumIn(wide, base, decay, castScalar(builder, step, wide.type)),
                      type);
  }

  Value momentaUpTo(double base, double decay, Value step) {
    ScalarMath wide(builder, builder.getF64Type());
    Type index = builder.getIndexType();
    int64_t most = momentaThatCount(base);
    Value first = arith::ConstantIndexOp::create(builder, 0),
          one = arith::ConstantIndexOp::create(builder, 1);
    Value steps = arith::IndexCastOp::create(builder, index, step);
    Value last =
        arith::MinSIOp::create(builder, steps, arith::ConstantIndexOp::create(builder, most));
    auto loop = scf::ForOp::create(
        builder, first, last, one, wide.constant(1),
        [&](OpBuilder &nested, Location location, Value turn, ValueRange product) {
          ImplicitLocOpBuilder b(location, nested);
          ScalarMath inside(b, wide.type);
          Value next =
              arith::IndexCastOp::create(b, step.getType(), arith::AddIOp::create(b, turn, one));
          Value momentum = momentumIn(inside, base, decay, castScalar(b, next, wide.type));
          scf::YieldOp::create(b, inside.mul(product[0], momentum));
        });
    return castScalar(builder, loop.getResult(0), type);
  }

private:
  static Value momentumIn(const ScalarMath &s, double base, double decay, Value step) {
    Value power = math::PowFOp::create(s.builder, s.constant(0.96), s.mul(step, s.constant(decay)));
    return s.mul(s.constant(base), s.sub(s.constant(1), s.mul(s.constant(0.5), power)));
  }

  ImplicitLocOpBuilder &builder;
  Type type;
};

using Number = Expression<UpdateArithmetic>;

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

SmallVector<Number> numbersOf(UpdateArithmetic &arithmetic, ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) { return Number(arithmetic, value); });
}

Scalars valuesOf(ArrayRef<Number> numbers) {
  return llvm::map_to_vector(numbers, [](const Number &number) { return number.value(); });
}

/// What an update needs once a step: the learning rate, and the numbers that depend on the step.
template <typename Op>
SmallVector<Value> createOfStep(ImplicitLocOpBuilder &builder, Op op, Type type) {
  SmallVector<Value> needed = {op.getLearningRate()};
  if (!op.hasNumbersOfStep())
    return needed;
  SmallVector<Value> outputs;
  for (unsigned i = 0; i < Op::numbersOfStep; ++i)
    outputs.push_back(createEmpty(builder, RankedTensorType::get({}, type)));
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange given) -> Scalars {
    UpdateArithmetic arithmetic(b, type);
    SmallVector<Number> in = numbersOf(arithmetic, castFloats(b, given, type));
    return valuesOf(op.computeOfStep(in[0], in[1]));
  };
  llvm::append_range(
      needed, createElementwise(builder, {op.getLearningRate(), op.getStep()}, outputs, body));
  return needed;
}

/// Any optimizer whose formula is all of it.
template <typename Op> struct LowerUpdate : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Type type = computeTypeOf(op.getVariable());
    SmallVector<Value> inputs = {op.getGradient()}, outputs = {op.getVariable()};
    llvm::append_range(inputs, createOfStep(builder, op, type));
    llvm::append_range(outputs, op.getStates());
    replaceUpdate(builder, rewriter, op, inputs, outputs,
                  [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                    UpdateArithmetic arithmetic(b, type);
                    return valuesOf(op.computeUpdate(ArrayRef(numbersOf(arithmetic, in))));
                  });
    return success();
  }
};

/// The gradient with weight decay, as in the formulas of rows.
Value regularize(const ScalarMath &s, Value gradient, Value variable, APFloat coefficient) {
  UpdateArithmetic arithmetic(s.builder, s.type);
  return decayed(Number(arithmetic, gradient), coefficient.convertToDouble(),
                 Number(arithmetic, variable))
      .value();
}

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

/// One whose direction is scaled by norms: direction and states are one loop, the norms two, and
/// the move another.
template <typename Op> struct LowerScaledUpdate : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  /// rate * norm(variable) / norm(direction), or rate where a norm is 0; of f32.
  static Value createRate(ImplicitLocOpBuilder &builder, Op op, Value direction) {
    Type type = builder.getF32Type();
    return createScalarTensor(builder, type,
                              {createNorm(builder, op.getVariable()),
                               createNorm(builder, direction), op.getLearningRate()},
                              [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                                UpdateArithmetic arithmetic(b, type);
                                Number size(arithmetic, in[0]), move(arithmetic, in[1]),
                                    rate(arithmetic, in[2]);
                                Number ratio =
                                    select(0 < size, select(0 < move, size / move, 1), 1);
                                return {(rate * ratio).value()};
                              });
  }

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Type element = computeTypeOf(op.getVariable());
    auto type = RankedTensorType::get(tensorType(op.getVariable()).getShape(), element);
    SmallVector<Value> inputs = {op.getGradient()}, outputs = {createEmpty(builder, type)};
    llvm::append_range(inputs, createOfStep(builder, op, element));
    inputs.push_back(op.getVariable());
    llvm::append_range(outputs, op.getStates());
    SmallVector<Value> moved = createElementwise(
        builder, inputs, outputs, [&](ImplicitLocOpBuilder &b, ValueRange given) -> Scalars {
          SmallVector<Value> in = castFloats(b, given, element);
          in.erase(in.begin() + inputs.size()); // what the direction takes the place of
          UpdateArithmetic arithmetic(b, element);
          Scalars results = valuesOf(op.computeUpdate(ArrayRef(numbersOf(arithmetic, in))));
          for (auto [result, output] : llvm::zip_equal(results, outputs))
            result = castScalar(b, result, tensorType(output).getElementType());
          return results;
        });
    Value rate = createRate(builder, op, moved[0]);
    Value variable = createElementwise(
        builder, {moved[0], rate}, op.getVariable(),
        [&](ImplicitLocOpBuilder &b, ValueRange given) -> Scalars {
          ScalarMath s(b, element);
          SmallVector<Value> in = castFloats(b, given, element);
          return {castScalar(b, s.sub(in[2], s.mul(in[1], in[0])), given[2].getType())};
        })[0];
    moved[0] = variable;
    rewriter.replaceOp(op, moved);
    return success();
  }
};

} // namespace

void tutti::conversion::populateOptimizerPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerUpdate<SgdOp>, LowerUpdate<MomentumOp>, LowerUpdate<AdagradOp>,
               LowerUpdate<AdamOp>, LowerUpdate<AdamWOp>, LowerUpdate<NAdamOp>,
               LowerUpdate<RmspropOp>, LowerUpdate<RmspropMomentumOp>, LowerUpdate<LionOp>,
               LowerRowwiseAdagrad, LowerScaledUpdate<LambOp>>(patterns.getContext());
}
