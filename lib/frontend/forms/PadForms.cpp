// Tiles and margins, expressed by simpler operations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/ComposedForms.h"
#include "lib/frontend/forms/Composer.h"
#include "lib/frontend/forms/SizeForms.h"
#include "lib/frontend/forms/SliceForms.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti::frontend;

static constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

static FailureOr<RankedTensorType> rankedOperand(ImportedNode &node) {
  if (auto type = dyn_cast<RankedTensorType>(node.operands[0].getType()))
    return type;
  return node.emitError() << "the shape of its input '" << node.inputName(0) << "' is not known";
}

/// Of a tensor with several sizes that vary, which a Reshape could not tell: copies joined.
static Value joinCopies(Composer &with, Value value, SmallVectorImpl<int64_t> &repeats) {
  constexpr int64_t mostCopies = 64;
  if (llvm::count(typeOf(value).getShape(), ShapedType::kDynamic) < 2)
    return value;
  for (size_t axis = 0; value && axis < repeats.size(); ++axis)
    if (repeats[axis] > 1 && repeats[axis] <= mostCopies) {
      value = with.create("Concat", SmallVector<Value>(repeats[axis], value),
                          {{"axis", with.integer(int64_t(axis))}});
      repeats[axis] = 1;
    }
  return value;
}

/// Each repeated dimension gets one in front of it, which is expanded and joined with it; one of
/// size 1 that is repeated as often as a size says is expanded as it is.
LogicalResult tutti::frontend::composeTile(ImportedNode &node, FormContext &context,
                                           Results &results) {
  FailureOr<RankedTensorType> type = rankedOperand(node);
  FailureOr<Sizes> repeats = sizesInput(node, context, 1, "repeats");
  if (failed(type) || failed(repeats))
    return failure();
  auto isNegative = [](int64_t count) { return count < 0 && !ShapedType::isDynamic(count); };
  if (static_cast<int64_t>(repeats->values.size()) != type->getRank() ||
      llvm::any_of(repeats->values, isNegative))
    return node.emitError() << "needs one repeat that is not negative for each dimension of "
                            << *type;
  Composer with(node, context);
  node.operands[0] = joinCopies(with, node.operands[0], repeats->values);
  if (!node.operands[0])
    return failure();
  type = typeOf(node.operands[0]);
  SizeBuilder sizes(node, context);
  SmallVector<int64_t> added;
  Sizes wide, joined, own{SmallVector<int64_t>(type->getShape())};
  for (auto [i, size] : llvm::enumerate(type->getShape())) {
    int64_t count = repeats->values[i];
    bool varies = ShapedType::isDynamic(size) || ShapedType::isDynamic(count);
    bool isInPlace = ShapedType::isDynamic(count) && size == 1;
    if (count != 1 && !isInPlace)
      added.push_back(wide.values.size());
    if (count != 1)
      wide.append(*repeats, i);
    SizeTerm ownSize = sizes.sizeAlong(node.operands[0], i);
    own.terms.push_back(ownSize);
    if (!isInPlace)
      wide.append(own, i);
    std::optional<SizeTerm> times = repeats->term(i);
    joined.values.push_back(varies ? ShapedType::kDynamic : size * count);
    joined.terms.push_back(times ? combine("Mul", ownSize, *times, context.termOf) : std::nullopt);
  }
  if (added.empty() && wide.values == own.values) {
    results.push_back(node.operands[0]);
    return success();
  }
  Value apart = added.empty()
                    ? node.operands[0]
                    : with.create("Unsqueeze", node.operands[0], {{"axes", with.integers(added)}});
  FailureOr<Expansion> step = sizes.expand(apart, wide);
  if (failed(step))
    return failure();
  SmallVector<Value> operands = {step->input};
  if (step->like)
    operands.push_back(step->like);
  Value expanded =
      with.create("Expand", operands,
                  {{"shape", with.integers(step->shape)}, {"axis", with.integer(step->axis)}});
  if (expanded && !added.empty())
    expanded = reshapeTo(node, context, expanded, wide, std::move(joined));
  results.push_back(expanded);
  return success(results.back() != nullptr);
}

