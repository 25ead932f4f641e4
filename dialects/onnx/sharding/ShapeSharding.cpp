// Rules of sharding of operators that only change the shape of a tensor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/interfaces/sharding/ShapeFactors.h"
#include "dialects/onnx/sharding/AlongAxes.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::onnx;

namespace {

DimensionSize productOf(ArrayRef<DimensionSize> sizes) {
  DimensionSize product;
  for (const DimensionSize &size : sizes)
    product = product * size;
  return product;
}

/// What is left of the elements of `from` for a dimension beside those of `others`.
std::optional<DimensionSize> remainder(ArrayRef<DimensionSize> from,
                                       ArrayRef<DimensionSize> others) {
  return quotient(productOf(from), productOf(others));
}

/// The only unknown size in `sizes` is known where all of `others` is: as many elements are in
/// both.
void solveUnknown(MutableArrayRef<DimensionSize> sizes, ArrayRef<DimensionSize> others) {
  DimensionSize product = productOf(sizes), other = productOf(others);
  if (product.unknown.size() != 1 || !other.unknown.empty() || product.number == 0 ||
      other.number % product.number != 0)
    return;
  for (DimensionSize &size : sizes)
    if (!size.unknown.empty())
      size = {other.number / product.number, {}};
}

/// The sizes of a reshape's result, by those of its operand where it copies them. A size that is
/// not known but by the type stands for itself.
SmallVector<DimensionSize> reshapedSizes(ReshapeOp op, ArrayRef<DimensionSize> from) {
  SmallVector<DimensionSize> sizes = sizesOf(shapeOf(op.getReshaped()), from.size());
  ArrayRef<int64_t> shape = op.getShape();
  for (auto [index, entry] : llvm::enumerate(shape))
    if (entry == 0 && !op.getAllowzero() && !sizes[index].unknown.empty())
      sizes[index] = from[index];
  auto *open = llvm::find(shape, -1);
  if (open == shape.end() || sizes[open - shape.begin()].unknown.empty())
    return sizes;
  SmallVector<DimensionSize> others(sizes);
  others.erase(others.begin() + (open - shape.begin()));
  if (std::optional<DimensionSize> rest = remainder(from, others))
    sizes[open - shape.begin()] = *rest;
  return sizes;
}

/// Drops, or adds, dimensions without a factor.
template <typename Op>
ShardingRule pickDimensions(Op op, Value longer, ArrayRef<int64_t> axes, bool drops) {
  ShardingRule rule;
  TensorFactors all = addFactors(rule, shapeOf(longer)), others;
  for (auto [index, dimension] : llvm::enumerate(all)) {
    bool isAxis = llvm::is_contained(axes, static_cast<int64_t>(index));
    if (!isAxis)
      others.push_back(dimension);
    else if (!dimension.empty())
      rule.factors[dimension.front()].kind = FactorKind::Whole; // it will turn out to be 1
  }
  rule.operands = {drops ? all : others};
  rule.results = {drops ? others : all};
  return rule;
}

} // namespace

FailureOr<ShardingRule> ReshapeOp::getFactors() {
  SmallVector<DimensionSize> from = sizesOf(shapeOf(getData()));
  SmallVector<DimensionSize> to = reshapedSizes(*this, from);
  solveUnknown(from, to);
  solveUnknown(to, from);
  return reshapeRule(from, to);
}

FailureOr<ShardingRule> FlattenOp::getFactors() {
  SmallVector<DimensionSize> from = sizesOf(shapeOf(getInput()));
  int64_t rank = from.size(), axis = getAxis();
  axis += axis < 0 ? rank : 0;
  ArrayRef<DimensionSize> sizes = from;
  DimensionSize to[] = {productOf(sizes.take_front(axis)), productOf(sizes.drop_front(axis))};
  return reshapeRule(from, to);
}

FailureOr<ShardingRule> TransposeOp::getFactors() {
  ShardingRule rule;
  TensorFactors factors = addFactors(rule, shapeOf(getData())), permuted;
  for (int64_t dimension : getPermutation())
    permuted.push_back(factors[dimension]);
  rule.operands = {factors};
  rule.results = {permuted};
  return rule;
}

FailureOr<ShardingRule> SqueezeOp::getFactors() {
  return pickDimensions(*this, getData(), getDroppedAxes(), /*drops=*/true);
}

FailureOr<ShardingRule> UnsqueezeOp::getFactors() {
  SmallVector<int64_t> axes = *normalizeAxes(getAxes(), shapeOf(getExpanded()).size());
  return pickDimensions(*this, getExpanded(), axes, /*drops=*/false);
}
