// Gradients of recurrent layers: one operation for all operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/gradients/GradientBuilder.h"

using namespace mlir;
using namespace tutti::onnx;

/// The gradient of operand `operand` of a layer, by its place in the definition, is result `result`
/// of its gradient. Lengths have none.
struct GradientOf {
  unsigned operand, result;
};
static constexpr GradientOf gradientsOfLayer[] = {{0, 0}, {1, 1}, {2, 2}, {3, 3},
                                                  {5, 4}, {6, 5}, {7, 6}};

template <typename Gradient, typename Op>
static LogicalResult differentiateLayer(Op op, unsigned operands, GradientBuilder &g) {
  SmallVector<Value> given;
  SmallVector<int32_t> segments;
  auto add = [&](Value value) {
    segments.push_back(value ? 1 : 0);
    if (value)
      given.push_back(value);
  };
  for (unsigned result = 0; result < op->getNumResults(); ++result)
    add(g.into(result));
  auto find = [&](unsigned operand) {
    auto [first, count] = op.getODSOperandIndexAndLength(operand);
    return count ? std::optional<unsigned>(first) : std::nullopt;
  };
  for (unsigned operand = 0; operand < operands; ++operand) {
    std::optional<unsigned> place = find(operand);
    add(place ? op->getOperand(*place) : Value());
  }
  NamedAttrList attributes(op->getAttrDictionary());
  attributes.set("operandSegmentSizes", DenseI32ArrayAttr::get(op.getContext(), segments));
  auto gradient = g.create<Gradient>(ValueRange(given), attributes.getAttrs());
  for (auto [operand, result] : gradientsOfLayer)
    if (std::optional<unsigned> place = operand < operands ? find(operand) : std::nullopt;
        place && g.wants(*place))
      g.give(*place, gradient->getResult(result));
  return success();
}

TUTTI_ONNX_GRADIENT(RNNOp) { return differentiateLayer<RNNGradOp>(op, 6, g); }
TUTTI_ONNX_GRADIENT(GRUOp) { return differentiateLayer<GRUGradOp>(op, 6, g); }
TUTTI_ONNX_GRADIENT(LSTMOp) { return differentiateLayer<LSTMGradOp>(op, 8, g); }
