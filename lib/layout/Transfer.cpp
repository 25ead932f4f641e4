// From a rule, which is of one operation, to the layouts of its operands and results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/Transfer.h"

#include "dialects/interfaces/SampleCount.h"
#include "lib/stablehlo/Ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace tutti;

namespace {

/// A factor, and where the axis lies in it: it is `outer` * axis * `inner` elements long.
struct Split {
  unsigned factor;
  int64_t outer, inner;

  bool operator==(const Split &other) const {
    return factor == other.factor && outer == other.outer && inner == other.inner;
  }
};

/// One question about one operation, answered step by step.
class Question {
public:
  Question(Operation *op, const ShardingRule &rule, ArrayRef<Layout> given, int64_t parts)
      : op(op), rule(rule), given(given), wanted(given), parts(parts) {}

  Transfer answer();
  std::optional<Transfer> answerBack(unsigned result, const Layout &place);

private:
  // What is split.
  bool areBlocks() const { return !ShapedType::isDynamic(parts); }
  std::optional<Split> findBlocks(int64_t outer, ArrayRef<unsigned> factors) const;
  std::optional<Split> findPlace(const Layout &layout, ArrayRef<unsigned> factors) const;
  std::optional<Split> findSplit(unsigned operand) const;
  void chooseSplit();
  std::optional<Layout> placeIn(const TensorFactors &tensor) const;
  bool isLost(const TensorFactors &tensor) const;
  bool countsWhole() const;
  void alignOperands();

  // What is still to be summed.
  bool isShapeOnly(unsigned operand) const { return llvm::is_contained(rule.shapesOnly, operand); }
  /// Zeros are a summand, and of any scale.
  bool isFree(unsigned operand) const { return isZero(op->getOperand(operand)); }
  bool isFloat(unsigned operand) const {
    return isa<FloatType>(getElementTypeOrSelf(op->getOperand(operand)));
  }
  bool isDivisor(unsigned operand) const {
    return operand == 1 && findDivisor(op) == op->getOperand(1);
  }
  ArrayRef<unsigned> findSet(llvm::function_ref<bool(unsigned)> isMember) const;
  void addSummands();
  void passSums();
  void complete(unsigned operand);

  // By what power of its share a part is too large.
  void passScales();
  Scale findCommonScale(ArrayRef<unsigned> set) const;
  using Alone = SmallVector<unsigned>; ///< a set of one operand

  Layout layoutOf(const TensorFactors &result) const;

  Operation *op;
  const ShardingRule &rule;
  ArrayRef<Layout> given;
  SmallVector<Layout> wanted;
  int64_t parts;
  std::optional<Split> split;
  bool passesSum = false; ///< results are summands because operands are
  Scale scale;
};

} // namespace

//===----------------------------------------------------------------------===//
// What is split
//===----------------------------------------------------------------------===//

static int64_t productOf(const ShardingRule &rule, ArrayRef<unsigned> factors) {
  int64_t product = 1;
  for (unsigned factor : factors) {
    if (ShapedType::isDynamic(rule.factors[factor].size))
      return ShapedType::kDynamic;
    product *= rule.factors[factor].size;
  }
  return product;
}

/// Which of the factors of a dimension has the blocks, where it is `outer` ranges of as many blocks
/// as there are ranks.
std::optional<Split> Question::findBlocks(int64_t outer, ArrayRef<unsigned> factors) const {
  for (unsigned factor : factors) {
    int64_t size = rule.factors[factor].size;
    if (ShapedType::isDynamic(size) || size == 0)
      return std::nullopt;
    if (size % (outer * parts) == 0)
      return Split{factor, outer, 1};
    if (outer % size != 0)
      return std::nullopt;
    outer /= size;
  }
  return std::nullopt;
}

/// Which of the factors of a dimension is cut.
std::optional<Split> Question::findPlace(const Layout &layout, ArrayRef<unsigned> factors) const {
  if (areBlocks())
    return findBlocks(layout.outer, factors);
  if (factors.size() == 1)
    return Split{factors.front(), layout.outer, layout.inner};
  for (size_t i = 0; i < factors.size(); ++i)
    if (productOf(rule, factors.take_front(i)) == layout.outer &&
        productOf(rule, factors.drop_front(i + 1)) == layout.inner)
      return Split{factors[i], 1, 1};
  return std::nullopt;
}

