// ConvTranspose, expressed by a convolution: zeros come between the elements of the input, and the
// kernel is turned round.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/ComposedForms.h"
#include "lib/frontend/forms/Composer.h"

using namespace mlir;
using namespace tutti::frontend;

namespace {

/// What the attributes say of one spatial dimension.
struct Axis {
  int64_t size, kernel, stride, dilation;
  int64_t result = 0; ///< its size in the result
  int64_t begin = 0;  ///< elements that are taken away from the front of the whole result

  int64_t span() const { return dilation * (kernel - 1); } ///< of the kernel, less one element
  int64_t whole() const { return stride * (size - 1) + span() + 1; }
  int64_t stuffed() const { return stride * (size - 1) + 1; } ///< the input with its zeros
};

class TransposedConvolution {
public:
  TransposedConvolution(const ImportedNode &node, FormContext &context) : with(node, context) {}

  LogicalResult read();
  Value compute();

private:
  FailureOr<SmallVector<int64_t>> numbers(StringRef name, size_t count, int64_t otherwise);
  LogicalResult readMargins();
  Value stuffedInput();
  Value turnedKernel();

  RankedTensorType typeOf(int operand) const {
    return cast<RankedTensorType>(with.node.operands[operand].getType());
  }

  Composer with;
  SmallVector<Axis> axes;
  int64_t group = 1;
};

} // namespace

FailureOr<SmallVector<int64_t>> TransposedConvolution::numbers(StringRef name, size_t count,
                                                               int64_t otherwise) {
  auto given = dyn_cast_or_null<DenseI64ArrayAttr>(with.node.attributes.get(name));
  if (!given)
    return SmallVector<int64_t>(count, otherwise);
  if (given.asArrayRef().size() != count)
    return with.node.emitError() << "needs " << count << " entries in " << name << ", got "
                                 << given.asArrayRef().size();
  return llvm::to_vector(given.asArrayRef());
}

/// Where the whole result is cut: by `pads`, or so that it gets the size that is asked for.
LogicalResult TransposedConvolution::readMargins() {
  auto pads = numbers("pads", 2 * axes.size(), 0);
  auto more = numbers("output_padding", axes.size(), 0);
  auto wanted = numbers("output_shape", axes.size(), 0);
  auto attribute = dyn_cast_or_null<StringAttr>(with.node.attributes.get("auto_pad"));
  StringRef mode = attribute ? attribute.getValue() : "NOTSET";
  if (failed(pads) || failed(more) || failed(wanted))
    return failure();
  bool isSame = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  bool isSized = isSame || with.node.attributes.get("output_shape");
  for (auto [index, axis] : llvm::enumerate(axes)) {
    int64_t end = (*pads)[index + axes.size()];
    axis.begin = (*pads)[index];
    axis.result = axis.whole() - axis.begin - end + (*more)[index];
    if (!isSized)
      continue;
    bool isAsked = (*wanted)[index] > 0;
    int64_t natural = axis.whole() + (*more)[index];
    axis.result = isAsked ? (*wanted)[index] : axis.size * axis.stride;
    int64_t cut = std::max<int64_t>(0, natural - axis.result);
    axis.begin = mode == "SAME_UPPER" ? cut / 2 : cut - cut / 2;
  }
  return success();
}

