// Operands that say which parts of tensors are meant become attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/SliceForms.h"

#include "lib/frontend/forms/SizeForms.h"

#include "dialects/onnx/Onnx.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace tutti::frontend;

/// A Range that is longer is refused: its elements become part of the program.
static constexpr double mostOfRange = double(1 << 24);

FailureOr<Sizes> tutti::frontend::sizesInput(ImportedNode &node, FormContext &context, int index,
                                             StringRef what) {
  StringRef input = node.inputName(index);
  bool isOfSlice = node.op == "Slice" || node.op == "SliceGrad";
  std::optional<Sizes> known = isOfSlice ? context.scope.lookupBounds(input, node.location)
                                         : context.scope.lookupSizes(input, node.location);
  if (known)
    return std::move(*known);
  return node.emitError() << "its input '" << input << "' (" << what
                          << ") must be constant integers or be computed from sizes, because a "
                             "compiled program needs it";
}

FailureOr<SmallVector<int64_t>> tutti::frontend::knownInput(ImportedNode &node,
                                                            FormContext &context, int index,
                                                            StringRef what,
                                                            ArrayRef<int64_t> otherwise) {
  if (node.inputName(index).empty())
    return SmallVector<int64_t>(otherwise);
  FailureOr<Sizes> sizes = sizesInput(node, context, index, what);
  if (failed(sizes))
    return failure();
  if (!sizes->areKnown())
    return node.emitError() << "its input '" << node.inputName(index) << "' (" << what
                            << ") depends on a size that varies" << kFixSizes;
  return std::move(sizes->values);
}

namespace {

/// The bounds of one Slice, some of which may be computed from sizes that vary.
class SliceBounds {
public:
  SliceBounds(ImportedNode &node, FormContext &context)
      : node(node), sizes(node, context), with(node, context), context(context) {}

  SmallVector<int64_t> starts, ends, axes, steps;

  LogicalResult add(const Sizes &start, const Sizes &end, size_t i, int64_t axis, int64_t step) {
    auto type = dyn_cast<RankedTensorType>(node.operands.back().getType());
    int64_t rank = type ? type.getRank() : 0, place = axis + (axis < 0 ? rank : 0);
    bool isDimension = place >= 0 && place < rank;
    std::optional<SizeTerm> own =
        isDimension ? std::optional(sizes.sizeAlong(node.operands.back(), place)) : std::nullopt;
    std::optional<int64_t> first = resolve(start, i, own), last = resolve(end, i, own);
    if (first && last) {
      starts.push_back(*first);
      ends.push_back(*last);
      axes.push_back(axis);
      steps.push_back(step);
      return success();
    }
    if (node.op != "Slice" || !own || step < 1)
      return refuse(first ? "ends" : "starts");
    return lookUp(start, end, i, place, step, *own);
  }

private:
  LogicalResult refuse(StringRef what) {
    return node.emitError() << "it " << what << " at a size that varies, of which it is not known "
                            << "where it lies in what is sliced" << kFixSizes;
  }

  /// A number: one that is given, or how far before the end of a dimension of size `own`.
  std::optional<int64_t> resolve(const Sizes &bound, size_t i, const std::optional<SizeTerm> &own) {
    if (!ShapedType::isDynamic(bound.values[i]))
      return bound.values[i];
    std::optional<SizeTerm> term = bound.term(i);
    if (own && term && isAtMost(*own, *term))
      return std::numeric_limits<int64_t>::max();
    std::optional<SizeTerm> before =
        own && term ? combine("Sub", *own, *term, context.termOf) : std::nullopt;
    if (!before || !before->isNumber())
      return std::nullopt;
    return before->plus > 0 ? -before->plus : std::numeric_limits<int64_t>::max();
  }

  /// The place of a bound, counted from the first entry.
  std::optional<SizeTerm> placeOf(const Sizes &bound, size_t i, const SizeTerm &own) {
    std::optional<SizeTerm> term = bound.term(i);
    if (term && !term->isNumber())
      return isAtMost(own, *term) ? own : context.canonical(*term);
    if (!term)
      return std::nullopt;
    if (term->plus >= std::numeric_limits<int32_t>::max())
      return own;
    return term->plus >= 0 ? term : combine("Add", own, *term, context.termOf);
  }

