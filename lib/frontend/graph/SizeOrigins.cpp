// Sizes are told apart by numbers: those of the operands that vary get one for each source, and the
// number that the inference gives for a result tells its source. It is done twice, with other
// numbers, so that none comes about by chance.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/SizeOrigins.h"

#include "lib/program/GlobalShapes.h"

using namespace mlir;
using namespace tutti::frontend;

/// The first input of a dataset stands for all: no argument but those is of a size that varies.
static SizeOrigin ofFirstInput(BlockArgument argument) {
  for (BlockArgument other : argument.getOwner()->getArguments())
    if (auto type = dyn_cast<RankedTensorType>(other.getType());
        type && type.getRank() > 0 && type.isDynamicDim(0))
      return {other, 0};
  return {argument, 0};
}

/// The types of the operands, with `number(source)` in place of each size that varies.
template <typename Number>
static SmallVector<Type> withNumbers(Operation *op, ArrayRef<SmallVector<SizeOrigin>> sources,
                                     Number number) {
  SmallVector<Type> types;
  for (auto [operand, own] : llvm::zip_equal(op->getOperands(), sources)) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type) {
      types.push_back(operand.getType());
      continue;
    }
    SmallVector<int64_t> shape(type.getShape());
    for (auto [size, source] : llvm::zip_equal(shape, own))
      size = ShapedType::isDynamic(size) ? number(source) : size;
    types.push_back(type.clone(shape));
  }
  return types;
}

std::optional<SizeOrigin> SizeOrigins::findOperand(OpResult result, int64_t axis) const {
  Operation *op = result.getOwner();
  SmallVector<SizeOrigin> all;
  SmallVector<SmallVector<SizeOrigin>> sources;
  for (Value operand : op->getOperands()) {
    sources.emplace_back();
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    for (int64_t i = 0; type && i < type.getRank(); ++i) {
      sources.back().push_back(known.lookup({operand, i}));
      if (type.isDynamicDim(i) && !llvm::is_contained(all, sources.back().back()))
        all.push_back(sources.back().back());
    }
  }
  auto infer = [&](int64_t first, int64_t stride) -> std::optional<SizeOrigin> {
    auto number = [&](SizeOrigin source) {
      return first + stride * (llvm::find(all, source) - all.begin());
    };
    SmallVector<Type> types;
    if (failed(tutti::program::inferResultTypes(op, withNumbers(op, sources, number), types)))
      return std::nullopt;
    auto type = dyn_cast<RankedTensorType>(types[result.getResultNumber()]);
    auto found = llvm::find_if(all, [&](SizeOrigin source) {
      return type && axis < type.getRank() && type.getDimSize(axis) == number(source);
    });
    return found == all.end() ? std::nullopt : std::optional(*found);
  };
  std::optional<SizeOrigin> once = infer(7919, 104729), again = infer(15485863, 1299709);
  return once == again ? once : std::nullopt;
}

SizeOrigin SizeOrigins::stepBack(SizeOrigin size) const {
  if (auto argument = dyn_cast<BlockArgument>(size.tensor))
    return size.axis == 0 ? ofFirstInput(argument) : size;
  return findOperand(cast<OpResult>(size.tensor), size.axis).value_or(size);
}

/// The sizes that vary of the operands of what has made `size`.
static SmallVector<SizeOrigin> sizesBehind(SizeOrigin size) {
  SmallVector<SizeOrigin> sizes;
  if (Operation *op = size.tensor.getDefiningOp())
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<RankedTensorType>(operand.getType()))
        for (int64_t axis = 0; axis < type.getRank(); ++axis)
          if (type.isDynamicDim(axis))
            sizes.push_back({operand, axis});
  return sizes;
}

SizeOrigin SizeOrigins::sourceOf(SizeOrigin size) {
  if (!size.tensor)
    return size;
  SmallVector<SizeOrigin> pending = {size}; // models are deeper than the stack
  while (!pending.empty()) {
    SizeOrigin next = pending.back();
    if (known.contains({next.tensor, next.axis})) {
      pending.pop_back();
      continue;
    }
    size_t count = pending.size();
    for (SizeOrigin behind : sizesBehind(next))
      if (!known.contains({behind.tensor, behind.axis}))
        pending.push_back(behind);
    if (pending.size() > count)
      continue;
    known[{next.tensor, next.axis}] = stepBack(next);
    pending.pop_back();
  }
  return known.lookup({size.tensor, size.axis});
}
