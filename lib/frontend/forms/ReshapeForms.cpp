// Reshape to a shape that is computed from sizes, and Range up to one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/SizeForms.h"
#include "lib/frontend/forms/SliceForms.h"

#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace tutti::frontend;

namespace {

/// The shape of one Reshape, entry by entry.
class ReshapeShape {
public:
  ReshapeShape(ImportedNode &node, FormContext &context, Sizes shape, RankedTensorType data,
               Sizes ofData = {})
      : node(node), sizes(node, context), with(node, context), context(context),
        shape(std::move(shape)), ofData(std::move(ofData)), data(data),
        allowsZero(node.integer("allowzero", 0) != 0) {}

  LogicalResult compose(Results &results) {
    found = countOpen();
    if (countOpen() > 1 && data && succeeded(findTerms()))
      infer();
    bool isOther = !open && !terms.empty() && remainder() != std::optional(SizeTerm::number(1));
    if (isOther) // as far as can be told, not as many elements
      return refuse();
    if (countOpen() > 1)
      copyOwnSizes();
    if (countOpen() > 1)
      return data && !terms.empty() ? lookUp(results) : refuse();
    llvm::replace(shape.values, ShapedType::kDynamic, int64_t(-1));
    node.operands.resize(1);
    node.attributes.set("shape", context.builder.getDenseI64ArrayAttr(shape.values));
    return success();
  }

private:
  LogicalResult refuse() {
    return node.emitError() << "its input '" << node.inputName(1) << "' depends on " << found
                            << " sizes that vary; one can be inferred" << kFixSizes;
  }

  /// How many entries are neither numbers nor copied, by now.
  int64_t countOpen() const {
    return llvm::count(shape.values, ShapedType::kDynamic) + llvm::count(shape.values, -1);
  }
  SizeTerm ownSize(int64_t axis) {
    std::optional<SizeTerm> told = ofData.values.empty() ? std::nullopt : ofData.term(axis);
    return told ? context.canonical(*told) : sizes.sizeAlong(node.operands[0], axis);
  }

  /// The sizes of all entries but one of -1; failure if there are more such, or nothing is known of
  /// one that varies.
  LogicalResult findTerms() {
    for (auto [i, value] : llvm::enumerate(shape.values)) {
      std::optional<SizeTerm> term = shape.term(i);
      bool isCopy = value == 0 && !allowsZero && static_cast<int64_t>(i) < data.getRank();
      if (value == -1 || !term) {
        if (open || value != -1)
          return terms.clear(), failure();
        open = i;
      }
      terms.push_back(value == -1 ? SizeTerm::number(1)
                      : isCopy    ? ownSize(i)
                                  : context.canonical(*term));
    }
    return success();
  }

  /// What the entries leave of the elements, if that can be told.
  std::optional<SizeTerm> remainder() {
    SizeProduct all, entries;
    for (int64_t axis = 0; axis < data.getRank(); ++axis)
      all.multiply(ownSize(axis));
    for (const SizeTerm &term : terms)
      entries.multiply(term);
    return all.divide(entries);
  }

  /// An entry of -1 is what the others leave.
  void infer() {
    std::optional<SizeTerm> rest = open ? remainder() : std::nullopt;
    if (!open)
      return;
    if (!rest)
      return terms.clear();
    terms[*open] = *rest;
    shape.values[*open] = rest->isNumber() ? rest->plus : ShapedType::kDynamic;
  }

  /// Sizes that vary and are those of the same dimension of the data, as `x.view(x.size(0), -1)`
  /// has one, become 0, which copies them: another one is to be inferred.
  void copyOwnSizes() {
    if (!data || allowsZero)
      return;
    for (int64_t axis = 0; axis < std::min<int64_t>(data.getRank(), shape.values.size()); ++axis) {
      std::optional<SizeTerm> term =
          ShapedType::isDynamic(shape.values[axis])
              ? (terms.empty() ? shape.term(axis) : std::optional(terms[axis]))
              : std::nullopt;
      if (term && context.canonical(*term) == ownSize(axis))
        shape.values[axis] = 0;
    }
  }

  /// Rows of what does not vary, looked up by their places: one after the other, in each dimension
  /// that varies.
  LogicalResult lookUp(Results &results) {
    int64_t rank = shape.values.size(), last = rank - 1;
    while (last > 0 && terms[last].isNumber())
      --last;
    int64_t width = 1;
    for (const SizeTerm &term : ArrayRef(terms).drop_front(last + 1))
      width *= term.plus;
    if (width <= 0 || remainder() != std::optional(SizeTerm::number(1)))
      return refuse(); // not as many elements
    Value rows = with.create("Reshape", node.operands[0], {{"shape", with.integers({-1, width})}});
    Value places;
    SizeTerm stride = SizeTerm::number(1);
    for (int64_t i = last; i >= 0; --i) {
      Value along = with.create("Mul", {sizes.count(terms[i], last - i), sizes.number(stride)});
      places = places ? with.create("Add", {along, places}) : along;
      std::optional<SizeTerm> next = combine("Mul", stride, terms[i], context.termOf);
      if (!next)
        return refuse();
      stride = *next;
    }
    SmallVector<int64_t> split(last + 1, 0);
    for (const SizeTerm &term : ArrayRef(terms).drop_front(last + 1))
      split.push_back(term.plus);
    Value looked = with.create("Gather", {rows, places}, {{"axis", with.integer(0)}});
    results.push_back(with.create("Reshape", looked, {{"shape", with.integers(split)}}));
    return success(results.back() != nullptr);
  }

