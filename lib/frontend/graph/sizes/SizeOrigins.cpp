// Sizes are told apart by numbers: each source of those of the operands gets one, and the inference
// says the number of a result. The sources whose other number changes that of the result are its
// sources: the result is a sum of multiples of them, or a multiple of their product, for all
// numbers, or it is a size of its own.
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
        terms.back().push_back(type.isDynamicDim(axis) ? termOf(operand, axis)
                                                       : SizeTerm::number(type.getDimSize(axis)));
        addSources(terms.back().back());
      }
    }
  }

  /// The size of dimension `axis` of a result; none if it is not known, or if nothing fits.
  std::optional<int64_t> infer(OpResult result, int64_t axis, ArrayRef<int64_t> numbers) const {
    SmallVector<Type> types;
    std::optional<SmallVector<Type>> operands = withNumbers(numbers);
    if (!operands || failed(tutti::program::inferResultTypes(op, *operands, types)))
      return std::nullopt;
    auto type = dyn_cast<RankedTensorType>(types[result.getResultNumber()]);
    bool isKnown = type && axis < type.getRank() && !type.isDynamicDim(axis);
    return isKnown ? std::optional(type.getDimSize(axis)) : std::nullopt;
  }

  SmallVector<SizeOrigin> sources;

  /// None where a number is too large.
  std::optional<int64_t> valueWith(const SizeTerm &term, ArrayRef<int64_t> numbers) const {
    return evaluateTerm(term, [&](SizeOrigin source) {
      return numbers[llvm::find(sources, source) - sources.begin()];
    });
  }

private:
  void addSources(const SizeTerm &term) {
    if (term.made) {
      addSources(term.made->first);
      return addSources(term.made->second);
    }
    if (!term.isNumber() && !llvm::is_contained(sources, term.dimension))
      sources.push_back(term.dimension);
  }

  /// None where a number is too large.
  std::optional<SmallVector<Type>> withNumbers(ArrayRef<int64_t> numbers) const {
    SmallVector<Type> types;
    for (auto [operand, own] : llvm::zip_equal(op->getOperands(), terms)) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      if (!type) {
        types.push_back(operand.getType());
        continue;
      }
      SmallVector<int64_t> shape;
      for (const SizeTerm &term : own) {
        std::optional<int64_t> size = valueWith(term, numbers);
        if (!size)
          return std::nullopt;
        shape.push_back(*size);
      }
      types.push_back(type.clone(shape));
    }
    return types;
  }

  Operation *op;
  SmallVector<SmallVector<SizeTerm>> terms;
};

} // namespace

namespace {

/// The size of one result for some numbers of the sources.
struct Answer {
  SmallVector<int64_t> numbers;
  int64_t size;
};

/// What is asked, so that the size can be told from the answers: the first numbers, those with
/// another one of one source, twice for each, and with another one of all, twice. They are larger
/// than what models compare sizes with, and small enough to count the elements of a tensor with
/// three of them.
SmallVector<SmallVector<int64_t>> questionsAbout(size_t sources) {
  SmallVector<int64_t> first;
  for (size_t i = 0; i < sources; ++i)
    first.push_back(7919 + 104729 * static_cast<int64_t>(i));
  SmallVector<SmallVector<int64_t>> questions = {first};
  for (int64_t other : {1299709, 1400017}) {
    for (size_t i = 0; i < sources; ++i) {
      questions.push_back(first);
      questions.back()[i] = other;
    }
    questions.emplace_back(sources, other);
  }
  return questions;
}

} // namespace

static std::optional<SizeTerm> combineSources(StringRef op, const std::optional<SizeTerm> &first,
                                              const SizeTerm &second) {
  auto itself = [](SizeOrigin source) { return SizeTerm{source}; };
  return first ? combine(op, *first, second, itself) : std::nullopt;
}

/// A sum of multiples of sources that fits the first answers. No size is taken away, which may be
/// more than there is.
static std::optional<SizeTerm> findSum(ArrayRef<SizeOrigin> sources, ArrayRef<Answer> answers) {
  const Answer &first = answers.front();
  int64_t plus = first.size;
  std::optional<SizeTerm> sum = SizeTerm::number(0);
  for (auto [i, source] : llvm::enumerate(sources)) {
    const Answer &second = answers[1 + i];
    int64_t rise = (second.size - first.size) / (second.numbers[i] - first.numbers[i]);
    if (rise < 0)
      return std::nullopt;
    plus -= rise * first.numbers[i];
    if (rise > 0)
      sum = combineSources("Add", sum, SizeTerm{source, rise});
  }
  return plus < 0 ? std::nullopt : combineSources("Add", sum, SizeTerm::number(plus));
}

/// A multiple of the product of those sources that change the size, which fits the first answer.
static std::optional<SizeTerm> findProduct(ArrayRef<SizeOrigin> sources, ArrayRef<Answer> answers) {
  const Answer &first = answers.front();
  int64_t times = first.size;
  std::optional<SizeTerm> product = SizeTerm::number(1);
  for (auto [i, source] : llvm::enumerate(sources)) {
    if (answers[1 + i].size == first.size)
      continue;
    product = combineSources("Mul", product, SizeTerm{source});
    if (times % first.numbers[i] != 0)
      return std::nullopt;
    times /= first.numbers[i];
  }
  return combineSources("Mul", product, SizeTerm::number(times));
}

std::optional<SizeTerm> SizeOrigins::findTerm(OpResult result, int64_t axis) const {
  AskedOperation asked(result.getOwner(), [&](Value value, int64_t i) {
    return known.lookup({value, i});
  });
  SmallVector<Answer> answers;
  for (ArrayRef<int64_t> numbers : questionsAbout(asked.sources.size())) {
    std::optional<int64_t> size = asked.infer(result, axis, numbers);
    if (!size)
      return std::nullopt;
    answers.push_back({SmallVector<int64_t>(numbers), *size});
  }
  auto fits = [&](const std::optional<SizeTerm> &term) {
    return term && !term->isNumber() && llvm::all_of(answers, [&](const Answer &answer) {
             return asked.valueWith(*term, answer.numbers) == answer.size;
           });
  };
  std::optional<SizeTerm> sum = findSum(asked.sources, answers);
  std::optional<SizeTerm> product = findProduct(asked.sources, answers);
  return fits(sum) ? sum : fits(product) ? product : std::nullopt;
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
