// Rules of sharding of operations that look at tensors of several shapes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/train/Train.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::train;

/// The outermost dimension that can be split; none of a scalar.
static std::optional<unsigned> outermostDimension(Type type) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
  for (auto [index, size] : llvm::enumerate(shape))
    if (size != 1)
      return index;
  return std::nullopt;
}

/// One number of all elements of all operands: each dimension of each of them is a factor of
/// `kind`, but for the outermost ones, if they are all `shared`.
static ShardingRule reduceAll(Operation *op, FactorKind kind,
                              std::optional<FactorKind> shared = std::nullopt) {
  ShardingRule rule;
  if (shared)
    rule.add(*shared, "k", ShapedType::kDynamic);
  for (Type type : op->getOperandTypes()) {
    TensorFactors &factors = rule.operands.emplace_back();
    for (int64_t size : cast<RankedTensorType>(type).getShape()) {
      bool isShared = shared && factors.size() == *outermostDimension(type);
      factors.emplace_back();
      if (isShared)
        factors.back() = {0};
      else if (size != 1)
        factors.back() = {rule.add(kind, "a" + std::to_string(rule.factors.size()), size)};
    }
  }
  rule.results.emplace_back();
  return rule;
}

/// Of several operands each part must hold a part of each, for what is whole would be counted by
/// every one: their outermost dimensions are one factor, whatever their sizes are.
static ShardingRule sumAll(Operation *op) {
  if (op->getNumOperands() == 1)
    return reduceAll(op, FactorKind::Sum);
  if (!llvm::all_of(op->getOperandTypes(),
                    [](Type type) { return outermostDimension(type).has_value(); }))
    return reduceAll(op, FactorKind::Whole);
  return reduceAll(op, FactorKind::Whole, FactorKind::Sum);
}

FailureOr<ShardingRule> AllFiniteOp::getFactors() { return reduceAll(*this, FactorKind::Min); }
FailureOr<ShardingRule> GlobalNormOp::getFactors() { return reduceAll(*this, FactorKind::Whole); }
FailureOr<ShardingRule> SumOfSquaresOp::getFactors() { return sumAll(*this); }

/// The samples that are exchanged lie along one dimension.
template <typename Op> static FailureOr<ShardingRule> alongAxis(const ShardingText &text, Op op) {
  return text.expand(op, {{"p", op.getAxis()}});
}

FailureOr<ShardingRule> BatchGatherOp::getFactors() { return alongAxis(shardingText(), *this); }
FailureOr<ShardingRule> BatchPieceOp::getFactors() { return alongAxis(shardingText(), *this); }
FailureOr<ShardingRule> BatchScatterOp::getFactors() { return alongAxis(shardingText(), *this); }
FailureOr<ShardingRule> PieceOp::getFactors() { return alongAxis(shardingText(), *this); }
