// Which operations pass on a sum that is still to be taken: those that are linear in it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/stablehlo/Ops.h"
#include "lib/stablehlo/Rules.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tutti::stablehlo;

namespace {
/// One question about sums, with the answers that several operations share.
class Linear {
public:
  explicit Linear(const Question &question) : question(question) {}

  bool isSum(unsigned index) const { return question.forms[index].isSum(); }
  bool isWhole(unsigned index) const { return question.forms[index].isWhole(); }
  /// A sum, or zero, which is its own sum.
  bool isSumOrZero(unsigned index) const {
    return isSum(index) || (isWhole(index) && isZero(question.op->getOperand(index)));
  }
  bool areSumsOrZeros(unsigned begin, unsigned end) const {
    return llvm::all_of(llvm::seq(begin, end), [&](unsigned i) { return isSumOrZero(i); });
  }
  bool areWhole(unsigned begin) const {
    return llvm::all_of(ArrayRef(question.forms).drop_front(begin),
                        [](const Form &form) { return form.isWhole(); });
  }
  /// The one of the first two operands that is not a sum is whole.
  bool isProduct() const {
    return question.forms.size() == 2 && isSum(0) != isSum(1) && (isWhole(0) || isWhole(1));
  }
  bool isFloat() const {
    return isa<FloatType, ComplexType>(question.getResultType().getElementType());
  }
  /// Whether the sum of what is converted is what is converted of the sum: no rounding.
  bool isWidening() const {
    Type from = question.getType(0).getElementType(),
         to = question.getResultType().getElementType();
    if (isa<FloatType>(from) && isa<FloatType>(to))
      return to.getIntOrFloatBitWidth() >= from.getIntOrFloatBitWidth();
    return isa<IntegerType>(from) && !from.isInteger(1) && isa<IntegerType>(to) &&
           to.getIntOrFloatBitWidth() == from.getIntOrFloatBitWidth();
  }
  bool addsUp() const {
    return isZero(question.op->getOperand(1)) && getReduction(question.op->getRegion(0)) == "add";
  }

private:
  const Question &question;
};
} // namespace

/// Operations that only move elements of their first operand.
static bool movesFirst(StringRef kind) {
  return llvm::is_contained({"negate", "real", "imag", "transpose", "reshape", "broadcast_in_dim",
                             "slice", "reverse", "dynamic_slice", "gather"},
                            kind);
}

static bool isLinear(StringRef kind, Operation *op, const Linear &linear) {
  unsigned operands = op->getNumOperands();
  if (movesFirst(kind))
    return linear.isSum(0) && linear.areWhole(1);
  if (kind == "convert")
    return linear.isWidening();
  if (kind == "add" || kind == "subtract" || kind == "concatenate")
    return linear.areSumsOrZeros(0, operands);
  if (kind == "multiply" || kind == "dot_general" || kind == "convolution")
    return linear.isProduct();
  if (kind == "divide")
    return linear.isSum(0) && linear.isWhole(1) && linear.isFloat();
  if (kind == "select")
    return linear.isWhole(0) && linear.areSumsOrZeros(1, 3);
  if (kind == "pad")
    return linear.isSum(0) && linear.isWhole(1) && linear.isSumOrZero(1);
  if (kind == "reduce" || kind == "reduce_window")
    return operands == 2 && linear.isSum(0) && linear.isWhole(1) && linear.addsUp();
  if (kind == "dynamic_update_slice")
    return linear.areSumsOrZeros(0, 2) && linear.areWhole(2);
  if (kind == "scatter")
    return operands == 3 && linear.isSumOrZero(0) && linear.isWhole(1) && linear.isSumOrZero(2) &&
           getReduction(op->getRegion(0)) == "add";
  return false;
}

std::optional<Rule> tutti::stablehlo::findLinearRule(const Question &question) {
  StringRef kind = getKind(question.op);
  if (kind == "optimization_barrier" &&
      llvm::all_of(question.forms, [](const Form &form) { return form.isWhole() || form.isSum(); }))
    return Rule{question.forms, question.forms};
  if (llvm::any_of(question.forms, [](const Form &form) { return form.isPart(); }) ||
      !question.count(Form::Kind::Partial) || question.op->getNumResults() != 1 ||
      !question.getResultType() || !isLinear(kind, question.op, Linear(question)))
    return std::nullopt;
  return question.give(Form::partial("add"));
}
