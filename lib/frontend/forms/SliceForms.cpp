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
                             "compiled program needs it"
                          << context.scope.howToKnow(input);
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

  /// The same for the only axis, where both bounds are numbers.
  bool addIfKnown(const Sizes &start, const Sizes &end, int64_t axis, const SizeTerm &own) {
    std::optional<int64_t> first = resolve(start, 0, own), last = resolve(end, 0, own);
    if (!first || !last)
      return false;
    starts.push_back(*first);
    ends.push_back(*last);
    axes.push_back(axis);
    steps.push_back(1);
    return true;
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
    if (!first || !last || !isAtMost(SizeTerm::number(0), *first))
      return refuse("starts or ends");
    Value ones = isAtMost(*first, *last) && isAtMost(*last, own) ? onesBetween(*first, *last)
                                                                 : onesWithin(*first, *last, own);
    if (!ones)
      return refuse("starts or ends");
    Value places =
        with.create("CumSum", ones, {{"axis", with.integer(0)}, {"exclusive", with.integer(1)}});
    if (step > 1)
      places = with.create("Slice", places,
                           {{"starts", with.integers(0)},
                            {"ends", with.integers(std::numeric_limits<int64_t>::max())},
                            {"axes", with.integers(0)},
                            {"steps", with.integers(step)}});
    places = with.create("Add", {places, sizes.number(*first)});
    node.operands.back() =
        with.create("Gather", {node.operands.back(), places}, {{"axis", with.integer(axis)}});
    return success(node.operands.back() != nullptr);
  }

  /// As many as there are from `first` to before `last`; null where that is not known.
  Value onesBetween(const SizeTerm &first, const SizeTerm &last) {
    std::optional<SizeTerm> count = combine("Sub", last, first, context.termOf);
    return count ? sizes.ones(*count) : Value();
  }

  /// The same where only the program will tell whether the places lie in what is sliced: it is
  /// refused if they do not. Null where not even that is said by how the sizes are computed.
  Value onesWithin(const SizeTerm &first, const SizeTerm &last, const SizeTerm &own) {
    std::optional<SizeTerm> from = combine("Sub", own, first, context.termOf),
                            after = combine("Sub", own, last, context.termOf);
    auto isChecked = [](const std::optional<SizeTerm> &rest) {
      return rest && ((rest->made && rest->made->op == "Sub") || isWhatANumberLeaves(*rest));
    };
    if (isAtMost(last, own))
      return isChecked(from) && last == own ? sizes.ones(*from) : Value();
    return isAtMost(first, last) && from && isChecked(after) ? sizes.onesOfDifference(*from, *after)
                                                             : Value();
  }

  ImportedNode &node;
  SizeBuilder sizes;
  Composer with;
  FormContext &context;
};

} // namespace

SmallVector<SizeTerm> tutti::frontend::equalParts(const SizeTerm &size, int64_t parts,
                                                  TermOf termOf) {
  auto by = [&](StringRef op, const std::optional<SizeTerm> &term, const SizeTerm &other) {
    return term ? combine(op, *term, other, termOf) : std::nullopt;
  };
  SizeTerm count = SizeTerm::number(parts), others = SizeTerm::number(parts - 1);
  std::optional<SizeTerm> each = by("Div", by("Add", size, others), count);
  std::optional<SizeTerm> but = by("Mul", each, others), last;
  if (but)
    last = combine("Sub", size, *but, termOf);
  if (!last)
    return {};
  SmallVector<SizeTerm> sizes(parts - 1, *each);
  sizes.push_back(*last);
  return sizes;
}

/// A size as the bound of a slice is given.
static Sizes boundOf(const SizeTerm &size) {
  Sizes bound{{size.isNumber() ? size.plus : ShapedType::kDynamic}};
  bound.terms.push_back(size);
  return bound;
}

/// What is left of a size when a number is taken off is told to be no less than that.
static Value onesOfPart(SizeBuilder &sizes, const SizeTerm &count) {
  bool isRest = !count.made && !count.isNumber() && count.plus < 0;
  return isRest ? sizes.onesOfDifference(SizeTerm{count.dimension, count.times, 0},
                                         SizeTerm::number(-count.plus))
                : sizes.ones(count);
}

SmallVector<Value> tutti::frontend::takeParts(ImportedNode &node, FormContext &context, Value x,
                                              int64_t axis, ArrayRef<SizeTerm> counts) {
  Composer with(node, context);
  SizeBuilder sizes(node, context);
  SizeTerm own = sizes.sizeAlong(x, axis);
  std::optional<SizeTerm> first = SizeTerm::number(0), rest = own;
  SmallVector<Value> parts;
  for (const SizeTerm &count : counts) {
    std::optional<SizeTerm> last = combine("Add", *first, count, context.termOf);
    if (!last)
      break;
    ImportedNode part{node.proto, node.location, "Slice", {x}, {}};
    SliceBounds bounds(part, context);
    bool isWithin = isAtMost(*first, *last, context.termOf) && isAtMost(*last, own, context.termOf);
    if (isWithin && bounds.addIfKnown(boundOf(*first), boundOf(*last), axis, own)) {
      parts.push_back(with.create("Slice", x,
                                  {{"starts", with.integers(bounds.starts)},
                                   {"ends", with.integers(bounds.ends)},
                                   {"axes", with.integers(axis)},
                                   {"steps", with.integers(1)}}));
    } else {
      Value places = with.create("CumSum", onesOfPart(sizes, count),
                                 {{"axis", with.integer(0)}, {"exclusive", with.integer(1)}});
      places = with.create("Add", {places, sizes.number(*first)});
      parts.push_back(with.create("Gather", {x, places}, {{"axis", with.integer(axis)}}));
    }
    first = last;
    rest = rest ? combine("Sub", *rest, count, context.termOf) : std::nullopt;
  }
  std::optional<SizeTerm> all = combine("Sub", own, *first, context.termOf);
  auto isNone = [](const std::optional<SizeTerm> &size) {
    return size && *size == SizeTerm::number(0);
  };
  if (parts.size() == counts.size() && (isNone(rest) || isNone(all)))
    return parts;
  node.emitError() << "it is not known that its parts are all of dimension " << axis << " of "
                   << x.getType() << ", whose size varies" << kFixSizes;
  return {};
}

