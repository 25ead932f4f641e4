// Rules of sharding of loop nests: of linalg, and of what implements MLIR's own sharding interface.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/ShardingRules.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Shard/Interfaces/ShardingInterface.h"

using namespace mlir;
using namespace tutti;

namespace {

FactorKind kindOf(shard::ReductionKind kind) {
  switch (kind) {
  case shard::ReductionKind::Sum:
    return FactorKind::Sum;
  case shard::ReductionKind::Max:
    return FactorKind::Max;
  case shard::ReductionKind::Min:
    return FactorKind::Min;
  case shard::ReductionKind::Product:
    return FactorKind::Prod;
  default:
    return FactorKind::Whole;
  }
}

/// A product is none of these: each part would take what it starts from.
FactorKind kindOfCombiner(Operation *combiner) {
  if (isa<arith::AddFOp, arith::AddIOp>(combiner))
    return FactorKind::Sum;
  if (isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp, arith::MaxUIOp>(combiner))
    return FactorKind::Max;
  if (isa<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp, arith::MinUIOp>(combiner))
    return FactorKind::Min;
  return FactorKind::Whole;
}

/// How all results combine what the iterations of a reduction give; Whole if they do not agree.
FactorKind kindOfReduction(linalg::LinalgOp op) {
  std::optional<FactorKind> common;
  for (unsigned i = 0, e = op.getRegionOutputArgs().size(); i < e; ++i) {
    SmallVector<Operation *> combiners;
    bool isOne = matchReduction(op.getRegionOutputArgs(), i, combiners) && combiners.size() == 1;
    FactorKind kind = isOne ? kindOfCombiner(combiners.front()) : FactorKind::Whole;
    if (common && *common != kind)
      return FactorKind::Whole;
    common = kind;
  }
  return common.value_or(FactorKind::Whole);
}

/// Maps dimensions to the loops that index them. A dimension that is indexed by more than one loop
/// can be split as little as these.
class LoopNest {
public:
  explicit LoopNest(ArrayRef<FactorKind> kinds) {
    for (auto [index, kind] : llvm::enumerate(kinds))
      rule.add(kind, "d" + std::to_string(index), ShapedType::kDynamic);
  }

  TensorFactors map(AffineMap map, Type type) {
    TensorFactors factors;
    auto tensor = dyn_cast<ShapedType>(type);
    for (auto [index, position] : llvm::enumerate(map.getResults()))
      factors.push_back(mapDimension(position, tensor ? tensor.getDimSize(index) : 1));
    return factors;
  }

  ShardingRule rule;

private:
  SmallVector<unsigned, 1> mapDimension(AffineExpr position, int64_t size) {
    if (size == 1)
      return {};
    if (auto loop = dyn_cast<AffineDimExpr>(position)) {
      if (!ShapedType::isDynamic(size))
        rule.factors[loop.getPosition()].size = size;
      return {loop.getPosition()};
    }
    position.walk([&](AffineExpr part) {
      if (auto loop = dyn_cast<AffineDimExpr>(part))
        rule.factors[loop.getPosition()].kind = FactorKind::Whole;
    });
    return {rule.add(FactorKind::Whole, "e" + std::to_string(rule.factors.size()), size)};
  }
};

/// Which values of a loop's body are linear in some of its arguments while others are fixed.
class BodyLinearity {
public:
  /// `isLinear` by argument.
  BodyLinearity(Block &body, const llvm::SmallBitVector &isLinear) {
    for (auto [index, argument] : llvm::enumerate(body.getArguments()))
      degrees[argument] = isLinear.test(index) ? Degree::One : Degree::Zero;
    for (Operation &op : body.without_terminator())
      for (Value result : op.getResults())
        degrees[result] = degreeOf(op);
    for (Value result : body.getTerminator()->getOperands())
      holds &= degreeOf(result) == Degree::One;
  }

  bool holds = true;

private:
  enum class Degree { Zero, One, Unknown };

  Degree degreeOf(Value value) const {
    auto known = degrees.find(value);
    return known == degrees.end() ? Degree::Zero : known->second; // from outside: fixed
  }

  Degree degreeOf(Operation &op) const {
    SmallVector<unsigned> linear;
    for (OpOperand &operand : op.getOpOperands()) {
      Degree degree = degreeOf(operand.get());
      if (degree == Degree::Unknown || op.getNumRegions())
        return Degree::Unknown;
      if (degree == Degree::One)
        linear.push_back(operand.getOperandNumber());
    }
    if (linear.empty())
      return Degree::Zero;
    ShardingRule rule;
    addLinearArithmetic(&op, rule);
    return llvm::is_contained(rule.linear, linear) ? Degree::One : Degree::Unknown;
  }

