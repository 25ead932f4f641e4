// The rules of this folder as rules of sharding.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/stablehlo/ShardingRule.h"

#include "dialects/interfaces/ShapeFactors.h"
#include "lib/stablehlo/Ops.h"
#include "lib/stablehlo/Rules.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::stablehlo;

namespace {

/// Asks for each dimension of each operand what a part along it makes of the others.
class Interview {
public:
  explicit Interview(Operation *op) : op(op) {
    for (Type type : op->getOperandTypes())
      rule.operands.emplace_back(cast<RankedTensorType>(type).getRank());
    for (Type type : op->getResultTypes())
      rule.results.emplace_back(cast<RankedTensorType>(type).getRank());
  }

  ShardingRule run() {
    for (auto [index, type] : llvm::enumerate(op->getOperandTypes()))
      for (auto [axis, size] : llvm::enumerate(cast<RankedTensorType>(type).getShape()))
        if (size > 1 && rule.operands[index][axis].empty())
          askFor(index, axis, size);
    fillResults();
    addLinearSets();
    return std::move(rule);
  }

private:
  Question question(Form form, int64_t ranks) {
    return {op, SmallVector<Form>(op->getNumOperands(), form), ranks};
  }

  void askFor(unsigned operand, int64_t axis, int64_t size) {
    Question about = question(Form::whole(), /*ranks=*/size);
    about.forms[operand] = Form::part(axis);
    std::optional<Rule> found = findRule(about);
    unsigned factor = add(FactorKind::Pass, size);
    if (!found || !isNew(*found)) {
      rule.factors[factor].kind = FactorKind::Whole;
      rule.operands[operand][axis] = {factor};
      return;
    }
    place(found->operands, rule.operands, factor);
    place(found->results, rule.results, factor);
  }

  unsigned add(FactorKind kind, int64_t size) {
    return rule.add(kind, "d" + std::to_string(rule.factors.size()), size);
  }

  /// Whether no dimension that takes part has a factor already.
  bool isNew(const Rule &found) const {
    auto areFree = [](ArrayRef<Form> forms, ArrayRef<TensorFactors> tensors) {
      return llvm::all_of(llvm::zip_equal(forms, tensors), [](auto pair) {
        auto [form, tensor] = pair;
        return !form.isPart() || tensor[form.axis].empty();
      });
    };
    return areFree(found.operands, rule.operands) && areFree(found.results, rule.results);
  }

  void place(ArrayRef<Form> forms, SmallVector<TensorFactors> &tensors, unsigned factor) {
    for (auto [form, tensor] : llvm::zip_equal(forms, tensors)) {
      if (form.isPart())
        tensor[form.axis] = {factor};
      if (form.isPartial())
        rule.factors[factor].kind = kindOf(form.reduction);
    }
  }

  static FactorKind kindOf(StringRef reduction) {
    if (reduction == "add")
      return FactorKind::Sum;
    if (reduction == "maximum" || reduction == "or")
      return FactorKind::Max;
    if (reduction == "minimum" || reduction == "and")
      return FactorKind::Min;
    return reduction == "multiply" ? FactorKind::Prod : FactorKind::Whole;
  }

  /// Dimensions that no operand has: new ones are free, others depend on all of an operand.
  void fillResults() {
    bool isFree = isKind(op, "broadcast_in_dim") || isKind(op, "constant");
    for (auto [type, tensor] : llvm::zip_equal(op->getResultTypes(), rule.results))
      for (auto [size, factors] : llvm::zip_equal(cast<RankedTensorType>(type).getShape(), tensor))
        if (size > 1 && factors.empty())
          factors = {add(isFree ? FactorKind::Pass : FactorKind::Whole, size)};
  }

  void addLinearSets() {
    unsigned count = op->getNumOperands();
    for (unsigned set = 1; count <= 4 && set < 1u << count; ++set)
      addIfLinear([set](unsigned operand) { return set >> operand & 1; });
    if (count > 4)
      addIfLinear([](unsigned) { return true; });
  }

  void addIfLinear(llvm::function_ref<bool(unsigned)> isIn) {
    Question about = question(Form::whole(), /*ranks=*/2);
    SmallVector<unsigned> set;
    for (unsigned operand = 0; operand < about.forms.size(); ++operand)
      if (isIn(operand))
        set.push_back(operand), about.forms[operand] = Form::partial("add");
    if (findLinearRule(about))
      rule.addLinear(set);
  }

  Operation *op;
  ShardingRule rule;
};

/// Factors of several dimensions at once, which parts along one do not tell.
ShardingRule reshaped(Operation *op) {
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = cast<RankedTensorType>(op->getResult(0).getType());
  ShardingRule rule = reshapeRule(sizesOf(from.getShape()), sizesOf(to.getShape()));
  rule.addLinear({0});
  return rule;
}

bool isStatic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

} // namespace

FailureOr<ShardingRule> tutti::stablehlo::findShardingRule(Operation *op) {
  bool isKnown = isPure(getKind(op)) && llvm::all_of(op->getOperandTypes(), isStatic) &&
                 llvm::all_of(op->getResultTypes(), isStatic);
  if (!isKnown)
    return failure();
  if (isKind(op, "reshape") && op->getNumOperands() == 1 && op->getNumResults() == 1)
    return reshaped(op);
  return Interview(op).run();
}