/// The factor along which the operand lies, if it may be split.
std::optional<Split> Question::findSplit(unsigned operand) const {
  const Layout &layout = given[operand];
  const TensorFactors &tensor = rule.operands[operand];
  if (!layout.isShard() || layout.dimension >= int64_t(tensor.size()))
    return std::nullopt;
  std::optional<Split> found = findPlace(layout, tensor[layout.dimension]);
  if (!found)
    return std::nullopt;
  FactorKind kind = rule.factors[found->factor].kind;
  bool maySplit = kind == FactorKind::Pass || kind == FactorKind::Sum || kind == FactorKind::Max ||
                  kind == FactorKind::Min;
  return maySplit ? found : std::nullopt;
}

/// The factor along which most operands lie; of equally many, that of the first.
void Question::chooseSplit() {
  unsigned most = 0;
  for (unsigned i = 0; i < given.size(); ++i) {
    std::optional<Split> candidate = findSplit(i);
    if (!candidate)
      continue;
    unsigned votes = llvm::count_if(llvm::seq<unsigned>(i, given.size()),
                                    [&](unsigned other) { return findSplit(other) == candidate; });
    if (votes > most) {
      most = votes;
      split = candidate;
    }
  }
}

/// The dimension of a tensor that has the split factor.
std::optional<Layout> Question::placeIn(const TensorFactors &tensor) const {
  for (auto [dimension, factors] : llvm::enumerate(tensor)) {
    const unsigned *found = llvm::find(factors, split->factor);
    if (found == factors.end())
      continue;
    size_t at = found - factors.begin();
    if (factors.size() == 1)
      return Layout::shard(dimension, 0, split->outer, split->inner);
    ArrayRef<unsigned> all = factors;
    int64_t outer = productOf(rule, all.take_front(at)),
            inner = areBlocks() ? 1 : productOf(rule, all.drop_front(at + 1));
    bool isKnown = !ShapedType::isDynamic(outer) && !ShapedType::isDynamic(inner);
    return isKnown ? std::optional(
                         Layout::shard(dimension, 0, outer * split->outer, inner * split->inner))
                   : std::nullopt;
  }
  return std::nullopt;
}

/// Whether a tensor has the split factor where its place cannot be said.
bool Question::isLost(const TensorFactors &tensor) const {
  auto hasFactor = [&](auto &factors) { return llvm::is_contained(factors, split->factor); };
  return llvm::any_of(tensor, hasFactor) && !placeIn(tensor);
}

/// Whether something is added to what is summed that every part would count.
bool Question::countsWhole() const {
  auto has = [&](unsigned i) { return placeIn(rule.operands[i]).has_value(); };
  auto isCounted = [&](unsigned i) { return !has(i) && !isFree(i); };
  return rule.factors[split->factor].kind == FactorKind::Sum &&
         llvm::any_of(rule.linear, [&](const auto &set) {
           return llvm::any_of(set, has) && llvm::any_of(set, isCounted);
         });
}

void Question::alignOperands() {
  auto isTensorLost = [&](const TensorFactors &tensor) { return isLost(tensor); };
  if (split && (llvm::any_of(rule.operands, isTensorLost) ||
                llvm::any_of(rule.results, isTensorLost) || (areBlocks() && countsWhole())))
    split = std::nullopt;
  for (unsigned i = 0; i < given.size(); ++i) {
    std::optional<Layout> place = split ? placeIn(rule.operands[i]) : std::nullopt;
    if (place)
      wanted[i] = place->withScale(given[i].scale);
    else if (given[i].isShard())
      wanted[i] = Layout::replicate();
  }
}

//===----------------------------------------------------------------------===//
// What is still to be summed
//===----------------------------------------------------------------------===//

bool tutti::isSplat(Value value) {
  DenseElementsAttr all;
  return stablehlo::isSplat(value) || (matchPattern(value, m_Constant(&all)) && all.isSplat());
}

bool tutti::isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero()) ||
         stablehlo::isZero(value);
}

bool tutti::isSum(Operation *op) {
  return op && (isa<arith::AddFOp>(op) || stablehlo::isKind(op, "add")) &&
         llvm::all_equal({op->getOperand(0).getType(), op->getOperand(1).getType(),
                          op->getResult(0).getType()});
}