  ImportedNode &node;
  SizeBuilder sizes;
  Composer with;
  FormContext &context;
  Sizes shape, ofData;   ///< those of the data are empty, or known beyond what their types tell
  RankedTensorType data; ///< null if it has no rank
  bool allowsZero;
  int64_t found = 0;           ///< entries that were open
  SmallVector<SizeTerm> terms; ///< empty if they are not known
  std::optional<size_t> open;  ///< the entry that is -1
};

} // namespace

LogicalResult tutti::frontend::composeReshape(ImportedNode &node, FormContext &context,
                                              Results &results) {
  StringRef input = node.inputName(1);
  if (input.empty()) {
    node.operands.resize(1);
    return node.attributes.get("shape")
               ? success()
               : LogicalResult(node.emitError() << "its input 1 (shape) is missing");
  }
  std::optional<Sizes> shape = context.scope.lookupSizes(input, node.location);
  if (!shape || shape->isScalar)
    return node.emitError() << "its input '" << input
                            << "' must be a constant integer vector, or be computed from sizes, "
                               "because a compiled program needs shape to be known"
                            << context.scope.howToKnow(input);
  auto data = dyn_cast<RankedTensorType>(node.operands[0].getType());
  return ReshapeShape(node, context, std::move(*shape), data).compose(results);
}

Value tutti::frontend::reshapeTo(const ImportedNode &node, FormContext &context, Value value,
                                 const Sizes &own, Sizes shape) {
  Composer with(node, context);
  ImportedNode reshape{node.proto, node.location, "Reshape", {value}, {}};
  bool isEmpty = llvm::is_contained(shape.values, 0); // which would copy a size
  if (isEmpty)
    reshape.attributes.set("allowzero", with.integer(1));
  SmallVector<Value> results;
  ReshapeShape entries(reshape, context, std::move(shape), typeOf(value), own);
  if (failed(entries.compose(results)))
    return nullptr;
  return results.empty() ? with.create("Reshape", value,
                                       {{"shape", reshape.attributes.get("shape")},
                                        {"allowzero", with.integer(isEmpty)}})
                         : results.front();
}

/// How many numbers from `start` to `limit` are in steps of `delta`.
static std::optional<SizeTerm> countOfRange(const SizeTerm &start, const SizeTerm &limit,
                                            int64_t delta, TermOf termOf) {
  std::optional<SizeTerm> count =
      delta > 0 ? combine("Sub", limit, start, termOf) : combine("Sub", start, limit, termOf);
  int64_t step = std::abs(delta);
  if (!count || step == 1)
    return count;
  count = combine("Add", *count, SizeTerm::number(step - 1), termOf);
  return count ? combine("Div", *count, SizeTerm::number(step), termOf) : std::nullopt;
}

/// Of what the Range gives.
static Type elementType(ImportedNode &node, FormContext &context, const Sizes &limit) {
  StringRef name = node.inputName(1);
  if (context.scope.isComputedSizes(name))
    return limit.type ? Type(limit.type) : context.builder.getI64Type();
  Value value = context.scope.lookup(name, node.location);
  return value ? getElementTypeOrSelf(value) : context.builder.getI64Type();
}

/// How many ones stand before each entry, times `delta`, from `start` on.
static LogicalResult composeCount(ImportedNode &node, FormContext &context, const Sizes &start,
                                  const Sizes &limit, int64_t delta, Results &results) {
  std::optional<SizeTerm> first = start.term(0), last = limit.term(0);
  std::optional<SizeTerm> count =
      first && last ? countOfRange(*first, *last, delta, context.termOf) : std::nullopt;
  if (!count)
    return node.emitError() << "how long it is cannot be computed" << kFixSizes;
  if (count->isNumber())
    count = SizeTerm::number(std::max<int64_t>(count->plus, 0));
  SizeBuilder sizes(node, context);
  Composer with(node, context);
  Value numbers = sizes.count(*count);
  if (delta != 1)
    numbers =
        with.create("Mul", {numbers, with.number(context.builder.getI64Type(), double(delta))});
  if (!first->isNumber() || first->plus != 0)
    numbers = with.create("Add", {numbers, sizes.number(*first)});
  results.push_back(with.cast(numbers, elementType(node, context, limit)));
  return success(results.back() != nullptr);
}

/// An integer, or a float that is whole: a number, or a size that varies.
static std::optional<Sizes> wholeInput(ImportedNode &node, FormContext &context, int index) {
  StringRef name = node.inputName(index);
  if (std::optional<Sizes> sizes = context.scope.lookupSizes(name, node.location))
    return sizes;
  std::optional<FloatSizes> sizes = context.scope.lookupFloatSizes(name);
  if (sizes && sizes->divisor == 1)
    return sizes->numerators;
  std::optional<SmallVector<double>> floats = context.scope.lookupFloats(name, node.location);
  constexpr double largest = 1 << 24;
  if (sizes || !floats || floats->size() != 1 || floats->front() != std::trunc(floats->front()) ||
      std::abs(floats->front()) > largest)
    return std::nullopt;
  return Sizes{{static_cast<int64_t>(floats->front())}, /*isScalar=*/true};
}

LogicalResult tutti::frontend::composeRange(ImportedNode &node, FormContext &context,
                                            Results &results) {
  auto sizes = [&](int input) { return wholeInput(node, context, input); };
  std::optional<Sizes> start = sizes(0), limit = sizes(1), delta = sizes(2);
  bool areScalars = start && limit && delta && start->isScalar && limit->isScalar &&
                    delta->isScalar && delta->areKnown() && delta->values.front() != 0;
  if (!areScalars || (start->areKnown() && limit->areKnown()))
    return formRange(node, context);
  return composeCount(node, context, *start, *limit, delta->values.front(), results);
}