  bool isAtMost(const SizeTerm &a, const SizeTerm &b) {
    return tutti::frontend::isAtMost(a, b, context.termOf);
  }

  /// The entries between two places are looked up: what varies is their indices.
  LogicalResult lookUp(const Sizes &start, const Sizes &end, size_t i, int64_t axis, int64_t step,
                       const SizeTerm &own) {
    std::optional<SizeTerm> first = placeOf(start, i, own), last = placeOf(end, i, own);
    if (!first || !last || !isAtMost(SizeTerm::number(0), *first) || !isAtMost(*first, *last) ||
        !isAtMost(*last, own))
      return refuse("starts or ends");
    std::optional<SizeTerm> count = combine("Sub", *last, *first, context.termOf);
    if (count && step > 1)
      count = combine("Add", *count, SizeTerm::number(step - 1), context.termOf);
    if (count && step > 1)
      count = combine("Div", *count, SizeTerm::number(step), context.termOf);
    if (!count)
      return refuse("starts or ends");
    Value places = sizes.count(*count);
    if (step > 1)
      places =
          with.create("Mul", {places, with.number(context.builder.getI64Type(), double(step))});
    places = with.create("Add", {places, sizes.number(*first)});
    node.operands.back() =
        with.create("Gather", {node.operands.back(), places}, {{"axis", with.integer(axis)}});
    return success(node.operands.back() != nullptr);
  }

  ImportedNode &node;
  SizeBuilder sizes;
  Composer with;
  FormContext &context;
};

} // namespace

/// What is sliced is the last one of `tensors` inputs; starts, ends, axes and steps come after.
static LogicalResult formRanges(ImportedNode &node, FormContext &context, int tensors) {
  node.operands.resize(tensors);
  FailureOr<Sizes> starts = sizesInput(node, context, tensors, "starts");
  FailureOr<Sizes> ends = sizesInput(node, context, tensors + 1, "ends");
  if (failed(starts) || failed(ends))
    return failure();
  size_t count = starts->values.size();
  auto axes =
      knownInput(node, context, tensors + 2, "axes", llvm::to_vector(llvm::seq<int64_t>(0, count)));
  auto steps = knownInput(node, context, tensors + 3, "steps", SmallVector<int64_t>(count, 1));
  if (failed(axes) || failed(steps))
    return failure();
  if (ends->values.size() != count || axes->size() != count || steps->size() != count)
    return node.emitError() << "it has " << count << " starts, " << ends->values.size() << " ends, "
                            << axes->size() << " axes and " << steps->size() << " steps";
  SliceBounds bounds(node, context);
  for (size_t i = 0; i < count; ++i)
    if (failed(bounds.add(*starts, *ends, i, (*axes)[i], (*steps)[i])))
      return failure();
  Builder &builder = context.builder;
  node.attributes.set("starts", builder.getDenseI64ArrayAttr(bounds.starts));
  node.attributes.set("ends", builder.getDenseI64ArrayAttr(bounds.ends));
  node.attributes.set("axes", builder.getDenseI64ArrayAttr(bounds.axes));
  node.attributes.set("steps", builder.getDenseI64ArrayAttr(bounds.steps));
  return success();
}

/// Before operator set 10 all is in attributes.
LogicalResult tutti::frontend::formSlice(ImportedNode &node, FormContext &context) {
  return node.proto.input_size() == 1 ? success() : formRanges(node, context, /*tensors=*/1);
}

LogicalResult tutti::frontend::formSliceGrad(ImportedNode &node, FormContext &context) {
  return formRanges(node, context, /*tensors=*/2);
}

LogicalResult tutti::frontend::formIgnoredLabel(ImportedNode &node, FormContext &context,
                                                int index) {
  if (node.inputName(index).empty())
    return success();
  auto ignored = knownInput(node, context, index, "ignore_index", {});
  if (failed(ignored))
    return failure();
  if (ignored->size() != 1)
    return node.emitError() << "its input '" << node.inputName(index) << "' must be one integer";
  node.operands.resize(index);
  node.attributes.set("ignore_index", context.builder.getI64IntegerAttr(ignored->front()));
  return success();
}