/// The pads of all dimensions, begins before ends: an attribute before operator set 11, of some
/// axes since 18.
static FailureOr<Sizes> padsOf(ImportedNode &node, FormContext &context, int64_t rank) {
  if (auto pads = dyn_cast_or_null<DenseI64ArrayAttr>(node.attributes.get("pads")))
    return Sizes{SmallVector<int64_t>(pads.asArrayRef())};
  FailureOr<Sizes> pads = sizesInput(node, context, 1, "pads");
  auto axes = knownInput(node, context, 3, "axes", llvm::to_vector(llvm::seq<int64_t>(0, rank)));
  if (failed(pads) || failed(axes))
    return failure();
  if (pads->values.size() != 2 * axes->size())
    return node.emitError() << "needs two pads for each axis, got " << pads->values.size()
                            << " for " << axes->size();
  SmallVector<int64_t> entryOf(2 * rank, -1);
  for (size_t i = 0; i < axes->size(); ++i) {
    int64_t axis = (*axes)[i] + ((*axes)[i] < 0 ? rank : 0);
    if (axis < 0 || axis >= rank)
      return node.emitError() << "axis " << (*axes)[i] << " is no dimension of its input";
    entryOf[axis] = int64_t(i);
    entryOf[rank + axis] = int64_t(axes->size() + i);
  }
  Sizes all, none{{0}};
  for (int64_t entry : entryOf)
    all.append(entry < 0 ? none : *pads, entry < 0 ? 0 : entry);
  return all;
}

/// The value of a constant margin: an attribute before operator set 11.
static FailureOr<double> valueOf(ImportedNode &node, FormContext &context) {
  if (auto value = dyn_cast_or_null<FloatAttr>(node.attributes.get("value")))
    return value.getValueAsDouble();
  DenseElementsAttr content;
  if (!node.operand(2))
    return 0.0;
  if (!matchPattern(node.operand(2), m_Constant(&content)) || content.getNumElements() != 1)
    return node.emitError() << "its input '" << node.inputName(2) << "' must be one constant number"
                            << context.scope.howToKnow(node.inputName(2));
  if (isa<FloatType>(content.getElementType()))
    return (*content.getValues<APFloat>().begin()).convertToDouble();
  return double((*content.getValues<APInt>().begin()).getSExtValue());
}

namespace {

/// Margins made of the tensor itself, along one axis.
class OwnMargin {
public:
  OwnMargin(Composer &with, StringRef mode, int64_t axis) : with(with), mode(mode), axis(axis) {}

  /// `count` entries in front of those of `value`.
  Value front(Value value, int64_t count) {
    if (mode == "reflect")
      return slice(value, count, 0, -1);
    return mode == "edge" ? repeat(slice(value, 0, 1, 1), count) : slice(value, -count, kAll, 1);
  }
  /// `count` entries after them.
  Value back(Value value, int64_t count) {
    if (mode == "reflect")
      return slice(value, -2, -2 - count, -1);
    return mode == "edge" ? repeat(slice(value, -1, kAll, 1), count) : slice(value, 0, count, 1);
  }
  Value join(ArrayRef<Value> parts) {
    return with.create("Concat", parts, {{"axis", with.integer(axis)}});
  }

private:
  Value slice(Value value, int64_t start, int64_t end, int64_t step) {
    return with.create("Slice", value,
                       {{"axes", with.integers(axis)},
                        {"starts", with.integers(start)},
                        {"ends", with.integers(end)},
                        {"steps", with.integers(step)}});
  }
  Value repeat(Value value, int64_t count) {
    if (!value)
      return value;
    SmallVector<int64_t> shape(cast<RankedTensorType>(value.getType()).getShape());
    llvm::replace(shape, ShapedType::kDynamic, int64_t(-1));
    shape[axis] = count;
    return with.create("Expand", value, {{"shape", with.integers(shape)}});
  }

  Composer &with;
  StringRef mode;
  int64_t axis;
};

} // namespace

/// The tensor with the margins of `mode` along `axis`; null after a diagnostic.
static Value padAlong(Composer &with, Value value, StringRef mode, int64_t axis, int64_t front,
                      int64_t back) {
  int64_t size = cast<RankedTensorType>(value.getType()).getDimSize(axis);
  int64_t most = mode == "reflect" ? size - 1 : mode == "edge" ? kAll : size;
  if (ShapedType::isDynamic(size) || size == 0 || front < 0 || back < 0 || front > most ||
      back > most)
    return with.node.emitError() << "cannot pad dimension " << axis << " of " << value.getType()
                                 << " by " << front << " and " << back << " entries in mode '"
                                 << mode << "'",
           nullptr;
  OwnMargin margin(with, mode, axis);
  SmallVector<Value> parts;
  if (front > 0)
    parts.push_back(margin.front(value, front));
  parts.push_back(value);
  if (back > 0)
    parts.push_back(margin.back(value, back));
  return parts.size() == 1 ? value : margin.join(parts);
}