LogicalResult TransposedConvolution::read() {
  for (int operand : {0, 1})
    if (!isa<RankedTensorType>(with.node.operands[operand].getType()))
      return with.node.emitError()
             << "the shape of its input '" << with.node.inputName(operand) << "' is not known";
  RankedTensorType input = typeOf(0), kernel = typeOf(1);
  if (input.getRank() < 3 || input.getRank() > 5 || kernel.getRank() != input.getRank())
    return with.node.emitError() << "needs an input with 1 to 3 spatial dimensions and a kernel of "
                                 << "its rank, got " << input << " and " << kernel;
  group = with.node.integer("group", 1);
  size_t count = input.getRank() - 2;
  auto strides = numbers("strides", count, 1), dilations = numbers("dilations", count, 1);
  if (failed(strides) || failed(dilations))
    return failure();
  if (!kernel.hasStaticShape() || input.isDynamicDim(1) || group < 1 ||
      input.getDimSize(1) != kernel.getDimSize(0) || kernel.getDimSize(0) % group != 0)
    return with.node.emitError() << "needs a kernel whose size is known and whose channels, in "
                                 << group << " groups, are those of the input, got " << input
                                 << " and " << kernel;
  for (size_t i = 0; i < count; ++i) {
    if (input.isDynamicDim(i + 2))
      return with.node.emitError() << "needs spatial dimensions that are known, got " << input;
    axes.push_back(
        {input.getDimSize(i + 2), kernel.getDimSize(i + 2), (*strides)[i], (*dilations)[i]});
  }
  return readMargins();
}

/// The input with `stride - 1` zeros after each element but the last, and so many around it that
/// the convolution makes what is wanted.
Value TransposedConvolution::stuffedInput() {
  Value value = with.node.operands[0];
  int64_t rank = typeOf(0).getRank();
  SmallVector<int64_t> inserted, shape = {0, 0}, after(2 * (2 * rank - 2), 0);
  SmallVector<int64_t> around(2 * rank, 0);
  bool isStuffed = false;
  for (auto [index, axis] : llvm::enumerate(axes)) {
    int64_t between = axis.stride - 1;
    isStuffed |= between > 0;
    inserted.push_back(2 * int64_t(index) + 3);
    shape.push_back(axis.size * axis.stride);
    after[2 * rank - 2 + inserted.back()] = between;
    int64_t front = axis.span() - axis.begin;
    around[index + 2] = front;
    around[rank + index + 2] = axis.result + axis.span() - axis.stuffed() - front - between;
  }
  if (isStuffed) {
    value = with.create("Unsqueeze", value, {{"axes", with.integers(inserted)}});
    value = with.create("Pad", value, {{"pads", with.integers(after)}});
    value = with.create("Reshape", value, {{"shape", with.integers(shape)}});
  }
  return with.create("Pad", value, {{"pads", with.integers(around)}});
}

/// [channels in, channels out / group, ...] as [channels out, channels in / group, ...], with the
/// last element first.
Value TransposedConvolution::turnedKernel() {
  RankedTensorType type = typeOf(1);
  int64_t in = type.getDimSize(0), out = type.getDimSize(1);
  SmallVector<int64_t> split = {group, in / group, out}, joined = {group * out, in / group};
  SmallVector<int64_t> order = {0, 2, 1}, spatial, first, last, back;
  for (auto [index, axis] : llvm::enumerate(axes)) {
    split.push_back(axis.kernel);
    joined.push_back(axis.kernel);
    order.push_back(int64_t(index) + 3);
    spatial.push_back(int64_t(index) + 2);
    first.push_back(-1);
    last.push_back(-axis.kernel - 1);
    back.push_back(-1);
  }
  Value kernel = with.create("Reshape", with.node.operands[1], {{"shape", with.integers(split)}});
  kernel = with.create("Transpose", kernel, {{"perm", with.integers(order)}});
  kernel = with.create("Reshape", kernel, {{"shape", with.integers(joined)}});
  return with.create("Slice", kernel,
                     {{"starts", with.integers(first)},
                      {"ends", with.integers(last)},
                      {"axes", with.integers(spatial)},
                      {"steps", with.integers(back)}});
}

Value TransposedConvolution::compute() {
  SmallVector<int64_t> dilations;
  for (const Axis &axis : axes)
    dilations.push_back(axis.dilation);
  SmallVector<Value> operands = {stuffedInput(), turnedKernel()};
  if (Value bias = with.node.operand(2))
    operands.push_back(bias);
  return with.create("Conv", operands,
                     {{"dilations", with.integers(dilations)}, {"group", with.integer(group)}});
}