LogicalResult tutti::frontend::formExpand(ImportedNode &node, FormContext &context) {
  FailureOr<Sizes> shape = sizesInput(node, context, 1, "shape");
  if (failed(shape))
    return failure();
  if (llvm::any_of(shape->values,
                   [](int64_t size) { return size < 0 && !ShapedType::isDynamic(size); }))
    return node.emitError() << "its shape '" << node.inputName(1) << "' has a negative size";
  node.operands.resize(1);
  return expandTo(node, context, std::move(*shape));
}

LogicalResult tutti::frontend::expandTo(ImportedNode &node, FormContext &context, Sizes shape) {
  if (!isa<RankedTensorType>(node.operands[0].getType()))
    return node.emitError() << "the shape of its input '" << node.inputName(0) << "' is not known";
  FailureOr<Expansion> step = SizeBuilder(node, context).expand(node.operands[0], shape);
  if (failed(step))
    return failure();
  node.operands = {step->input};
  if (step->like) {
    node.operands.push_back(step->like);
    node.attributes.set("axis", context.builder.getI64IntegerAttr(step->axis));
  }
  node.attributes.set("shape", context.builder.getDenseI64ArrayAttr(step->shape));
  return success();
}

/// Moves the one integer in input 1 to the attribute `name`.
static LogicalResult formInteger(ImportedNode &node, FormContext &context, StringRef name,
                                 ArrayRef<int64_t> otherwise) {
  auto values = knownInput(node, context, 1, name, otherwise);
  if (failed(values))
    return failure();
  if (values->size() != 1)
    return node.emitError() << "its input '" << node.inputName(1) << "' must be one integer";
  node.operands.resize(1);
  node.attributes.set(name, context.builder.getI64IntegerAttr(values->front()));
  return success();
}

LogicalResult tutti::frontend::formTrilu(ImportedNode &node, FormContext &context) {
  return formInteger(node, context, "k", {0});
}

LogicalResult tutti::frontend::formCumSum(ImportedNode &node, FormContext &context) {
  return formInteger(node, context, "axis", {});
}

FailureOr<double> tutti::frontend::numberInput(ImportedNode &node, FormContext &context, int index,
                                               Type &type) {
  StringRef input = node.inputName(index);
  Value value = context.scope.lookup(input, node.location);
  DenseElementsAttr content;
  if (!value)
    return failure();
  if (!matchPattern(value, m_Constant(&content)) || content.getNumElements() != 1)
    return node.emitError() << "its input '" << input << "' must be one constant number";
  type = content.getElementType();
  if (isa<FloatType>(type))
    return (*content.getValues<APFloat>().begin()).convertToDouble();
  return double((*content.getValues<APInt>().begin()).getSExtValue());
}

LogicalResult tutti::frontend::formRange(ImportedNode &node, FormContext &context) {
  Type type;
  FailureOr<double> start = numberInput(node, context, 0, type);
  if (failed(start))
    return failure();
  FailureOr<double> limit = numberInput(node, context, 1, type);
  if (failed(limit))
    return failure();
  FailureOr<double> delta = numberInput(node, context, 2, type);
  if (failed(delta))
    return failure();
  double count = *delta == 0 ? NAN : std::max(0.0, std::ceil((*limit - *start) / *delta));
  if (!(count <= mostOfRange))
    return node.emitError() << "a range of " << count << " numbers from " << *start << " in steps "
                            << "of " << *delta << " is not supported";
  SmallVector<Attribute> content;
  for (double i = 0; i < count; ++i) {
    double number = *start + i * *delta;
    content.push_back(isa<FloatType>(type)
                          ? Attribute(FloatAttr::get(type, number))
                          : Attribute(IntegerAttr::get(type, static_cast<int64_t>(number))));
  }
  node.op = "Constant";
  node.operands.clear();
  node.attributes.clear();
  node.attributes.set(
      "value",
      DenseElementsAttr::get(RankedTensorType::get({static_cast<int64_t>(count)}, type), content));
  return success();
}
