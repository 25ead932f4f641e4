// Numbers of 8 bits for floats, and back. What is quantized and brought back at once is one
// operation, through which gradients pass: this is how models are trained for few bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/ComposedForms.h"
#include "lib/frontend/forms/Composer.h"
#include "lib/frontend/model/ElementTypes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti::frontend;

namespace {

RankedTensorType rankedTypeOf(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

/// Of 8 or 16 bits, the most that floats hold exactly together with what is added to them.
bool isFewBits(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && !integer.isSigned() && (integer.getWidth() == 8 || integer.getWidth() == 16);
}

double leastOf(Type type) {
  return type.isUnsignedInteger() ? 0 : -double(1 << (type.getIntOrFloatBitWidth() - 1));
}
double largestOf(Type type) {
  return leastOf(type) + double((1 << type.getIntOrFloatBitWidth()) - 1);
}

/// What QuantizeLinear and DequantizeLinear have in common.
class Quantization {
public:
  Quantization(ImportedNode &node, FormContext &context) : node(node), with(node, context) {}

  LogicalResult check();

  /// A scale or a zero point as floats that lie along the axis.
  Value alongAxis(Value value);
  Value zeroPoint(Type element) {
    Value given = node.operand(2);
    return given ? alongAxis(with.cast(given, element)) : with.number(element, 0);
  }

  ImportedNode &node;
  Composer with;
};

} // namespace

LogicalResult Quantization::check() {
  if (!rankedTypeOf(node.operands[0]) || !rankedTypeOf(node.operands[1]))
    return node.emitError() << "the shape of its input '" << node.inputName(0) << "' or '"
                            << node.inputName(1) << "' is not known";
  RankedTensorType scale = rankedTypeOf(node.operands[1]);
  int64_t rank = rankedTypeOf(node.operands[0]).getRank(), axis = node.integer("axis", 1);
  if (node.integer("block_size", 0) != 0)
    return node.emitError() << "block_size is not supported; quantize per tensor or per axis";
  bool isAlong = scale.getRank() == 1 && scale.getDimSize(0) != 1;
  if (scale.getRank() > 1 || (isAlong && (axis < -rank || axis >= rank)))
    return node.emitError() << "needs one scale, or one for each entry along an axis of "
                            << rankedTypeOf(node.operands[0]) << ", got " << scale << " and axis "
                            << axis;
  return success();
}

Value Quantization::alongAxis(Value value) {
  if (!value)
    return value;
  int64_t rank = rankedTypeOf(node.operands[0]).getRank(), axis = node.integer("axis", 1);
  if (rankedTypeOf(value).getRank() == 0)
    return value;
  if (rankedTypeOf(value).getDimSize(0) == 1)
    return with.create("Squeeze", value, {{"axes", with.integers(0)}});
  axis += axis < 0 ? rank : 0;
  SmallVector<int64_t> after = llvm::to_vector(llvm::seq<int64_t>(1, rank - axis));
  return after.empty() ? value : with.create("Unsqueeze", value, {{"axes", with.integers(after)}});
}

/// The type of the result: that of the zero point, or what `output_dtype` (since 21) says.
static Type resultType(const ImportedNode &node, Builder &builder) {
  if (node.operand(2))
    return getElementTypeOrSelf(node.operand(2).getType());
  int64_t number = node.integer("output_dtype", 0);
  return number ? elementType(number, builder.getContext())
                : Type(builder.getIntegerType(8, /*isSigned=*/false));
}

LogicalResult tutti::frontend::composeQuantizeLinear(ImportedNode &node, FormContext &context,
                                                     Results &results) {
  Quantization quantization(node, context);
  Composer &with = quantization.with;
  Type type = resultType(node, context.builder);
  if (failed(quantization.check()))
    return failure();
  if (!type || !isFewBits(type))
    return node.emitError() << "its result is not supported: it is no integer of 8 or 16 bits";
  Type element = getElementTypeOrSelf(node.operands[1].getType());
  Value x = with.cast(node.operands[0], element);
  Value steps = with.create("Div", {x, quantization.alongAxis(node.operands[1])});
  Value shifted =
      with.create("Add", {with.create("Round", steps), quantization.zeroPoint(element)});
  Value bounded = with.create("Clip", {shifted, with.number(element, leastOf(type)),
                                       with.number(element, largestOf(type))});
  results.push_back(with.cast(bounded, type));
  return success(results.back() != nullptr);
}

namespace {

/// What a QuantizeLinear was composed of.
struct Quantized {
  Value x, scale, zeroPoint; ///< as they are calculated with
  double low, high;
};

/// `value` without what gives it another shape or type.
Value stripped(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tutti::onnx::SqueezeOp, tutti::onnx::UnsqueezeOp, tutti::onnx::CastOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

DenseElementsAttr constantOf(Value value) {
  DenseElementsAttr content;
  return matchPattern(value, m_Constant(&content)) ? content : DenseElementsAttr();
}

bool isZero(Value value) {
  DenseElementsAttr content = constantOf(value);
  if (!content || !content.isSplat())
    return false;
  return isa<FloatType>(content.getElementType()) ? content.getSplatValue<APFloat>().isZero()
                                                  : content.getSplatValue<APInt>().isZero();
}

bool isSame(Value a, Value b) {
  DenseElementsAttr content = constantOf(a);
  return a == b || (content && content == constantOf(b));
}

std::optional<Quantized> findQuantized(Value value) {
  auto cast = value.getDefiningOp<tutti::onnx::CastOp>();
  auto clip = cast ? cast.getInput().getDefiningOp<tutti::onnx::ClipOp>() : nullptr;
  auto add = clip ? clip.getInput().getDefiningOp<tutti::onnx::AddOp>() : nullptr;
  auto round = add ? add.getA().getDefiningOp<tutti::onnx::RoundOp>() : nullptr;
  auto div = round ? round.getX().getDefiningOp<tutti::onnx::DivOp>() : nullptr;
  if (!div || !isFewBits(cast.getTo()))
    return std::nullopt;
  return Quantized{div.getA(), div.getB(), add.getB(), leastOf(cast.getTo()),
                   largestOf(cast.getTo())};
}

/// The QuantizeLinear whose numbers are moved, but not changed, on their way to `value`.
bool comesFromQuantized(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (findQuantized(value))
      return true;
    if (!isa<tutti::onnx::ReshapeOp, tutti::onnx::TransposeOp, tutti::onnx::FlattenOp,
             tutti::onnx::SqueezeOp, tutti::onnx::UnsqueezeOp, tutti::onnx::IdentityOp,
             tutti::onnx::SliceOp, tutti::onnx::GatherOp, tutti::onnx::ExpandOp,
             tutti::onnx::PadOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// Whether scale and zero point of a DequantizeLinear are those that were quantized with.
bool isInverse(const Quantized &quantized, const ImportedNode &node) {
  Value zero = stripped(quantized.zeroPoint), given = node.operand(2);
  bool sameZero =
      given ? isSame(zero, stripped(given)) || (isZero(zero) && isZero(given)) : isZero(zero);
  return sameZero && isSame(stripped(quantized.scale), stripped(node.operands[1]));
}

} // namespace

LogicalResult tutti::frontend::composeDequantizeLinear(ImportedNode &node, FormContext &context,
                                                       Results &results) {
  Quantization quantization(node, context);
  Composer &with = quantization.with;
  if (failed(quantization.check()))
    return failure();
  Type element = getElementTypeOrSelf(node.operands[1].getType());
  std::optional<Quantized> quantized = findQuantized(node.operands[0]);
  if (quantized && isInverse(*quantized, node)) {
    results.push_back(with.create("FakeQuantize",
                                  {quantized->x, quantized->scale, quantized->zeroPoint},
                                  {{"low", with.builder.getF64FloatAttr(quantized->low)},
                                   {"high", with.builder.getF64FloatAttr(quantized->high)}}));
    return success(results.back() != nullptr);
  }
  if (comesFromQuantized(node.operands[0]))
    mlir::emitWarning(node.location)
        << "no gradient passes this DequantizeLinear: between it and the QuantizeLinear numbers "
           "are moved, or scale and zero point are others; let one follow the other at once";
  Value number = with.cast(node.operands[0], element);
  Value steps = with.create("Sub", {number, quantization.zeroPoint(element)});
  results.push_back(with.create("Mul", {steps, quantization.alongAxis(node.operands[1])}));
  return success(results.back() != nullptr);
}

/// The scale is that of the smallest range that holds all elements and 0; 1 where all are 0.
LogicalResult tutti::frontend::composeDynamicQuantizeLinear(ImportedNode &node,
                                                            FormContext &context,
                                                            Results &results) {
  if (!rankedTypeOf(node.operands[0]))
    return node.emitError() << "the shape of its input '" << node.inputName(0) << "' is not known";
  Composer with(node, context);
  Type element = rankedTypeOf(node.operands[0]).getElementType();
  Type byte = context.builder.getIntegerType(8, /*isSigned=*/false);
  Value x = node.operands[0], zero = with.number(element, 0),
        most = with.number(element, largestOf(byte));
  auto extreme = [&](StringRef reduction, StringRef choice) {
    Value found = with.create(reduction, x, {{"keepdims", with.integer(0)}});
    return with.create(choice, {found, zero});
  };
  Value low = extreme("ReduceMin", "Min"), high = extreme("ReduceMax", "Max");
  Value range = with.create("Div", {with.create("Sub", {high, low}), most});
  Value isEmpty = with.create("Equal", {range, zero});
  Value scale = with.create("Where", {isEmpty, with.number(element, 1), range});
  auto bound = [&](Value value) { return with.create("Clip", {value, zero, most}); };
  Value steps = with.create("Div", {with.create("Sub", {zero, low}), scale});
  Value zeroPoint = with.cast(with.create("Round", bound(steps)), byte);
  Value rounded = with.create("Round", with.create("Div", {x, scale}));
  Value numbers =
      with.cast(bound(with.create("Add", {rounded, with.cast(zeroPoint, element)})), byte);
  results.append({numbers, scale, zeroPoint});
  return success(!llvm::is_contained(results, Value()));
}
