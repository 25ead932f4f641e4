// One small function for each operator whose form differs from the dialect's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/OpsetForms.h"

#include "lib/frontend/model/ElementTypes.h"

#include "dialects/onnx/Onnx.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tutti::frontend;

bool tutti::frontend::isShapeOperand(StringRef op, unsigned index) {
  if (op == "ConstantOfShape")
    return index == 0;
  return index == 1 && (op == "Reshape" || op == "Squeeze" || op == "Unsqueeze" ||
                        op == "ReduceSum" || op == "Split");
}

/// Moves the shape operand `index`, whose contents must be known but for one entry if `mayVary`, to
/// the attribute `name`. Does nothing if it is absent.
static LogicalResult operandToAttribute(ImportedNode &node, FormContext &context, StringRef name,
                                        bool mayVary = false) {
  StringRef input = node.inputName(1);
  if (node.operands.size() > 1)
    node.operands.resize(1);
  if (input.empty()) {
    bool isOptional = node.attributes.get(name) || node.op == "Squeeze" || node.op == "ReduceSum" ||
                      node.op == "Split";
    return isOptional ? success() : node.emitError() << "its input 1 (" << name << ") is missing";
  }
  std::optional<Sizes> known = context.scope.lookupSizes(input, node.location);
  if (!known || known->isScalar)
    return node.emitError() << "its input '" << input
                            << "' must be a constant integer vector, because a "
                            << "compiled program needs " << name << " to be known";
  auto varying = llvm::count(known->values, ShapedType::kDynamic);
  if (varying > (mayVary && !llvm::is_contained(known->values, -1) ? 1 : 0))
    return node.emitError() << "its input '" << input << "' depends on " << varying
                            << " sizes that vary; "
                            << (mayVary ? "one can be inferred" : "none may");
  llvm::replace(known->values, ShapedType::kDynamic, int64_t(-1));
  node.attributes.set(name, context.builder.getDenseI64ArrayAttr(known->values));
  return success();
}

/// Without sizes the parts are equal, one for each output.
static LogicalResult formSplit(ImportedNode &node, FormContext &context) {
  if (failed(operandToAttribute(node, context, "split")))
    return failure();
  auto type = dyn_cast<RankedTensorType>(node.operands[0].getType());
  if (node.attributes.get("split") || !type)
    return success();
  int64_t axis = node.integer("axis", 0), parts = node.proto.output_size();
  axis += axis < 0 ? type.getRank() : 0;
  if (axis < 0 || axis >= type.getRank())
    return node.emitError() << "axis is out of range for an input of rank " << type.getRank();
  int64_t size = type.getDimSize(axis);
  if (ShapedType::isDynamic(size) || size % parts != 0)
    return node.emitError() << "cannot cut " << type << " into " << parts
                            << " equal parts along dimension " << axis;
  SmallVector<int64_t> sizes(parts, size / parts);
  node.attributes.set("split", context.builder.getDenseI64ArrayAttr(sizes));
  return success();
}

/// Dropout before operator set 12 has its ratio as an attribute.
static LogicalResult formDropout(ImportedNode &node, FormContext &context) {
  auto ratio = dyn_cast_or_null<FloatAttr>(node.attributes.get("ratio"));
  node.attributes.erase("ratio");
  if (ratio && node.operands.size() == 1) {
    auto type = RankedTensorType::get({}, context.builder.getF32Type());
    auto content = DenseElementsAttr::get(type, ArrayRef<float>(ratio.getValue().convertToFloat()));
    node.operands.push_back(
        tutti::onnx::ConstantOp::create(context.builder, node.location, content));
  }
  node.operands.resize(3);
  return success();
}

/// Before operator set 14 training is told by the number of outputs; `spatial` (until 8) must be 1.
static LogicalResult formBatchNormalization(ImportedNode &node, FormContext &context) {
  if (node.integer("spatial", 1) != 1)
    return node.emitError() << "spatial = 0 (statistics for each element) is not supported";
  node.attributes.erase("spatial");
  if (context.opset < 14 && node.proto.output_size() > 1)
    node.attributes.set("training_mode", context.builder.getI64IntegerAttr(1));
  return success();
}

/// Replaces the type number in attribute `name` by the type.
static LogicalResult formType(ImportedNode &node, FormContext &context, StringRef name) {
  if (!node.attributes.get(name))
    return success();
  int64_t number = node.integer(name, 0);
  Type type = elementType(number, context.builder.getContext());
  if (!type)
    return node.emitError() << name << " = " << elementTypeName(number) << " is not supported";
  node.attributes.set(name, TypeAttr::get(type));
  return success();
}

/// The dialect's random operators have a shape; in ONNX it may not fit an unsigned size.
static LogicalResult formRandom(ImportedNode &node, FormContext &context) {
  auto shape = dyn_cast_or_null<DenseI64ArrayAttr>(node.attributes.get("shape"));
  if (shape && llvm::any_of(shape.asArrayRef(), [](int64_t size) { return size < 0; }))
    return node.emitError() << "its shape has a negative dimension";
  return formType(node, context, "dtype");
}