/// The tensor with a constant margin in front of dimension `axis`, or after it, that is as wide as
/// a size that varies; null after a diagnostic.
static Value padBySize(ImportedNode &node, FormContext &context, Value value, int64_t axis,
                       const Sizes &pads, size_t entry, double content) {
  Composer with(node, context);
  RankedTensorType type = typeOf(value);
  std::optional<SizeTerm> wide = pads.term(entry);
  if (!wide || !isAtMost(SizeTerm::number(0), *wide, context.termOf))
    return node.emitError() << "entry " << entry << " of its pads varies, and may be negative"
                            << kFixSizes,
           nullptr;
  SizeBuilder sizes(node, context);
  Sizes shape;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    SizeTerm size = i == axis ? *wide : sizes.sizeAlong(value, i);
    shape.append(Sizes{{size.isNumber() ? size.plus : ShapedType::kDynamic},
                       /*isScalar=*/false,
                       /*type=*/{},
                       /*origins=*/{},
                       {size}},
                 0);
  }
  FailureOr<Expansion> step = sizes.expand(with.number(type.getElementType(), content), shape);
  if (failed(step))
    return nullptr;
  SmallVector<Value> operands = {step->input};
  if (step->like)
    operands.push_back(step->like);
  Value margin =
      with.create("Expand", operands,
                  {{"shape", with.integers(step->shape)}, {"axis", with.integer(step->axis)}});
  bool isFront = int64_t(entry) < type.getRank();
  SmallVector<Value> parts = {isFront ? margin : value, isFront ? value : margin};
  return with.create("Concat", parts, {{"axis", with.integer(axis)}});
}

/// Margins of numbers at once, and each of those that vary.
static Value padByConstant(ImportedNode &node, FormContext &context, const Sizes &pads,
                           double content) {
  Composer with(node, context);
  SmallVector<int64_t> known(pads.values);
  llvm::replace(known, ShapedType::kDynamic, int64_t(0));
  Value padded = with.create(
      "Pad", node.operands[0],
      {{"pads", with.integers(known)}, {"value", context.builder.getF64FloatAttr(content)}});
  int64_t rank = int64_t(known.size()) / 2;
  for (auto [entry, size] : llvm::enumerate(pads.values))
    if (ShapedType::isDynamic(size) && padded)
      padded = padBySize(node, context, padded, int64_t(entry) % rank, pads, entry, content);
  return padded;
}

LogicalResult tutti::frontend::composePad(ImportedNode &node, FormContext &context,
                                          Results &results) {
  FailureOr<RankedTensorType> type = rankedOperand(node);
  if (failed(type))
    return failure();
  int64_t rank = type->getRank();
  auto pads = padsOf(node, context, rank);
  auto attribute = dyn_cast_or_null<StringAttr>(node.attributes.get("mode"));
  StringRef mode = attribute ? attribute.getValue() : "constant";
  if (failed(pads))
    return failure();
  if (static_cast<int64_t>(pads->values.size()) != 2 * rank)
    return node.emitError() << "needs two pads for each dimension of " << *type << ", got "
                            << pads->values.size();
  if (mode != "constant" && !pads->areKnown())
    return node.emitError() << "its input '" << node.inputName(1)
                            << "' (pads) depends on a size that varies, which is supported in mode "
                               "'constant' only"
                            << kFixSizes;
  Composer with(node, context);
  Value padded = node.operands[0];
  if (mode == "constant") {
    FailureOr<double> value = valueOf(node, context);
    if (failed(value))
      return failure();
    bool isMask = type->getElementType().isInteger(1); // which the operation does not take
    if (isMask)
      node.operands[0] = with.cast(padded, with.builder.getI8Type());
    padded = padByConstant(node, context, *pads, *value);
    if (isMask)
      padded = with.cast(padded, with.builder.getI1Type());
  } else if (mode == "reflect" || mode == "edge" || mode == "wrap") {
    for (int64_t axis = 0; axis < rank && padded; ++axis)
      if (pads->values[axis] != 0 || pads->values[rank + axis] != 0)
        padded = padAlong(with, padded, mode, axis, pads->values[axis], pads->values[rank + axis]);
  } else {
    return node.emitError() << "its mode '" << mode
                            << "' is none of constant, reflect, edge and wrap";
  }
  results.push_back(padded);
  return success(padded != nullptr);
}
