// Operands that say which parts of tensors are meant become attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/SliceForms.h"

#include "dialects/onnx/Onnx.h"
#include "dialects/train/Train.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace tutti::frontend;

/// A Range that is longer is refused: its elements become part of the program.
static constexpr double mostOfRange = double(1 << 24);

static FailureOr<Sizes> sizesInput(ImportedNode &node, FormContext &context, int index,
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
                            << ") depends on a size that varies";
  return std::move(sizes->values);
}

/// The size of dimension `axis` of the tensor that is sliced; dynamic if that is not known.
static int64_t sizeAlong(const ImportedNode &node, int64_t axis) {
  auto type = dyn_cast<RankedTensorType>(node.operands.back().getType());
  int64_t rank = type ? type.getRank() : 0;
  axis += axis < 0 ? rank : 0;
  return axis >= 0 && axis < rank ? type.getDimSize(axis) : ShapedType::kDynamic;
}

/// An end that is the size of a dimension that varies is the end of that dimension.
static LogicalResult resolveEnds(ImportedNode &node, SmallVectorImpl<int64_t> &ends,
                                 ArrayRef<int64_t> axes) {
  for (auto [i, end] : llvm::enumerate(ends)) {
    if (!ShapedType::isDynamic(end))
      continue;
    if (i >= axes.size() || !ShapedType::isDynamic(sizeAlong(node, axes[i])))
      return node.emitError() << "it ends at a size that varies, in a dimension that does not";
    end = std::numeric_limits<int64_t>::max();
  }
  return success();
}

/// What is sliced is the last one of `tensors` inputs; starts, ends, axes and steps stand behind.
static LogicalResult formRanges(ImportedNode &node, FormContext &context, int tensors) {
  node.operands.resize(tensors);
  auto starts = knownInput(node, context, tensors, "starts", {});
  FailureOr<Sizes> ends = sizesInput(node, context, tensors + 1, "ends");
  if (failed(starts) || failed(ends))
    return failure();
  auto axes = knownInput(node, context, tensors + 2, "axes",
                         llvm::to_vector(llvm::seq<int64_t>(0, starts->size())));
  auto steps =
      knownInput(node, context, tensors + 3, "steps", SmallVector<int64_t>(starts->size(), 1));
  if (failed(axes) || failed(steps) || failed(resolveEnds(node, ends->values, *axes)))
    return failure();
  Builder &builder = context.builder;
  node.attributes.set("starts", builder.getDenseI64ArrayAttr(*starts));
  node.attributes.set("ends", builder.getDenseI64ArrayAttr(ends->values));
  node.attributes.set("axes", builder.getDenseI64ArrayAttr(*axes));
  node.attributes.set("steps", builder.getDenseI64ArrayAttr(*steps));
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

/// Whether entry `i` of the shape is told by the node's first operand.
static bool isOwnSize(const ImportedNode &node, size_t i, size_t count) {
  auto type = dyn_cast<RankedTensorType>(node.operands[0].getType());
  size_t rank = type ? type.getRank() : 0;
  return type && i + rank >= count && type.getDimSize(i + rank - count) != 1;
}

/// Where the sizes that vary come from; null if the operand tells them.
static FailureOr<SizeOrigin> originOfExpand(ImportedNode &node, const FormContext &context,
                                            const Sizes &shape) {
  SizeOrigin origin;
  for (size_t i = 0; i < shape.values.size(); ++i) {
    if (!ShapedType::isDynamic(shape.values[i]) || isOwnSize(node, i, shape.values.size()))
      continue;
    SizeOrigin here = shape.origin(i);
    if (!here.tensor || (origin.tensor && context.sourceOf(origin) != context.sourceOf(here)))
      return node.emitError() << "entry " << i << " of its shape varies, and is not the size of a "
                              << "dimension of " << (origin.tensor ? "the same" : "a") << " tensor";
    origin = here;
  }
  return origin;
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
  FailureOr<SizeOrigin> origin = originOfExpand(node, context, shape);
  if (failed(origin))
    return failure();
  if (origin->tensor) {
    node.operands.push_back(origin->tensor);
    node.attributes.set("axis", context.builder.getI64IntegerAttr(origin->axis));
  }
  llvm::replace(shape.values, ShapedType::kDynamic, int64_t(-1));
  node.attributes.set("shape", context.builder.getDenseI64ArrayAttr(shape.values));
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

/// 0, 1, ... for each entry of a first dimension that varies: how many ones stand before it. False
/// where the range is another one.
static bool formIndices(ImportedNode &node, FormContext &context) {
  auto sizes = [&](unsigned input) {
    return context.scope.lookupSizes(node.inputName(input), node.location);
  };
  auto isNumber = [](const std::optional<Sizes> &known, int64_t number) {
    return known && known->isScalar && known->values.front() == number;
  };
  std::optional<Sizes> limit = sizes(1);
  bool counts = limit && limit->isScalar && !limit->areKnown() && isNumber(sizes(0), 0) &&
                isNumber(sizes(2), 1);
  std::optional<SizeTerm> term = counts ? limit->term(0) : std::nullopt;
  if (!term || term->dimension.axis != 0 || term->times != 1 || term->plus != 0)
    return false;
  OpBuilder &builder = context.builder;
  Type element = limit->type ? limit->type : builder.getI64Type();
  auto type = RankedTensorType::get({ShapedType::kDynamic}, element);
  Value zeros =
      tutti::train::ZeroBatchOp::create(builder, node.location, type, term->dimension.tensor);
  auto one = DenseElementsAttr::get(RankedTensorType::get({}, element),
                                    builder.getIntegerAttr(element, 1));
  Value ones =
      tutti::onnx::AddOp::create(builder, node.location, type, zeros,
                                 tutti::onnx::ConstantOp::create(builder, node.location, one));
  node.op = "CumSum";
  node.operands = {ones};
  node.attributes.clear();
  node.attributes.set("axis", builder.getI64IntegerAttr(0));
  node.attributes.set("exclusive", builder.getI64IntegerAttr(1));
  return true;
}

LogicalResult tutti::frontend::formRange(ImportedNode &node, FormContext &context) {
  if (formIndices(node, context))
    return success();
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