LogicalResult tutti::frontend::composeConvTranspose(ImportedNode &node, FormContext &context,
                                                    Results &results) {
  TransposedConvolution convolution(node, context);
  if (failed(convolution.read()))
    return failure();
  results.push_back(convolution.compute());
  return success(results.back() != nullptr);
}

/// The ConvTranspose has a group for each channel, and a kernel of 1 at one element of a block for
/// each of the block's rows.
LogicalResult tutti::frontend::composeCol2Im(ImportedNode &node, FormContext &context,
                                             Results &results) {
  auto type = dyn_cast<RankedTensorType>(node.operands[0].getType());
  std::optional<Sizes> image = context.scope.lookupSizes(node.inputName(1), node.location);
  std::optional<Sizes> block = context.scope.lookupSizes(node.inputName(2), node.location);
  size_t count = image && block ? image->values.size() : 0;
  if (!type || type.getRank() != 3 || type.isDynamicDim(1) || count < 1 || count > 3 ||
      block->values.size() != count || !image->areKnown() || !block->areKnown())
    return node.emitError()
           << "needs columns [batch, channels * block, blocks], of which the second "
              "size is known, and as many known sizes of an image as of a block, 1 "
              "to 3; got "
           << node.operands[0].getType();
  auto numbers = [&](StringRef name, size_t length, int64_t otherwise) {
    auto given = dyn_cast_or_null<DenseI64ArrayAttr>(node.attributes.get(name));
    return given ? llvm::to_vector(given.asArrayRef()) : SmallVector<int64_t>(length, otherwise);
  };
  SmallVector<int64_t> strides = numbers("strides", count, 1), pads = numbers("pads", 2 * count, 0),
                       dilations = numbers("dilations", count, 1), rest;
  if (strides.size() != count || pads.size() != 2 * count || dilations.size() != count)
    return node.emitError() << "needs " << count
                            << " strides and dilations, and twice as many pads";
  int64_t rows = type.getDimSize(1), elements = 1, blocks = 1;
  SmallVector<int64_t> shape = {0, rows}, kernelShape = {rows, 1};
  for (size_t i = 0; i < count; ++i) {
    int64_t room =
        image->values[i] + pads[i] + pads[i + count] - dilations[i] * (block->values[i] - 1) - 1;
    if (block->values[i] < 1 || strides[i] < 1 || dilations[i] < 1 || room < 0)
      return node.emitError() << "has blocks that do not fit the image along dimension " << i;
    shape.push_back(room / strides[i] + 1);
    rest.push_back(room % strides[i]);
    kernelShape.push_back(block->values[i]);
    elements *= block->values[i], blocks *= shape.back();
  }
  if (rows % elements != 0 || (!type.isDynamicDim(2) && type.getDimSize(2) != blocks))
    return node.emitError() << "needs columns of " << elements << " elements for each channel, and "
                            << blocks << " of them, got " << type;
  Composer with(node, context);
  Type element = type.getElementType();
  SmallVector<Attribute> ones(rows * elements, FloatAttr::get(element, 0));
  for (int64_t row = 0; row < rows; ++row)
    ones[row * elements + row % elements] = FloatAttr::get(element, 1);
  auto content = DenseElementsAttr::get(RankedTensorType::get(kernelShape, element), ones);
  Value kernel = tutti::onnx::ConstantOp::create(with.builder, node.location, content);
  Value columns = with.create("Reshape", node.operands[0], {{"shape", with.integers(shape)}});
  ImportedNode transposed{node.proto, node.location, "ConvTranspose", {columns, kernel}, {}};
  transposed.attributes.set("group", with.integer(rows / elements));
  for (auto [name, values] :
       {std::pair("strides", &strides), std::pair("pads", &pads),
        std::pair("dilations", &dilations), std::pair("output_padding", &rest)})
    transposed.attributes.set(name, with.integers(*values));
  return columns ? composeConvTranspose(transposed, context, results) : failure();
}
