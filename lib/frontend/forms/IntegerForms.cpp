// Products and convolutions of integers. Those of 8 bits, by their definition, are of numbers less
// their zero point, as f64, in which sums of products of 8-bit numbers are exact below 2^37 terms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/ComposedForms.h"
#include "lib/frontend/forms/Composer.h"

using namespace mlir;
using namespace tutti::frontend;

namespace {

class IntegerForm {
public:
  IntegerForm(ImportedNode &node, FormContext &context)
      : node(node), with(node, context), wide(context.builder.getF64Type()),
        sumType(context.builder.getI32Type()) {}

  /// That the operands at `indices` have ranks.
  LogicalResult checkRanks(ArrayRef<int> indices) {
    for (int index : indices)
      if (Value value = node.operand(index); value && !isa<RankedTensorType>(value.getType()))
        return node.emitError() << "the shape of its input '" << node.inputName(index)
                                << "' is not known";
    return success();
  }

  /// A scale or zero point; one for each entry of a dimension lies along that, with `after` others
  /// after it.
  Value along(Value value, int64_t after) {
    if (!value || after == 0 || typeOf(value).getRank() != 1)
      return value;
    SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(1, after + 1));
    return with.create("Unsqueeze", value, {{"axes", with.integers(axes)}});
  }
  /// Operand `index` less its zero point, which may be absent.
  Value centred(int index, int zeroIndex, int64_t after) {
    Value number = with.cast(node.operand(index), wide), zero = node.operand(zeroIndex);
    return zero ? with.create("Sub", {number, with.cast(along(zero, after), wide)}) : number;
  }
  /// Rows of the left matrix have a scale and a zero point each, columns of the right one.
  Value product(int left, int leftZero, int right, int rightZero) {
    return with.create("MatMul",
                       {centred(left, leftZero, afterRows(left)), centred(right, rightZero, 0)});
  }
  Value convolution(int image, int imageZero, int kernel, int kernelZero, int bias) {
    int64_t rank = typeOf(node.operand(kernel)).getRank();
    SmallVector<Value> operands = {centred(image, imageZero, 0),
                                   centred(kernel, kernelZero, rank - 1)};
    if (node.operand(bias))
      operands.push_back(with.cast(node.operand(bias), wide));
    return with.create("Conv", operands, node.attributes);
  }
  int64_t afterRows(int matrix) { return typeOf(node.operand(matrix)).getRank() > 1 ? 1 : 0; }

  /// A sum that stands for `sum` times these scales, as 8-bit numbers.
  LogicalResult quantize(Value sum, ArrayRef<Value> scales, int toScale, int toZero, int64_t after,
                         Results &results) {
    Type element = getElementTypeOrSelf(node.operand(toScale).getType());
    Type type = getElementTypeOrSelf(node.operand(toZero).getType());
    if (!type.isSignlessInteger(8) && !type.isUnsignedInteger(8))
      return node.emitError() << "its result is not supported: it is neither int8 nor uint8";
    Value scale = with.create(
        "Div", {with.create("Mul", {scales[0], scales[1]}), along(node.operand(toScale), after)});
    Value steps = with.create("Mul", {with.cast(sum, element), scale});
    Value zero = with.cast(along(node.operand(toZero), after), element);
    Value shifted = with.create("Add", {with.create("Round", steps), zero});
    double least = type.isUnsignedInteger() ? 0 : -128;
    Value bounded = with.create(
        "Clip", {shifted, with.number(element, least), with.number(element, least + 255)});
    results.push_back(with.cast(bounded, type));
    return success(results.back() != nullptr);
  }

  ImportedNode &node;
  Composer with;
  Type wide, sumType;
};

} // namespace

/// Products of integers are sums of products, which wrap around as those of a processor do.
LogicalResult tutti::frontend::composeMatMul(ImportedNode &node, FormContext &context,
                                             Results &results) {
  Value a = node.operands[0], b = node.operands[1];
  auto left = dyn_cast<RankedTensorType>(a.getType());
  auto right = dyn_cast<RankedTensorType>(b.getType());
  if (!left || !right || !isa<IntegerType>(left.getElementType()) || left.getRank() == 0 ||
      right.getRank() == 0)
    return success();
  int64_t terms = left.getShape().back(), rank = right.getRank();
  int64_t others = right.getDimSize(std::max<int64_t>(rank - 2, 0));
  if (!ShapedType::isDynamic(terms) && !ShapedType::isDynamic(others) && terms != others)
    return node.emitError() << "rows of " << terms << " numbers have no product with columns of "
                            << others;
  Composer with(node, context);
  auto unsqueeze = [&](Value value, int64_t axis) {
    return with.create("Unsqueeze", value, {{"axes", with.integers(axis)}});
  };
  if (rank > 1) // a column meets each row
    a = unsqueeze(a, left.getRank());
  if (rank > 1 && left.getRank() > 1)
    b = unsqueeze(b, rank - 2);
  Value products = with.create("Mul", {a, b});
  results.push_back(
      with.create("ReduceSum", products,
                  {{"axes", with.integers(rank > 1 ? -2 : -1)}, {"keepdims", with.integer(0)}}));
  return success(results.back() != nullptr);
}

LogicalResult tutti::frontend::composeMatMulInteger(ImportedNode &node, FormContext &context,
                                                    Results &results) {
  IntegerForm form(node, context);
  if (failed(form.checkRanks({0, 1, 2, 3})))
    return failure();
  results.push_back(form.with.cast(form.product(0, 2, 1, 3), form.sumType));
  return success(results.back() != nullptr);
}

LogicalResult tutti::frontend::composeConvInteger(ImportedNode &node, FormContext &context,
                                                  Results &results) {
  IntegerForm form(node, context);
  if (failed(form.checkRanks({0, 1, 2, 3})))
    return failure();
  results.push_back(form.with.cast(form.convolution(0, 2, 1, 3, /*bias=*/4), form.sumType));
  return success(results.back() != nullptr);
}

LogicalResult tutti::frontend::composeQLinearMatMul(ImportedNode &node, FormContext &context,
                                                    Results &results) {
  IntegerForm form(node, context);
  if (failed(form.checkRanks({0, 1, 2, 3, 4, 5, 6, 7})))
    return failure();
  int64_t after = form.afterRows(0);
  Value sum = form.product(0, 2, 3, 5);
  return form.quantize(sum, {form.along(node.operand(1), after), node.operand(4)}, 6, 7, after,
                       results);
}

LogicalResult tutti::frontend::composeQLinearConv(ImportedNode &node, FormContext &context,
                                                  Results &results) {
  IntegerForm form(node, context);
  if (failed(form.checkRanks({0, 1, 2, 3, 4, 5, 6, 7, 8})))
    return failure();
  int64_t after = typeOf(node.operand(3)).getRank() - 2; // of a channel of the result
  Value sum = form.convolution(0, 2, 3, 5, /*bias=*/8);
  return form.quantize(sum, {node.operand(1), form.along(node.operand(4), after)}, 6, 7, after,
                       results);
}
