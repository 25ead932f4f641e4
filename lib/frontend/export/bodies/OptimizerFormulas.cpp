// Optimizers of the dialect `train`: the formulas of their rows, in the type of the variable.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/export/bodies/FormulaText.h"

#include "dialects/interfaces/Expression.h"
#include "dialects/train/Train.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::frontend;

static std::string number(const APFloat &value) { return FormulaText::number(value); }

/// Operands are called by their numbers.
static std::string nameOf(Operation *op, Value operand) {
  for (OpOperand &candidate : op->getOpOperands())
    if (candidate.get() == operand && candidate.getOperandNumber() >= 2)
      return "x" + std::to_string(candidate.getOperandNumber());
  return "";
}

namespace {
/// Writes a formula (dialects/interfaces/Expression.h) as statements, one for each operation.
class TextArithmetic {
public:
  /// A name, or a number as text.
  class Value {
  public:
    Value() = default;
    Value(const Twine &text) : text(text.str()) {}
    explicit operator bool() const { return !text.empty(); }
    const std::string &str() const { return text; }

  private:
    std::string text;
  };

  TextArithmetic(FormulaText &text, MLIRContext *context) : text(text), context(context) {}

  Value constant(double number, const Value &) { return Value(FormulaText::number(number)); }
  Value add(Value a, Value b) { return name(a.str() + " + " + b.str()); }
  Value sub(Value a, Value b) { return name(a.str() + " - " + b.str()); }
  Value mul(Value a, Value b) { return name(a.str() + " * " + b.str()); }
  Value div(Value a, Value b) { return name(a.str() + " / " + b.str()); }
  Value sqrt(Value a) { return name("Sqrt(" + a.str() + ")"); }
  Value sign(Value a) { return name("Sign(" + a.str() + ")"); }
  Value less(Value a, Value b) { return name("Less(" + a.str() + ", " + b.str() + ")"); }
  Value select(Value condition, Value a, Value b) {
    return name("Where(" + condition.str() + ", " + a.str() + ", " + b.str() + ")");
  }

  Value real(Value step) { return name("CastLike(" + step.str() + ", x0)"); }
  Value next(Value step) { return name(step.str() + " + 1"); }
  /// f64 keeps corrections exact where the decay is near 1.
  Value correction(double base, Value step) {
    std::string exponent = wide(step), one = wideNumber(1, exponent);
    Value power = name("Pow(" + wideNumber(base, exponent) + ", " + exponent + ")");
    return name("CastLike(Where(Greater(" + step.str() + ", 0), " + one + " - " + power.str() +
                ", " + one + "), x0)");
  }
  Value momentumOf(double base, double decay, Value step) {
    return name("CastLike(" + momentum(base, decay, step) + ", x0)");
  }
  Value momentaUpTo(double base, double decay, Value step) {
    Value steps = name(FormulaText::list(1, momentaThatCount(base) + 1));
    std::string all = momentum(base, decay, steps);
    return name("CastLike(ReduceProd<keepdims = 0>(Where(Greater(" + steps.str() + ", " +
                step.str() + "), " + wideNumber(1, all) + ", " + all + ")), x0)");
  }

  /// Gives the value the name of a result.
  void give(const Value &value, unsigned result) {
    text << "y" + std::to_string(result) + " = Identity(" + value.str() + ")";
  }
  Value name(const Twine &formula) {
    std::string name = "t" + std::to_string(names++);
    text << name + " = " + formula;
    return Value(name);
  }

private:
  std::string wide(const Value &step) {
    return name(FormulaText::cast(step.str(), Float64Type::get(context))).str();
  }
  std::string wideNumber(double number, const std::string &like) {
    return name("CastLike(" + FormulaText::number(number) + ", " + like + ")").str();
  }
  std::string momentum(double base, double decay, const Value &step) {
    std::string steps = wide(step);
    auto number = [&](double value) { return wideNumber(value, steps); };
    Value power = name("Pow(" + number(0.96) + ", " + steps + " * " + number(decay) + ")");
    return name(number(base) + " * (" + number(1) + " - " + number(0.5) + " * " + power.str() + ")")
        .str();
  }

  FormulaText &text;
  MLIRContext *context;
  unsigned names = 0;
};
} // namespace

using TextNumber = Expression<TextArithmetic>;

/// `y0` of `direction`, by which the variable moves in the measure of both norms.
static void writeScaled(Operation *op, Value rate, TextArithmetic &arithmetic,
                        const TextArithmetic::Value &direction) {
  auto norm = [&](const Twine &name) {
    std::string wide = FormulaText::cast(name, Float32Type::get(op->getContext()));
    return arithmetic.name("Sqrt(ReduceSum<keepdims = 0>(" + wide + " * " + wide + "))").str();
  };
  std::string size = norm("x0"), move = norm(direction.str());
  std::string zero = arithmetic.name("CastLike(0.0, " + size + ")").str();
  std::string ratio =
      arithmetic
          .name("Where(And(Greater(" + size + ", " + zero + "), Greater(" + move + ", " + zero +
                ")), " + size + " / " + move + ", CastLike(1.0, " + size + "))")
          .str();
  arithmetic.give(arithmetic.name("x0 - CastLike(" + nameOf(op, rate) + ", x0) * CastLike(" +
                                  ratio + ", x0) * " + direction.str()),
                  0);
}

/// An optimizer that is a formula.
template <typename Update> static void write(Update op, FormulaText &text) {
  TextArithmetic arithmetic(text, op.getContext());
  auto number = [&](const Twine &name) {
    return TextNumber(arithmetic, TextArithmetic::Value(name));
  };
  SmallVector<TextNumber> in = {
      number("x1"),
      number(arithmetic.name("CastLike(" + nameOf(op, op.getLearningRate()) + ", x0)").str())};
  if (op.hasNumbersOfStep())
    llvm::append_range(in, op.computeOfStep(in[1], number(nameOf(op, op.getStep()))));
  in.push_back(number("x0"));
  for (unsigned state = 0; state < op.getStates().size(); ++state)
    in.push_back(number("x" + std::to_string(state + 2)));
  for (auto [i, result] : llvm::enumerate(op.computeUpdate(ArrayRef(in))))
    if (i == 0 && Update::isScaledByNorms)
      writeScaled(op, op.getLearningRate(), arithmetic, result.value());
    else
      arithmetic.give(result.value(), i);
}

static void write(train::RowwiseAdagradOp op, FormulaText &text) {
  bool decays = !op.getNormCoefficient().isZero();
  text << (decays ? "g = x1 + " + number(op.getNormCoefficient()) + " * x0"
                  : std::string("g = Identity(x1)"));
  text << "r = CastLike(" + nameOf(op, op.getLearningRate()) + ", x0)";
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

LogicalResult tutti::frontend::writeOptimizerFormula(Operation *op, FormulaText &text) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<train::SgdOp, train::MomentumOp, train::AdagradOp, train::RowwiseAdagradOp,
            train::AdamOp, train::AdamWOp, train::NAdamOp, train::RmspropOp,
            train::RmspropMomentumOp, train::LionOp, train::LambOp>(
          [&](auto update) { return write(update, text), success(); })
      .Default([](Operation *unknown) {
        return refuseExport(unknown, "no formula is known of this optimizer");
      });
}
