// Sizes are told apart by numbers: each source of those of the operands gets one, and the inference
// says the number of a result. The one source whose other number changes that of the result is its
// source; two numbers tell the multiple, and a third one that it is one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/sizes/SizeOrigins.h"

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

namespace {

/// An operation that is asked about its result types, with numbers for the sources of the sizes
/// that vary.
class AskedOperation {
public:
  AskedOperation(Operation *op, llvm::function_ref<SizeTerm(Value, int64_t)> termOf) : op(op) {
    for (Value operand : op->getOperands()) {
      terms.emplace_back();
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      for (int64_t axis = 0; type && axis < type.getRank(); ++axis) {
        terms.back().push_back(type.isDynamicDim(axis) ? termOf(operand, axis) : SizeTerm{});
        const SizeOrigin &source = terms.back().back().dimension;
        if (type.isDynamicDim(axis) && !llvm::is_contained(sources, source))
          sources.push_back(source);
      }
    }
  }

  /// The size of dimension `axis` of a result; none if it is not known, or if nothing fits.
  std::optional<int64_t> infer(OpResult result, int64_t axis, ArrayRef<int64_t> numbers) const {
    SmallVector<Type> types;
    if (failed(tutti::program::inferResultTypes(op, withNumbers(numbers), types)))
      return std::nullopt;
    auto type = dyn_cast<RankedTensorType>(types[result.getResultNumber()]);
    bool isKnown = type && axis < type.getRank() && !type.isDynamicDim(axis);
    return isKnown ? std::optional(type.getDimSize(axis)) : std::nullopt;
  }

  SmallVector<SizeOrigin> sources;

private:
  SmallVector<Type> withNumbers(ArrayRef<int64_t> numbers) const {
    SmallVector<Type> types;
    for (auto [operand, own] : llvm::zip_equal(op->getOperands(), terms)) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      if (!type) {
        types.push_back(operand.getType());
        continue;
      }
      SmallVector<int64_t> shape(type.getShape());
      for (auto [size, term] : llvm::zip_equal(shape, own))
        if (ShapedType::isDynamic(size))
          size = term.times * numbers[llvm::find(sources, term.dimension) - sources.begin()] +
                 term.plus;
      types.push_back(type.clone(shape));
    }
    return types;
  }

  Operation *op;
  SmallVector<SmallVector<SizeTerm>> terms;
};

} // namespace

std::optional<SizeTerm> SizeOrigins::findTerm(OpResult result, int64_t axis) const {
  AskedOperation asked(result.getOwner(), [&](Value value, int64_t i) {
    return known.lookup({value, i});
  });
  SmallVector<int64_t> numbers;
  for (size_t i = 0; i < asked.sources.size(); ++i)
    numbers.push_back(7919 + 104729 * int64_t(i));
  std::optional<int64_t> first = asked.infer(result, axis, numbers);
  std::optional<SizeTerm> found;
  for (auto [i, source] : llvm::enumerate(asked.sources)) {
    auto with = [&](int64_t number) {
      SmallVector<int64_t> others(numbers);
      others[i] = number;
      return asked.infer(result, axis, others);
    };
    constexpr int64_t second = 15485863, third = 16785572;
    std::optional<int64_t> then = with(second), last = with(third);
    if (!first || !then || !last)
      return std::nullopt;
    if (*then == *first && *last == *first)
      continue;
    int64_t rise = (*then - *first) / (second - numbers[i]), plus = *first - rise * numbers[i];
    bool isLinear = rise * second + plus == *then && rise * third + plus == *last;
    if (found || !isLinear || rise < 1 || plus < 0) // what is taken away may be more than there is
      return std::nullopt;
    found = SizeTerm{source, rise, plus};
  }
  return found;
}

SizeTerm SizeOrigins::stepBack(SizeOrigin size) const {
  if (auto argument = dyn_cast<BlockArgument>(size.tensor))
    return SizeTerm{size.axis == 0 ? ofFirstInput(argument) : size};
  return findTerm(cast<OpResult>(size.tensor), size.axis).value_or(SizeTerm{size});
}

/// The sizes that vary of the operands of what has made `size`.
static SmallVector<SizeOrigin> sourcesOf(SizeOrigin size) {
  SmallVector<SizeOrigin> sizes;
  if (Operation *op = size.tensor.getDefiningOp())
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<RankedTensorType>(operand.getType()))
        for (int64_t axis = 0; axis < type.getRank(); ++axis)
          if (type.isDynamicDim(axis))
            sizes.push_back({operand, axis});
  return sizes;
}

SizeTerm SizeOrigins::termOf(SizeOrigin size) {
  if (!size.tensor)
    return SizeTerm{size};
  SmallVector<SizeOrigin> pending = {size}; // models are deeper than the stack
  while (!pending.empty()) {
    SizeOrigin next = pending.back();
    if (known.contains({next.tensor, next.axis})) {
      pending.pop_back();
      continue;
    }
    size_t count = pending.size();
    for (SizeOrigin source : sourcesOf(next))
      if (!known.contains({source.tensor, source.axis}))
        pending.push_back(source);
    if (pending.size() > count)
      continue;
    known[{next.tensor, next.axis}] = stepBack(next);
    pending.pop_back();
  }
  return known.lookup({size.tensor, size.axis});
}
