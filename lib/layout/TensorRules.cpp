// Rules of sharding of MLIR's operations that make, ask, cut and reshape tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/ShardingRules.h"

#include "dialects/interfaces/sharding/ShapeFactors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti;

namespace {

/// A factor for each dimension that is not 1.
TensorFactors addFactors(ShardingRule &rule, Value tensor, FactorKind kind = FactorKind::Pass) {
  TensorFactors factors;
  for (int64_t size : cast<RankedTensorType>(tensor.getType()).getShape()) {
    factors.emplace_back();
    if (size != 1)
      factors.back().push_back(rule.add(kind, "a" + std::to_string(rule.factors.size()), size));
  }
  return factors;
}

/// All operands and results are without dimensions, until they get some.
ShardingRule emptyRule(Operation *op) {
  ShardingRule rule;
  rule.operands.resize(op->getNumOperands());
  rule.results.resize(op->getNumResults());
  return rule;
}

/// The size of a whole dimension is the sum of those of its parts.
FailureOr<ShardingRule> ruleOf(tensor::DimOp op) {
  ShardingRule rule = emptyRule(op);
  if (!isa<RankedTensorType>(op.getSource().getType()))
    return failure();
  std::optional<int64_t> index = op.getConstantIndex();
  rule.operands[0] = addFactors(rule, op.getSource(), index ? FactorKind::Pass : FactorKind::Whole);
  if (index && *index < static_cast<int64_t>(rule.operands[0].size()))
    for (unsigned factor : rule.operands[0][*index])
      rule.factors[factor].kind = FactorKind::Sum;
  rule.shapesOnly = {0};
  return rule;
}

FailureOr<ShardingRule> ruleOf(tensor::FromElementsOp op) {
  ShardingRule rule = emptyRule(op);
  rule.results[0] = addFactors(rule, op.getResult(), FactorKind::Whole);
  rule.addLinear(llvm::to_vector(llvm::seq<unsigned>(0, op->getNumOperands())));
  return rule;
}

FailureOr<ShardingRule> ruleOf(tensor::ExtractOp op) {
  ShardingRule rule = emptyRule(op);
  rule.operands[0] = addFactors(rule, op.getTensor(), FactorKind::Whole);
  rule.addLinear({0});
  return rule;
}

FailureOr<ShardingRule> ruleOf(tensor::InsertOp op) {
  ShardingRule rule = emptyRule(op);
  rule.results[0] = addFactors(rule, op.getResult(), FactorKind::Whole);
  rule.operands[1] = rule.results[0];
  rule.addLinear({0, 1});
  return rule;
}

FailureOr<ShardingRule> ruleOf(tensor::SplatOp op) {
  ShardingRule rule = emptyRule(op);
  rule.results[0] = addFactors(rule, op.getResult());
  rule.addLinear({0});
  return rule;
}

FailureOr<ShardingRule> ruleOf(tensor::EmptyOp op) {
  ShardingRule rule = emptyRule(op);
  rule.results[0] = addFactors(rule, op.getResult());
  return rule;
}

FailureOr<ShardingRule> ruleOf(tensor::CastOp op) {
  FailureOr<ShardingRule> rule = pointwiseShardingRule(op);
  if (succeeded(rule))
    rule->addLinear({0});
  return rule;
}

/// The sizes of the longer shape, and what they are together in each group.
FailureOr<ShardingRule> ruleOfGroups(Operation *op, RankedTensorType longer,
                                     ArrayRef<ReassociationIndices> groups, bool collapses) {
  SmallVector<DimensionSize> sizes = sizesOf(longer.getShape()), products;
  for (const ReassociationIndices &group : groups) {
    products.emplace_back();
    for (int64_t dimension : group)
      products.back() = products.back() * sizes[dimension];
  }
  ShardingRule rule = collapses ? reshapeRule(sizes, products) : reshapeRule(products, sizes);
  rule.operands.resize(op->getNumOperands()); // sizes are no tensors
  rule.addLinear({0});
  return rule;
}

FailureOr<ShardingRule> ruleOf(tensor::CollapseShapeOp op) {
  return ruleOfGroups(op, op.getSrcType(), op.getReassociationIndices(), /*collapses=*/true);
}

FailureOr<ShardingRule> ruleOf(tensor::ExpandShapeOp op) {
  return ruleOfGroups(op, op.getResultType(), op.getReassociationIndices(), /*collapses=*/false);
}

/// Whether a slice takes all of a dimension in order.
bool takesAll(OpFoldResult offset, OpFoldResult size, OpFoldResult stride, int64_t of) {
  return isConstantIntValue(offset, 0) && isConstantIntValue(stride, 1) &&
         !ShapedType::isDynamic(of) && isConstantIntValue(size, of);
}

FailureOr<ShardingRule> ruleOf(tensor::ExtractSliceOp op) {
  ShardingRule rule = emptyRule(op);
  rule.operands[0] = addFactors(rule, op.getSource());
  llvm::SmallBitVector dropped = op.getDroppedDims();
  auto offsets = op.getMixedOffsets(), sizes = op.getMixedSizes(), strides = op.getMixedStrides();
  for (auto [i, size] : llvm::enumerate(op.getSourceType().getShape())) {
    bool isOne = isConstantIntValue(sizes[i], 1);
    for (unsigned factor : rule.operands[0][i])
      if (!takesAll(offsets[i], sizes[i], strides[i], size))
        rule.factors[factor].kind = isOne ? FactorKind::Whole : FactorKind::Near;
    if (!dropped.test(i))
      rule.results[0].push_back(isOne ? SmallVector<unsigned, 1>() : rule.operands[0][i]);
  }
  rule.addLinear({0});
  return rule;
}

} // namespace

FailureOr<ShardingRule> tutti::findTensorRule(Operation *op) {
  return llvm::TypeSwitch<Operation *, FailureOr<ShardingRule>>(op)
      .Case<tensor::DimOp, tensor::FromElementsOp, tensor::ExtractOp, tensor::InsertOp,
            tensor::SplatOp, tensor::EmptyOp, tensor::CastOp, tensor::CollapseShapeOp,
            tensor::ExpandShapeOp, tensor::ExtractSliceOp>([](auto known) { return ruleOf(known); })
      .Default([](Operation *) { return failure(); });
}