Operation *tutti::findFirstSum(Value carried, Value yielded) {
  Operation *sum = yielded.getDefiningOp();
  while (isSum(sum) && !llvm::is_contained(sum->getOperands(), carried)) {
    Value before = sum->getOperand(0);
    sum = before.hasOneUse() ? before.getDefiningOp() : nullptr;
  }
  return isSum(sum) ? sum : nullptr;
}

Value tutti::findDivisor(Operation *op) {
  auto quotient = dyn_cast<SampleCountOpInterface>(op);
  return quotient ? quotient.getDivisor() : isa<arith::DivFOp>(op) ? op->getOperand(1) : Value();
}

/// The first set of operands in which the operation is linear that has all of which `isMember`.
ArrayRef<unsigned> Question::findSet(llvm::function_ref<bool(unsigned)> isMember) const {
  for (const auto &set : rule.linear)
    if (llvm::all_of(llvm::seq<unsigned>(0, given.size()),
                     [&](unsigned i) { return !isMember(i) || llvm::is_contained(set, i); }))
      return set;
  return {};
}

/// A sum that is still to be taken is taken, and the value is its scale's own.
void Question::complete(unsigned operand) {
  wanted[operand] = Layout::replicate();
  std::optional<Layout> place = split ? placeIn(rule.operands[operand]) : std::nullopt;
  if (place)
    wanted[operand] = *place;
}

/// Where a split factor is summed, what lacks it counts once, and not once for each part.
void Question::addSummands() {
  if (!split || rule.factors[split->factor].kind != FactorKind::Sum)
    return;
  auto has = [&](unsigned i) { return wanted[i].isShard(); };
  for (const auto &set : rule.linear) {
    if (llvm::none_of(set, has))
      continue;
    for (unsigned i : set)
      if (!has(i) && !isFree(i) && !wanted[i].isPartial())
        wanted[i] = Layout::partial(Reduction::Sum, wanted[i].scale);
  }
}

/// Sums pass where the operation is linear in all of them, and nothing beside them is split.
void Question::passSums() {
  auto all = llvm::seq<unsigned>(0, given.size());
  for (unsigned i : all)
    if (isDivisor(i) && wanted[i].isPartial())
      complete(i);
  auto isPending = [&](unsigned i) { return wanted[i].isPartial() && given[i].isPartial(); };
  if (llvm::none_of(all, isPending))
    return;
  ArrayRef<unsigned> set = findSet(isPending);
  bool areSums = llvm::all_of(all, [&](unsigned i) { return !isPending(i) || given[i].isSum(); });
  bool isSummed = split && rule.factors[split->factor].kind == FactorKind::Sum;
  auto isSplit = [&](unsigned i) { return wanted[i].isShard() && !isShapeOnly(i); };
  bool hasTruths = llvm::any_of( // as which elements were dropped: no summands
      op->getResults(), [](Value result) { return getElementTypeOrSelf(result).isInteger(1); });
  bool passes = !set.empty() && areSums && !hasTruths && (!split || isSummed);
  for (unsigned i : set) // numbers cannot be divided by shares, so that one counts once
    passes = passes && (isPending(i) || isFree(i) || isSplit(i) || (isFloat(i) && !areBlocks()));
  if (!passes) {
    for (unsigned i : all)
      if (isPending(i) && !isShapeOnly(i))
        complete(i);
    return;
  }
  passesSum = true;
  for (unsigned i : set)
    if (!isPending(i) && !isFree(i) && !isSplit(i))
      wanted[i] = Layout::partial(Reduction::Sum, wanted[i].scale);
}

//===----------------------------------------------------------------------===//
// Scales
//===----------------------------------------------------------------------===//

/// Means stay means: what is none becomes one.
Scale Question::findCommonScale(ArrayRef<unsigned> set) const {
  std::optional<Scale> common;
  for (unsigned i : set) {
    bool isWhole = given[i].isWhole() && wanted[i].isPartial(); // of any mean
    if (isFree(i) || isWhole)
      continue;
    common = common ? std::max(*common, wanted[i].scale) : wanted[i].scale;
  }
  return common.value_or(Scale());
}