/// A constant has exactly one of several attributes; the dialect knows only tensors.
static ElementsAttr constantContent(const ImportedNode &node, Builder &builder) {
  auto vectorOf = [](Type element, size_t size) {
    return RankedTensorType::get({static_cast<int64_t>(size)}, element);
  };
  if (auto value = node.attributes.get("value"))
    return dyn_cast<ElementsAttr>(value);
  if (auto value = dyn_cast_or_null<FloatAttr>(node.attributes.get("value_float")))
    return DenseElementsAttr::get(RankedTensorType::get({}, value.getType()), value);
  if (auto value = dyn_cast_or_null<IntegerAttr>(node.attributes.get("value_int")))
    return DenseElementsAttr::get(RankedTensorType::get({}, value.getType()), value);
  if (auto value = dyn_cast_or_null<DenseF32ArrayAttr>(node.attributes.get("value_floats")))
    return DenseElementsAttr::get(vectorOf(builder.getF32Type(), value.size()), value.asArrayRef());
  if (auto value = dyn_cast_or_null<DenseI64ArrayAttr>(node.attributes.get("value_ints")))
    return DenseElementsAttr::get(vectorOf(builder.getI64Type(), value.size()), value.asArrayRef());
  return nullptr;
}

static LogicalResult formConstant(ImportedNode &node, FormContext &context) {
  ElementsAttr content = constantContent(node, context.builder);
  if (!content || node.attributes.getAttrs().size() != 1)
    return node.emitError()
           << "a constant must have exactly one of value, value_float, value_floats, "
           << "value_int and value_ints";
  node.attributes.clear();
  node.attributes.set("value", content);
  return success();
}

/// One value repeated in a shape that must be known: a constant.
static LogicalResult formConstantOfShape(ImportedNode &node, FormContext &context) {
  StringRef input = node.inputName(0);
  std::optional<Sizes> shape = context.scope.lookupSizes(input, node.location);
  if (!shape || shape->isScalar || !shape->areKnown())
    return node.emitError() << "its shape '" << input << "' must be a constant integer vector";
  proto::TensorProto declared;
  declared.set_name(node.proto.output(0));
  declared.set_data_type(proto::TensorProto::FLOAT);
  for (int64_t size : shape->values)
    declared.add_dims(size);
  RankedTensorType type = TensorReader::readType(declared, node.location);
  if (!type)
    return failure();
  Attribute value = FloatAttr::get(type.getElementType(), 0.0);
  if (auto given = dyn_cast_or_null<DenseElementsAttr>(node.attributes.get("value"))) {
    if (given.getNumElements() != 1)
      return node.emitError() << "its value must have one element, got " << given.getNumElements();
    value = *given.getValues<Attribute>().begin();
    type = type.clone(given.getElementType());
  }
  node.op = "Constant";
  node.operands.clear();
  node.attributes.clear();
  node.attributes.set("value", DenseElementsAttr::get(type, value));
  return success();
}

/// Softmax before operator set 13 makes a matrix of its input, split at `axis`, and works on its
/// rows.
static LogicalResult formSoftmax(ImportedNode &node, FormContext &context, Value &result) {
  auto type = dyn_cast<RankedTensorType>(node.operands[0].getType());
  if (context.opset >= 13 || !type)
    return success();
  int64_t rank = type.getRank(), axis = node.integer("axis", 1);
  axis += axis < 0 ? rank : 0;
  if (axis < 0 || axis > rank)
    return node.emitError() << "axis is out of range for an input of rank " << rank;
  node.attributes.set("axis", context.builder.getI64IntegerAttr(-1));
  if (axis == rank - 1)
    return success();
  SmallVector<int64_t> shape(type.getShape());
  if (llvm::count(shape, ShapedType::kDynamic) > 1)
    return node.emitError()
           << "its meaning before operator set 13 needs a reshape, in which only one "
           << "dimension may vary; export the model with operator set 13 or later";
  llvm::replace(shape, ShapedType::kDynamic, int64_t(-1));
  NamedAttrList flattenAttributes, reshapeAttributes;
  flattenAttributes.set("axis", context.builder.getI64IntegerAttr(axis));
  reshapeAttributes.set("shape", context.builder.getDenseI64ArrayAttr(shape));
  auto create = [&](StringRef op, Value operand, const NamedAttrList &attributes) {
    Operation *created =
        operand ? createInferred(context.builder, node.location, op, {operand}, attributes)
                : nullptr;
    return created ? created->getResult(0) : Value();
  };
  Value rows = create("Flatten", node.operands[0], flattenAttributes);
  result = create("Reshape", create(node.op, rows, node.attributes), reshapeAttributes);
  return success(result != nullptr);
}

LogicalResult tutti::frontend::normalizeForm(ImportedNode &node, FormContext &context,
                                             Value &result) {
  StringRef op = node.op;
  if (op == "Reshape")
    return operandToAttribute(node, context, "shape", /*mayVary=*/true);
  if (op == "Squeeze" || op == "Unsqueeze" || op == "ReduceSum")
    return operandToAttribute(node, context, "axes");
  if (op == "Split")
    return formSplit(node, context);
  if (op == "Dropout")
    return formDropout(node, context);
  if (op == "BatchNormalization")
    return formBatchNormalization(node, context);
  if (op == "Cast")
    return formType(node, context, "to");
  if (op == "RandomNormal" || op == "RandomUniform")
    return formRandom(node, context);
  if (op == "Constant")
    return formConstant(node, context);
  if (op == "ConstantOfShape")
    return formConstantOfShape(node, context);
  if (op == "Softmax" || op == "LogSoftmax")
    return formSoftmax(node, context, result);
  return success();
}
