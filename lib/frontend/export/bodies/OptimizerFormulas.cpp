// Optimizers of the dialect `train`: as their descriptions say, in the type of the variable.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/export/bodies/FormulaText.h"

#include "dialects/train/Train.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::frontend;

static std::string number(const APFloat &value) { return FormulaText::number(value); }
static std::string oneMinus(const APFloat &value) {
  return FormulaText::number(1 - value.convertToDouble());
}

/// Names of operands by their roles: states stand behind variable and gradient, then rate and step.
static std::string nameOf(Operation *op, Value operand) {
  for (OpOperand &candidate : op->getOpOperands())
    if (candidate.get() == operand && candidate.getOperandNumber() >= 2)
      return "x" + std::to_string(candidate.getOperandNumber());
  return "";
}

/// `g`, the gradient with its decay, and `r`, the learning rate in the type of the variable.
static void beginUpdate(Operation *op, Value rate, const APFloat *decay, FormulaText &text) {
  text << (decay && !decay->isZero() ? "g = x1 + " + number(*decay) + " * x0"
                                     : std::string("g = Identity(x1)"));
  text << "r = CastLike(" + nameOf(op, rate) + ", x0)";
}

/// The moments, and `a` and `b`, their corrections, which f64 keeps exact where the decay is
/// near 1.
template <typename Update> static void addMoments(Update update, FormulaText &text) {
  std::string step = nameOf(update, update.getStep());
  auto correction = [&](const APFloat &decay) {
    return "CastLike(Where(Greater(" + step + ", 0), 1.0 - Pow(" + number(decay) + ", " +
           FormulaText::cast(step, Float64Type::get(update.getContext())) + "), 1.0), x0)";
  };
  text << "y1 = " + number(update.getAlpha()) + " * x2 + " + oneMinus(update.getAlpha()) + " * g";
  text << "y2 = " + number(update.getBeta()) + " * x3 + " + oneMinus(update.getBeta()) +
              " * (g * g)";
  text << "a = " + correction(update.getAlpha());
  text << "b = " + correction(update.getBeta());
}

/// `u`, by which the learning rate moves the variable.
static void addDirection(bool isEpsilonFirst, const APFloat &epsilon, FormulaText &text) {
  if (isEpsilonFirst)
    text << "u = Sqrt(b) / a * y1 / (Sqrt(y2) + " + number(epsilon) + ")";
  else
    text << "u = y1 / a / (Sqrt(y2 / b) + " + number(epsilon) + ")";
}

static void write(train::SgdOp op, FormulaText &text) {
  APFloat decay = op.getNormCoefficient();
  beginUpdate(op, op.getLearningRate(), &decay, text);
  text << "y0 = x0 - r * g";
}

static void write(train::MomentumOp op, FormulaText &text) {
  APFloat decay = op.getNormCoefficient();
  beginUpdate(op, op.getLearningRate(), &decay, text);
  if (op.getStep())
    text << "y1 = " + number(op.getAlpha()) + " * x2 + CastLike(Where(Greater(" +
                nameOf(op, op.getStep()) + ", 0), " + number(op.getBeta()) + ", 1.0), x0) * g";
  else
    text << "y1 = " + number(op.getAlpha()) + " * x2 + g";
  bool isNesterov = op.getMode() == train::MomentumMode::Nesterov;
  text << (isNesterov ? "y0 = x0 - r * (g + " + number(op.getAlpha()) + " * y1)"
                      : std::string("y0 = x0 - r * y1"));
}

static void write(train::AdagradOp op, FormulaText &text) {
  APFloat decay = op.getNormCoefficient();
  beginUpdate(op, op.getLearningRate(), &decay, text);
  text << "y1 = x2 + g * g";
  if (op.getStep())
    text << "rate = r / (1.0 + CastLike(" + nameOf(op, op.getStep()) + ", x0) * " +
                number(op.getDecayFactor()) + ")";
  else
    text << "rate = Identity(r)";
  text << "y0 = x0 - rate * g / (Sqrt(y1) + " + number(op.getEpsilon()) + ")";
}

static void write(train::RowwiseAdagradOp op, FormulaText &text) {
  APFloat decay = op.getNormCoefficient();
  beginUpdate(op, op.getLearningRate(), &decay, text);
  int64_t rank = cast<RankedTensorType>(op.getVariable().getType()).getRank();
  std::string axes;
  for (int64_t axis = 1; axis < rank; ++axis)
    axes += (axis > 1 ? ", " : "") + std::to_string(axis);
  text << "squares = ReduceMean<axes = [" + axes + "], keepdims = 0>(g * g)";
  text << "y1 = x2 + squares";
  text << "scale = r / (Sqrt(y1) + " + number(op.getEpsilon()) + ")";
  text << "rates = Unsqueeze(scale, Constant<value_ints = [" + axes + "]>())";
  text << "y0 = x0 - rates * g";
}

static void write(train::AdamOp op, FormulaText &text) {
  APFloat decay = op.getNormCoefficient();
  beginUpdate(op, op.getLearningRate(), &decay, text);
  addMoments(op, text);
  addDirection(op.getEpsilonBeforeCorrection(), op.getEpsilon(), text);
  bool hasPost = !op.getNormCoefficientPost().isZero();
  text << "y0 = " + (hasPost ? "(x0 - r * u) * " + oneMinus(op.getNormCoefficientPost())
                             : std::string("x0 - r * u"));
}

static void write(train::AdamWOp op, FormulaText &text) {
  beginUpdate(op, op.getLearningRate(), /*decay=*/nullptr, text);
  addMoments(op, text);
  addDirection(op.getEpsilonBeforeCorrection(), op.getEpsilon(), text);
  std::string kept = "(1.0 - r * " + number(op.getWeightDecay()) + ")";
  text << (op.getDecayLast() ? "y0 = (x0 - r * u) * " + kept : "y0 = x0 * " + kept + " - r * u");
}

static void write(train::LambOp op, FormulaText &text) {
  beginUpdate(op, op.getLearningRate(), /*decay=*/nullptr, text);
  addMoments(op, text);
  addDirection(/*isEpsilonFirst=*/false, op.getEpsilon(), text);
  text << "d = u + " + number(op.getWeightDecay()) + " * x0";
  auto norm = [&](const Twine &name) {
    std::string wide = FormulaText::cast(name, Float32Type::get(op.getContext()));
    return "Sqrt(ReduceSum<keepdims = 0>(" + wide + " * " + wide + "))";
  };
  text << "long = " + norm("x0");
  text << "far = " + norm("d");
  text << "zero = CastLike(0.0, long)";
  text << "ratio = Where(And(Greater(long, zero), Greater(far, zero)), long / far, "
          "CastLike(1.0, long))";
  text << "y0 = x0 - r * CastLike(ratio, x0) * d";
}

LogicalResult tutti::frontend::writeOptimizerFormula(Operation *op, FormulaText &text) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<train::SgdOp, train::MomentumOp, train::AdagradOp, train::RowwiseAdagradOp,
            train::AdamOp, train::AdamWOp, train::LambOp>(
          [&](auto update) { return write(update, text), success(); })
      .Default([](Operation *unknown) {
        return refuseExport(unknown, "no formula is known of this optimizer");
      });
}