/// What has no sizes before operator set 18 is divided evenly: a dimension more tells whether it
/// can be.
static LogicalResult takeEvenParts(ImportedNode &node, FormContext &context, int64_t axis,
                                   Results &results) {
  Composer with(node, context);
  Value x = node.operands[0];
  int64_t parts = node.proto.output_size();
  ArrayRef<int64_t> rest = typeOf(x).getShape().drop_front(axis + 1);
  if (llvm::is_contained(rest, ShapedType::kDynamic))
    return node.emitError() << "cannot cut " << x.getType() << " into " << parts
                            << " equal parts along dimension " << axis
                            << ", whose size varies, as others after it do" << kFixSizes;
  SmallVector<int64_t> shape(axis, 0);
  shape.append({parts, -1});
  llvm::append_range(shape, rest);
  NamedAttrList attributes;
  attributes.set("shape", with.integers(shape));
  Location location = explained(node.location, "whose parts are equal: choose a batch, or a size, "
                                               "that their number divides");
  Operation *apart = createInferred(context.builder, location, "Reshape", x, attributes);
  if (!apart)
    return failure();
  for (int64_t part = 0; part < parts; ++part) {
    Value place = with.number(context.builder.getI64Type(), double(part));
    results.push_back(
        with.create("Gather", {apart->getResult(0), place}, {{"axis", with.integer(axis)}}));
  }
  return success(!llvm::is_contained(results, Value()));
}

/// The sizes of the parts that an input says; empty after a diagnostic.
static SmallVector<SizeTerm> givenParts(ImportedNode &node, FormContext &context) {
  FailureOr<Sizes> given = sizesInput(node, context, 1, "split");
  if (failed(given))
    return {};
  SmallVector<SizeTerm> counts;
  for (size_t i = 0; i < given->values.size() && !given->isScalar; ++i)
    if (std::optional<SizeTerm> term = given->term(i))
      counts.push_back(*term);
  if (int64_t(counts.size()) == node.proto.output_size())
    return counts;
  node.emitError() << "its input '" << node.inputName(1)
                   << "' (split) must have a size for each of " << node.proto.output_size()
                   << " outputs" << kFixSizes;
  return {};
}

/// Without sizes there are as many parts as outputs, which is also what num_outputs (since 18)
/// says.
LogicalResult tutti::frontend::composeSplit(ImportedNode &node, FormContext &context,
                                            Results &results) {
  int64_t parts = node.proto.output_size(), told = node.integer("num_outputs", parts);
  node.attributes.erase("num_outputs");
  if (told != parts)
    return node.emitError() << "num_outputs is " << told << ", but it has " << parts << " outputs";
  node.operands.resize(1);
  auto type = dyn_cast<RankedTensorType>(node.operands[0].getType());
  if (!type || node.attributes.get("split"))
    return success();
  int64_t axis = node.integer("axis", 0);
  axis += axis < 0 ? type.getRank() : 0;
  if (axis < 0 || axis >= type.getRank())
    return node.emitError() << "axis is out of range for an input of rank " << type.getRank();
  SizeTerm own = SizeBuilder(node, context).sizeAlong(node.operands[0], axis);
  bool isGiven = !node.inputName(1).empty();
  bool isEven = own.isNumber() ? own.plus % parts == 0
                               : !own.made && own.times % parts == 0 && own.plus % parts == 0;
  if (!isGiven && !isEven && !own.isNumber() && context.opset < 18)
    return takeEvenParts(node, context, axis, results);
  SmallVector<SizeTerm> counts =
      isGiven ? givenParts(node, context) : equalParts(own, parts, context.termOf);
  if (isGiven && counts.empty())
    return failure();
  bool isKnown = llvm::all_of(counts, [](const SizeTerm &count) { return count.isNumber(); });
  bool isNegative = isKnown && !counts.empty() && counts.back().plus < 0;
  if (counts.empty() || (!isGiven && (isNegative || (!isEven && context.opset < 18))))
    return node.emitError() << "cannot cut " << type << " into " << parts
                            << " equal parts along dimension " << axis;
  if (!isKnown) {
    results = takeParts(node, context, node.operands[0], axis, counts);
    return success(!results.empty() && !llvm::is_contained(results, Value()));
  }
  SmallVector<int64_t> sizes;
  for (const SizeTerm &count : counts)
    sizes.push_back(count.plus);
  node.attributes.set("split", context.builder.getDenseI64ArrayAttr(sizes));
  return success();
}

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

LogicalResult tutti::frontend::formInteger(ImportedNode &node, FormContext &context, StringRef name,
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

FailureOr<double> tutti::frontend::numberInput(ImportedNode &node, FormContext &context, int index,
                                               Type &type) {
  StringRef input = node.inputName(index);
  Value value = context.scope.lookup(input, node.location);
  DenseElementsAttr content;
  if (!value)
    return failure();
  auto floats = context.scope.lookupFloats(input, node.location);
  if (floats && floats->size() == 1) {
    type = cast<ShapedType>(value.getType()).getElementType();
    return floats->front();
  }
  if (!matchPattern(value, m_Constant(&content)) || content.getNumElements() != 1)
    return node.emitError() << "its input '" << input << "' must be one constant number"
                            << context.scope.howToKnow(input);
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
