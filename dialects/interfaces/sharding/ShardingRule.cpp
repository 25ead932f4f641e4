// Rules of sharding: how they are compared, written, and made of what all operands have in common.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/interfaces/sharding/ShardingRule.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace tutti;

unsigned ShardingRule::add(FactorKind kind, StringRef name, int64_t size) {
  factors.push_back({kind, /*divides=*/false, name.str(), size});
  return factors.size() - 1;
}

void ShardingRule::addLinear(ArrayRef<unsigned> set) {
  if (!set.empty())
    linear.emplace_back(set);
}

namespace {

/// Numbers factors in the order in which they stand in operands and results.
SmallVector<int> orderOfAppearance(const ShardingRule &rule) {
  SmallVector<int> order(rule.factors.size(), -1);
  int next = 0;
  for (auto tensors : {&rule.operands, &rule.results})
    for (const TensorFactors &tensor : *tensors)
      for (const auto &dimension : tensor)
        for (unsigned factor : dimension)
          if (order[factor] < 0)
            order[factor] = next++;
  return order;
}

/// The rule in numbers that do not depend on the order of `factors`: tensors and dimensions are
/// divided by negative ones.
SmallVector<int> canonicalForm(const ShardingRule &rule) {
  SmallVector<int> order = orderOfAppearance(rule), form;
  for (auto tensors : {&rule.operands, &rule.results}) {
    for (const TensorFactors &tensor : *tensors) {
      for (const auto &dimension : tensor) {
        for (unsigned factor : dimension)
          form.append({order[factor], static_cast<int>(rule.factors[factor].kind),
                       rule.factors[factor].divides});
        form.push_back(-1);
      }
      form.push_back(-2);
    }
    form.push_back(-3);
  }
  return form;
}

StringRef spellKind(const Factor &factor) {
  constexpr StringLiteral kinds[] = {"", "+", ">", "<", "*", "^", "~", "?"};
  return factor.divides ? "/" : StringRef(kinds[static_cast<unsigned>(factor.kind)]);
}

/// Writes tensors; the kind of a factor stands where it is named first.
class Speller {
public:
  explicit Speller(const ShardingRule &rule) : rule(rule), isNamed(rule.factors.size()) {}

  std::string spell(ArrayRef<TensorFactors> tensors) {
    return spellAll(tensors, ", ", [&](const TensorFactors &tensor) { return spell(tensor); });
  }

private:
  /// Each once and in order, because the first time that a factor is named is another.
  template <typename Parts, typename Spell>
  static std::string spellAll(const Parts &parts, StringRef between, Spell spellOne) {
    std::string text;
    for (const auto &part : parts) {
      if (!text.empty())
        text += between;
      text += spellOne(part);
    }
    return text;
  }

  std::string spell(const TensorFactors &tensor) {
    return tensor.empty()
               ? "()"
               : spellAll(tensor, " ", [&](ArrayRef<unsigned> factors) { return spell(factors); });
  }
  std::string spell(ArrayRef<unsigned> factors) {
    if (factors.empty())
      return "1";
    std::string names = spellAll(factors, " ", [&](unsigned factor) { return name(factor); });
    return factors.size() == 1 ? names : "(" + names + ")";
  }
  std::string name(unsigned index) {
    const Factor &factor = rule.factors[index];
    bool isFirst = !isNamed.test(index);
    isNamed.set(index);
    return factor.name + (isFirst ? spellKind(factor).str() : "");
  }

  const ShardingRule &rule;
  llvm::SmallBitVector isNamed;
};

} // namespace

bool tutti::operator==(const ShardingRule &a, const ShardingRule &b) {
  return a.linear == b.linear && a.shapesOnly == b.shapesOnly &&
         canonicalForm(a) == canonicalForm(b);
}

std::string tutti::spellShardingRule(const ShardingRule &rule) {
  Speller speller(rule);
  std::string operands = speller.spell(rule.operands);
  return operands + (operands.empty() ? "-> " : " -> ") + speller.spell(rule.results);
}

FailureOr<ShardingRule> tutti::pointwiseShardingRule(Operation *op) {
  static const ShardingText text("a.. -> a..");
  ShardingCounts counts{{op->getNumOperands()}, {op->getNumResults()}, {}};
  return text.expand(op->getOperandTypes(), op->getResultTypes(), counts);
}