void Question::passScales() {
  auto all = llvm::seq<unsigned>(0, given.size());
  for (unsigned i : all)
    if (isDivisor(i)) { // the mean of quotients by a share of the count is the quotient of sums
      bool dividesSums = !wanted[0].isReplicate() && wanted[0].scale == 0 && isFloat(i);
      if (given[i].isSum() && given[i].scale == 0 && wanted[i].isReplicate() && dividesSums)
        wanted[i] = Layout::replicate(-1);
      if (wanted[i].isReplicate())
        scale = scale + -wanted[i].scale;
      else
        wanted[i].scale = 0;
    }
  auto hasScale = [&](unsigned i) {
    return wanted[i].scale != 0 && !isShapeOnly(i) && !isDivisor(i);
  };
  auto isCarrier = [&](unsigned i) { return hasScale(i) || (passesSum && wanted[i].isPartial()); };
  auto isFactor = [&](unsigned i) {
    return hasScale(i) && !wanted[i].isPartial() && llvm::is_contained(rule.linear, Alone{i});
  };
  ArrayRef<unsigned> set = findSet(isCarrier);
  llvm::SmallBitVector factors(given.size());
  if (set.empty()) { // of a product the scales multiply
    set = findSet([&](unsigned i) { return isCarrier(i) && !isFactor(i); });
    for (unsigned i : all)
      if (isFactor(i) && !llvm::is_contained(set, i))
        factors.set(i), scale = scale + wanted[i].scale;
  }
  Scale common = findCommonScale(set);
  for (unsigned i : all) {
    if (isShapeOnly(i) || isDivisor(i) || factors.test(i))
      continue;
    bool isMember = llvm::is_contained(set, i);
    if (!isMember)
      wanted[i].scale = 0;
    else if (!isFree(i))
      wanted[i].scale = common;
  }
  scale = scale + common;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Layout Question::layoutOf(const TensorFactors &result) const {
  if (!split)
    return passesSum ? Layout::partial(Reduction::Sum, scale) : Layout::replicate(scale);
  const Factor &factor = rule.factors[split->factor];
  bool reduces = factor.kind != FactorKind::Pass;
  if (std::optional<Layout> place = placeIn(result))
    return place->withScale(scale + (factor.divides && !reduces));
  switch (factor.kind) {
  case FactorKind::Sum:
    return Layout::partial(Reduction::Sum, scale + factor.divides);
  case FactorKind::Max:
    return Layout::partial(Reduction::Max);
  case FactorKind::Min:
    return Layout::partial(Reduction::Min);
  default:
    return Layout::replicate(scale);
  }
}

Transfer Question::answer() {
  chooseSplit();
  alignOperands();
  addSummands();
  passSums();
  passScales();
  Transfer transfer{wanted, {}};
  for (const TensorFactors &result : rule.results)
    transfer.results.push_back(layoutOf(result));
  return transfer;
}

Transfer tutti::transfer(Operation *op, const ShardingRule &rule, ArrayRef<Layout> operands,
                         int64_t parts) {
  return Question(op, rule, operands, parts).answer();
}

std::optional<Transfer> Question::answerBack(unsigned result, const Layout &place) {
  const TensorFactors &tensor = rule.results[result];
  if (place.dimension < int64_t(tensor.size()))
    split = findBlocks(place.outer, tensor[place.dimension]);
  auto isTensorLost = [&](const TensorFactors &other) { return isLost(other); };
  auto isAnyOf = [&](std::initializer_list<FactorKind> kinds) {
    return llvm::is_contained(kinds, rule.factors[split->factor].kind);
  };
  if (!split || !isAnyOf({FactorKind::Pass, FactorKind::Sum}) || countsWhole() ||
      llvm::any_of(rule.operands, isTensorLost) || llvm::any_of(rule.results, isTensorLost))
    return std::nullopt;
  auto placeOf = [&](const TensorFactors &other) {
    return placeIn(other).value_or(Layout::replicate());
  };
  auto resultOf = [&](const TensorFactors &other) { return layoutOf(other); };
  return Transfer{llvm::map_to_vector(rule.operands, placeOf),
                  llvm::map_to_vector(rule.results, resultOf)};
}

std::optional<Transfer> tutti::transferBack(Operation *op, const ShardingRule &rule,
                                            unsigned result, const Layout &wanted, int64_t parts) {
  SmallVector<Layout> unknown(op->getNumOperands());
  return Question(op, rule, unknown, parts).answerBack(result, wanted);
}