  DenseMap<Value, Degree> degrees;
};

bool addIfLinear(linalg::LinalgOp op, const llvm::SmallBitVector &set, ShardingRule &rule) {
  if (set.none() || !BodyLinearity(*op.getBlock(), set).holds)
    return false;
  rule.addLinear(llvm::to_vector_of<unsigned>(set.set_bits()));
  return true;
}

/// Adds the set, or the set with what is accumulated to: where loops reduce, that depends on all
/// others.
void addIfLinear(linalg::LinalgOp op, llvm::SmallBitVector set, const llvm::SmallBitVector &outputs,
                 ShardingRule &rule) {
  if (op.getNumReductionLoops() > 0 || !addIfLinear(op, set, rule))
    addIfLinear(op, set |= outputs, rule);
}

/// Operands whose arguments in the body may stand for summands: each by itself, and all.
void addLinearSets(linalg::LinalgOp op, ShardingRule &rule) {
  unsigned inputs = op.getNumDpsInputs(), operands = op->getNumOperands();
  llvm::SmallBitVector all(operands), outputs(operands);
  all.set(0, inputs);
  outputs.set(inputs, operands);
  for (unsigned i = 0; i < inputs; ++i) {
    llvm::SmallBitVector one(operands);
    addIfLinear(op, one.set(i), outputs, rule);
  }
  if (inputs > 1)
    addIfLinear(op, all, outputs, rule);
}

/// Of what is overwritten only the shape matters.
void markOverwritten(linalg::LinalgOp op, ShardingRule &rule) {
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!op.payloadUsesValueFromOperand(&init))
      rule.shapesOnly.push_back(init.getOperandNumber());
}

/// A loop whose index the body asks for cannot run from another start.
void keepIndexedWhole(linalg::LinalgOp op, ShardingRule &rule) {
  for (linalg::IndexOp index : op.getBlock()->getOps<linalg::IndexOp>())
    rule.factors[index.getDim()].kind = FactorKind::Whole;
}

FailureOr<ShardingRule> ruleOf(linalg::LinalgOp op) {
  SmallVector<FactorKind> kinds;
  for (utils::IteratorType loop : op.getIteratorTypesArray())
    kinds.push_back(loop == utils::IteratorType::parallel ? FactorKind::Pass : kindOfReduction(op));
  LoopNest loops(kinds);
  for (OpOperand &operand : op->getOpOperands())
    loops.rule.operands.push_back(
        loops.map(op.getMatchingIndexingMap(&operand), operand.get().getType()));
  for (OpResult result : op->getResults())
    loops.rule.results.push_back(
        loops.map(op.getIndexingMapMatchingResult(result), result.getType()));
  keepIndexedWhole(op, loops.rule);
  addLinearSets(op, loops.rule);
  markOverwritten(op, loops.rule);
  return std::move(loops.rule);
}

/// What another dialect says of loops; what it is linear in it does not say.
FailureOr<ShardingRule> ruleOf(shard::ShardingInterface op) {
  SmallVector<AffineMap> maps = op.getIndexingMaps();
  if (maps.size() != op->getNumOperands() + op->getNumResults())
    return failure();
  SmallVector<shard::ReductionKind> reductions = op.getReductionLoopIteratorKinds();
  SmallVector<FactorKind> kinds;
  auto *next = reductions.begin();
  for (utils::IteratorType loop : op.getLoopIteratorTypes()) {
    bool isParallel = loop == utils::IteratorType::parallel;
    if (!isParallel && next == reductions.end())
      return failure();
    kinds.push_back(isParallel ? FactorKind::Pass : kindOf(*next++));
  }
  LoopNest loops(kinds);
  for (auto [index, map] : llvm::enumerate(maps)) {
    bool isOperand = index < op->getNumOperands();
    Value value = isOperand ? op->getOperand(index) : op->getResult(index - op->getNumOperands());
    (isOperand ? loops.rule.operands : loops.rule.results)
        .push_back(loops.map(map, value.getType()));
  }
  return std::move(loops.rule);
}

} // namespace

FailureOr<ShardingRule> tutti::findLoopRule(Operation *op) {
  if (auto loops = dyn_cast<linalg::LinalgOp>(op))
    return loops.hasPureTensorSemantics() ? ruleOf(loops) : FailureOr<ShardingRule>(failure());
  if (auto loops = dyn_cast<shard::ShardingInterface>(op))
    return ruleOf(loops);
  return failure();
}
