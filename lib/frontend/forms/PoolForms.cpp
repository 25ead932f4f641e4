// Norms of windows, and of all that is beside an element, as means of windows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/ComposedForms.h"
#include "lib/frontend/forms/Composer.h"

using namespace mlir;
using namespace tutti::frontend;

namespace {

/// |x| ^ p, and the root that takes it back.
class Norm {
public:
  Norm(Composer &with, int64_t p, Type element) : with(with), p(p), element(element) {}

  Value power(Value x) {
    if (p == 2)
      return with.create("Mul", {x, x});
    Value size = with.create("Abs", x);
    return p == 1 ? size : with.create("Pow", {size, with.number(element, double(p))});
  }
  Value root(Value sum) {
    if (p == 1)
      return sum;
    return p == 2 ? with.create("Sqrt", sum)
                  : with.create("Pow", {sum, with.number(element, 1 / double(p))});
  }

private:
  Composer &with;
  int64_t p;
  Type element;
};

/// The exponent of a norm: an integer, but a float before operator set 2.
FailureOr<int64_t> exponentOf(const ImportedNode &node) {
  int64_t p = node.integer("p", 2);
  if (p < 1)
    return node.emitError() << "needs p of at least 1, got " << p;
  return p;
}

FailureOr<RankedTensorType> imagesOf(const ImportedNode &node) {
  auto type = dyn_cast<RankedTensorType>(node.operands[0].getType());
  if (!type || type.getRank() < 3)
    return node.emitError() << "needs samples with channels and at least one dimension more, got "
                            << node.operands[0].getType();
  return type;
}

/// The mean of each window, which counts whatever is outside of the input as 0, also beyond the
/// padding.
Value createMeanWithOutside(Composer &with, Value x, NamedAttrList attributes) {
  attributes.set("count_include_pad", with.integer(1));
  Value mean = with.create("AveragePool", x, attributes);
  if (!mean || with.node.integer("ceil_mode", 0) == 0)
    return mean;
  auto pool = mean.getDefiningOp<tutti::onnx::AveragePoolOp>();
  tutti::onnx::Window window = pool.getWindow();
  ArrayRef<int64_t> in = typeOf(x).getShape().drop_front(2),
                    out = typeOf(mean).getShape().drop_front(2);
  SmallVector<int64_t> pads(window.padsBegin.begin(), window.padsBegin.end()), ends;
  for (size_t i = 0; i < in.size(); ++i) {
    if (ShapedType::isDynamic(in[i])) {
      with.node.emitError() << "with ceil_mode its input must have known sizes, got " << x.getType()
                            << "; export the model with fixed sizes, or without ceil_mode";
      return nullptr;
    }
    int64_t reach =
        (out[i] - 1) * window.strides[i] + window.getExtent(i) - in[i] - window.padsBegin[i];
    ends.push_back(std::max<int64_t>(reach, 0));
  }
  llvm::append_range(pads, ends);
  attributes.set("pads", with.integers(pads));
  attributes.erase("auto_pad");
  attributes.erase("ceil_mode");
  pool->erase();
  return with.create("AveragePool", x, attributes);
}

} // namespace

LogicalResult tutti::frontend::composeLpPool(ImportedNode &node, FormContext &context,
                                             Results &results) {
  FailureOr<int64_t> p = exponentOf(node);
  FailureOr<RankedTensorType> type = imagesOf(node);
  auto kernel = dyn_cast_or_null<DenseI64ArrayAttr>(node.attributes.get("kernel_shape"));
  if (failed(p) || failed(type))
    return failure();
  if (!kernel)
    return node.emitError() << "needs kernel_shape";
  Composer with(node, context);
  Type element = type->getElementType();
  Norm norm(with, *p, element);
  NamedAttrList attributes(node.attributes);
  attributes.erase("p");
  Value power = norm.power(node.operands[0]);
  Value mean = power ? createMeanWithOutside(with, power, attributes) : Value();
  double count = double(llvm::product_of(kernel.asArrayRef()));
  results.push_back(norm.root(with.create("Mul", {mean, with.number(element, count)})));
  return success(results.back() != nullptr);
}

LogicalResult tutti::frontend::composeGlobalLpPool(ImportedNode &node, FormContext &context,
                                                   Results &results) {
  FailureOr<int64_t> p = exponentOf(node);
  FailureOr<RankedTensorType> type = imagesOf(node);
  if (failed(p) || failed(type))
    return failure();
  Composer with(node, context);
  Norm norm(with, *p, type->getElementType());
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(2, type->getRank()));
  Value sum =
      with.create("ReduceSum", norm.power(node.operands[0]), {{"axes", with.integers(axes)}});
  results.push_back(norm.root(sum));
  return success(results.back() != nullptr);
}

/// x / (bias + alpha * the mean of the squares of `size` neighbours) ^ beta, where neighbours are
/// channels: a window that slides over these.
LogicalResult tutti::frontend::composeLRN(ImportedNode &node, FormContext &context,
                                          Results &results) {
  auto type = dyn_cast<RankedTensorType>(node.operands[0].getType());
  int64_t size = node.integer("size", 0);
  constexpr int64_t mostDimensions = 4; // a window has at most three
  if (!type || type.getRank() < 2 || type.getRank() > mostDimensions)
    return node.emitError() << "needs a tensor of 2 to 4 dimensions, got "
                            << node.operands[0].getType()
                            << "; more are not supported: join the last ones by a Reshape";
  if (size < 1)
    return node.emitError() << "needs a size of at least 1, got " << size;
  auto number = [&](StringRef name, double otherwise) {
    auto given = dyn_cast_or_null<FloatAttr>(node.attributes.get(name));
    return given ? given.getValueAsDouble() : otherwise;
  };
  Composer with(node, context);
  Type element = type.getElementType();
  Value x = node.operands[0];
  size_t spatial = type.getRank() - 1;
  SmallVector<int64_t> kernel(spatial, 1), pads(2 * spatial, 0);
  kernel[0] = size;
  pads[0] = (size - 1) / 2;
  pads[spatial] = size - 1 - pads[0];
  Value squares =
      with.create("Unsqueeze", with.create("Mul", {x, x}), {{"axes", with.integers(1)}});
  Value means = with.create("AveragePool", squares,
                            {{"kernel_shape", with.integers(kernel)},
                             {"pads", with.integers(pads)},
                             {"count_include_pad", with.integer(1)}});
  Value mean = with.create("Squeeze", means, {{"axes", with.integers(1)}});
  Value scaled = with.create("Mul", {mean, with.number(element, number("alpha", 1e-4))});
  Value base = with.create("Add", {scaled, with.number(element, number("bias", 1))});
  Value divisor = with.create("Pow", {base, with.number(element, number("beta", 0.75))});
  results.push_back(with.create("Div", {x, divisor}));
  return success(results.back() != nullptr);
}
