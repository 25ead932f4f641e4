// One small function for each operator whose form differs from the dialect's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/OpsetForms.h"

#include "lib/frontend/forms/ComposedForms.h"
#include "lib/frontend/forms/Composer.h"
#include "lib/frontend/forms/SizeForms.h"
#include "lib/frontend/forms/SliceForms.h"
#include "lib/frontend/model/ElementTypes.h"

#include "dialects/onnx/Onnx.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tutti::frontend;

/// Moves the shape operand 1, whose contents must be known, to the attribute `name`. Does nothing
/// if it is absent.
static LogicalResult operandToAttribute(ImportedNode &node, FormContext &context, StringRef name) {
  StringRef input = node.inputName(1);
  if (node.operands.size() > 1)
    node.operands.resize(1);
  if (input.empty()) {
    bool isOptional = node.attributes.get(name) || node.op == "Squeeze" ||
                      StringRef(node.op).starts_with("Reduce");
    return isOptional ? success() : node.emitError() << "its input 1 (" << name << ") is missing";
  }
  std::optional<Sizes> known = context.scope.lookupSizes(input, node.location);
  if (!known || known->isScalar)
    return node.emitError() << "its input '" << input
                            << "' must be a constant integer vector, because a "
                            << "compiled program needs " << name << " to be known"
                            << context.scope.howToKnow(input);
  if (!known->areKnown())
    return node.emitError() << "its input '" << input << "' depends on "
                            << llvm::count(known->values, ShapedType::kDynamic)
                            << " sizes that vary; none may" << kFixSizes;
  node.attributes.set(name, context.builder.getDenseI64ArrayAttr(known->values));
  return success();
}

/// A scalar constant.
static Value createScalar(ImportedNode &node, FormContext &context, FloatAttr value) {
  auto type = RankedTensorType::get({}, value.getType());
  return tutti::onnx::ConstantOp::create(context.builder, node.location,
                                         DenseElementsAttr::get(type, Attribute(value)));
}

/// Dropout before operator set 12 has its ratio as an attribute.
static LogicalResult formDropout(ImportedNode &node, FormContext &context) {
  auto ratio = dyn_cast_or_null<FloatAttr>(node.attributes.get("ratio"));
  node.attributes.erase("ratio");
  if (ratio && node.operands.size() == 1)
    node.operands.push_back(createScalar(node, context, ratio));
  node.operands.resize(3);
  return success();
}

/// Clip before operator set 11 has its bounds as attributes; some write vectors of one element.
static LogicalResult formClip(ImportedNode &node, FormContext &context) {
  node.operands.resize(3);
  Composer with(node, context);
  for (Value &bound : MutableArrayRef(node.operands).drop_front()) {
    auto type = bound ? dyn_cast<RankedTensorType>(bound.getType()) : RankedTensorType();
    if (!type || type.getShape() != ArrayRef<int64_t>{1})
      continue;
    bound = with.create("Squeeze", bound, {{"axes", with.integers(0)}});
    if (!bound)
      return failure();
  }
  for (auto [index, name] : {std::pair(1, "min"), std::pair(2, "max")}) {
    if (auto bound = dyn_cast_or_null<FloatAttr>(node.attributes.get(name)))
      node.operands[index] = createScalar(node, context, bound);
    node.attributes.erase(name);
  }
  return success();
}

/// Operands at the end may be absent; an LSTM has eight, the others six.
static LogicalResult formRecurrent(ImportedNode &node, FormContext &) {
  node.operands.resize(node.op == "LSTM" ? 8 : 6);
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

/// `saturate` (since 19) and `round_mode` (since 24) speak of 8-bit floats only.
static LogicalResult formCast(ImportedNode &node, FormContext &context) {
  node.attributes.erase("saturate");
  node.attributes.erase("round_mode");
  return formType(node, context, "to");
}

/// The float constant that makes `value`, in another float type; null if there is none.
static DenseElementsAttr convertConstant(Value value, Type element) {
  auto constant = value.getDefiningOp<tutti::onnx::ConstantOp>();
  auto content = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : nullptr;
  auto to = dyn_cast<FloatType>(element);
  if (!content || !to)
    return nullptr;
  return content.mapValues(to, [&](const APFloat &number) {
    APFloat converted = number;
    bool losesInfo = false;
    converted.convert(to.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
    return converted.bitcastToAPInt();
  });
}

/// A Cast to the element type of the second operand; of a constant, the constant.
static LogicalResult formCastLike(ImportedNode &node, FormContext &context, Results &results) {
  node.attributes.erase("saturate");
  node.attributes.erase("round_mode");
  auto like = dyn_cast<RankedTensorType>(node.operands[1].getType());
  if (!like)
    return node.emitError() << "the type of its input '" << node.inputName(1) << "' is not known";
  auto given = dyn_cast<RankedTensorType>(node.operands[0].getType());
  if (given && given.getElementType() == like.getElementType()) {
    results.push_back(node.operands[0]);
    return success();
  }
  if (auto constant = convertConstant(node.operands[0], like.getElementType())) {
    results.push_back(tutti::onnx::ConstantOp::create(context.builder, node.location, constant));
    return success();
  }
  node.op = "Cast";
  node.operands.resize(1);
  node.attributes.set("to", TypeAttr::get(like.getElementType()));
  return success();
}

/// The dialect's random operators have a shape; in ONNX it may not fit an unsigned size.
static LogicalResult formRandom(ImportedNode &node, FormContext &context) {
  auto shape = dyn_cast_or_null<DenseI64ArrayAttr>(node.attributes.get("shape"));
  if (shape && llvm::any_of(shape.asArrayRef(), [](int64_t size) { return size < 0; }))
    return node.emitError() << "its shape has a negative dimension";
  return formType(node, context, "dtype");
}

static LogicalResult formLike(ImportedNode &node, FormContext &context) {
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

/// What a ConstantOfShape repeats: one element of a tensor; none after a diagnostic.
static FailureOr<Attribute> repeatedElement(const ImportedNode &node, Builder &builder) {
  auto given = dyn_cast_or_null<DenseElementsAttr>(node.attributes.get("value"));
  if (!given)
    return Attribute(builder.getF32FloatAttr(0));
  if (given.getNumElements() != 1)
    return node.emitError() << "its value must have one element, got " << given.getNumElements();
  return *given.getValues<Attribute>().begin();
}

/// One value repeated in a shape that is known is a constant; in one that varies it is an Expand.
static LogicalResult formConstantOfShape(ImportedNode &node, FormContext &context) {
  StringRef input = node.inputName(0);
  std::optional<Sizes> shape = context.scope.lookupSizes(input, node.location);
  if (!shape || shape->isScalar)
    return node.emitError() << "its shape '" << input
                            << "' must be a vector of constant integers, or be computed from sizes"
                            << context.scope.howToKnow(input);
  FailureOr<Attribute> value = repeatedElement(node, context.builder);
  if (failed(value))
    return failure();
  Type element = cast<TypedAttr>(*value).getType();
  node.operands.clear();
  node.attributes.clear();
  if (!shape->areKnown()) {
    auto content = DenseElementsAttr::get(RankedTensorType::get({}, element), *value);
    node.op = "Expand";
    node.operands = {tutti::onnx::ConstantOp::create(context.builder, node.location, content)};
    return expandTo(node, context, std::move(*shape));
  }
  proto::TensorProto declared; // whose sizes are checked
  declared.set_name(node.proto.output(0));
  declared.set_data_type(proto::TensorProto::FLOAT);
  for (int64_t size : shape->values)
    declared.add_dims(size);
  RankedTensorType type = TensorReader::readType(declared, node.location);
  if (!type)
    return failure();
  node.op = "Constant";
  node.attributes.set("value", DenseElementsAttr::get(type.clone(element), *value));
  return success();
}

/// Softmax, or its logarithm, of all entries along several axes; null after a diagnostic.
static Value softmaxOver(ArrayRef<int64_t> axes, ImportedNode &node, FormContext &context) {
  Composer with(node, context);
  auto reduce = [&](StringRef op, Value of) {
    return with.create(op, of, {{"axes", with.integers(axes)}, {"keepdims", with.integer(1)}});
  };
  Value x = node.operands[0];
  Value below = with.create("Sub", {x, reduce("ReduceMax", x)});
  Value powers = with.create("Exp", below);
  Value sum = reduce("ReduceSum", powers);
  return node.op == "Softmax" ? with.create("Div", {powers, sum})
                              : with.create("Sub", {below, with.create("Log", sum)});
}

/// Softmax before operator set 13 makes a matrix of its input, split at `axis`, and works on its
/// rows.
static LogicalResult formSoftmax(ImportedNode &node, FormContext &context, Results &results) {
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
  if (llvm::count(shape, ShapedType::kDynamic) > 1) { // which a Reshape could not tell
    results.push_back(softmaxOver(llvm::to_vector(llvm::seq(axis, rank)), node, context));
    return success(results.back() != nullptr);
  }
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
  results.push_back(create("Reshape", create(node.op, rows, node.attributes), reshapeAttributes));
  return success(results.back() != nullptr);
}

/// Parts without entries add nothing, as long as there is another; PyTorch joins `torch.tensor([])`
/// with anything.
static LogicalResult formConcat(ImportedNode &node, FormContext &) {
  auto isEmpty = [&](Value part) {
    auto type = part ? dyn_cast<RankedTensorType>(part.getType()) : RankedTensorType();
    int64_t axis = type && type.getRank() == 1 ? 0 : node.integer("axis", 0);
    axis += type && axis < 0 ? type.getRank() : 0;
    return type && axis >= 0 && axis < type.getRank() && type.getDimSize(axis) == 0;
  };
  if (!llvm::all_of(node.operands, isEmpty))
    llvm::erase_if(node.operands, isEmpty);
  return success();
}

static LogicalResult formAxes(ImportedNode &node, FormContext &context) {
  return operandToAttribute(node, context, "axes");
}

/// ONNX Runtime's losses may say the type of their result, which is that of input `scores` here.
static LogicalResult formLossOfType(ImportedNode &node, FormContext &context, int scores) {
  int64_t number = node.integer("output_type", 0);
  Type type = getElementTypeOrSelf(node.operands[scores].getType());
  if (number != 0 && elementType(number, context.builder.getContext()) != type)
    return node.emitError() << "output_type = " << elementTypeName(number) << " for scores of "
                            << type << " is not supported; cast the result";
  node.attributes.erase("output_type");
  return success();
}

static LogicalResult formLoss(ImportedNode &node, FormContext &context) {
  return success(succeeded(formLossOfType(node, context, 0)) &&
                 succeeded(formIgnoredLabel(node, context, 3)));
}

static LogicalResult formLossGradient(ImportedNode &node, FormContext &context) {
  return success(succeeded(formLossOfType(node, context, 1)) &&
                 succeeded(formIgnoredLabel(node, context, 4)));
}

//===----------------------------------------------------------------------===//
// One row for each operator that has something to say
//===----------------------------------------------------------------------===//

namespace {

/// Sets of inputs.
using Inputs = uint32_t;
constexpr Inputs none = 0, all = ~Inputs(0);
constexpr Inputs input(unsigned index) { return Inputs(1) << index; }
constexpr Inputs from(unsigned index) { return all << index; }

struct OperatorForm {
  StringLiteral op;
  Inputs shapes;   ///< become attributes, so they need not exist as values
  Inputs settings; ///< say how the operator works, and are no parameters though they be floats
  LogicalResult (*form)(ImportedNode &, FormContext &) = nullptr;
  LogicalResult (*compose)(ImportedNode &, FormContext &, Results &) = nullptr;
};

constexpr OperatorForm operatorForms[] = {
    {"AffineGrid", input(1), none, nullptr, composeAffineGrid},
    {"ArgMax", none, none, nullptr, composeArgMax},
    {"ArgMin", none, none, nullptr, composeArgMin},
    {"Attention", none, none, nullptr, composeAttention},
    {"BatchNormalization", none, none, formBatchNormalization},
    {"Bernoulli", none, none, formLike, composeBernoulli},
    {"Cast", none, none, formCast},
    {"CastLike", none, none, nullptr, formCastLike},
    {"Clip", none, from(1), formClip},
    {"Col2Im", input(1) | input(2), none, nullptr, composeCol2Im},
    {"Compress", input(1), none, nullptr, composeCompress},
    {"Concat", none, none, formConcat},
    {"Constant", none, none, formConstant},
    {"ConstantOfShape", input(0), none, formConstantOfShape},
    {"ConvInteger", none, none, nullptr, composeConvInteger},
    {"ConvTranspose", none, none, nullptr, composeConvTranspose},
    {"CumSum", input(1), none, nullptr, composeCumSum},
    {"DeformConv", none, none, nullptr, composeDeformConv},
    {"DequantizeLinear", none, from(1), nullptr, composeDequantizeLinear},
    {"Dropout", none, input(1), formDropout},
    {"DynamicQuantizeLinear", none, none, nullptr, composeDynamicQuantizeLinear},
    {"Einsum", none, none, nullptr, composeEinsum},
    {"Expand", input(1), none, formExpand},
    {"EyeLike", none, none, formLike, composeEyeLike},
    {"Gather", none, none, nullptr, composeGather},
    {"GlobalLpPool", none, none, nullptr, composeGlobalLpPool},
    {"GlobalMaxPool", none, none, nullptr, composeGlobalMaxPool},
    {"GridSample", none, none, nullptr, composeGridSample},
    {"GRU", none, none, formRecurrent},
    {"LayerNormalization", none, none, nullptr, composeLayerNormalization},
    {"LogSoftmax", none, none, nullptr, formSoftmax},
    {"LpPool", none, none, nullptr, composeLpPool},
    {"LRN", none, none, nullptr, composeLRN},
    {"LSTM", none, none, formRecurrent},
    {"MatMul", none, none, nullptr, composeMatMul},
    {"MatMulInteger", none, none, nullptr, composeMatMulInteger},
    {"MaxPool", none, none, nullptr, composeMaxPool},
    {"NonMaxSuppression", none, all},
    {"NonZero", input(0), input(0), nullptr, composeNonZero},
    {"OneHot", input(1), input(1) | input(2), nullptr, composeOneHot},
    {"Pad", input(1) | input(3), input(2), nullptr, composePad},
    {"Pow", none, input(1)},
    {"QLinearConv", none, input(1) | input(4) | input(6), nullptr, composeQLinearConv},
    {"QLinearMatMul", none, input(1) | input(4) | input(6), nullptr, composeQLinearMatMul},
    {"QuantizeLinear", none, from(1), nullptr, composeQuantizeLinear},
    {"RandomNormal", none, none, formRandom},
    {"RandomNormalLike", none, none, formLike},
    {"RandomUniform", none, none, formRandom},
    {"RandomUniformLike", none, none, formLike},
    {"Range", all, all, nullptr, composeRange},
    {"ReduceL1", input(1), none, formAxes, composeReduceL1},
    {"ReduceL2", input(1), none, formAxes, composeReduceL2},
    {"ReduceLogSum", input(1), none, formAxes, composeReduceLogSum},
    {"ReduceLogSumExp", input(1), none, formAxes, composeReduceLogSumExp},
    {"ReduceMax", input(1), none, formAxes, composeReduceMax},
    {"ReduceMean", input(1), none, formAxes},
    {"ReduceMin", input(1), none, formAxes, composeReduceMin},
    {"ReduceProd", input(1), none, formAxes},
    {"ReduceSum", input(1), none, formAxes},
    {"ReduceSumSquare", input(1), none, formAxes, composeReduceSumSquare},
    {"Reshape", input(1), none, nullptr, composeReshape},
    {"Resize", from(1), from(1), nullptr, composeResize},
    {"ReverseSequence", none, none, nullptr, composeReverseSequence},
    {"RMSNormalization", none, none, nullptr, composeRMSNormalization},
    {"RNN", none, none, formRecurrent},
    {"RoiAlign", none, none, nullptr, composeRoiAlign},
    {"RotaryEmbedding", none, none, nullptr, composeRotaryEmbedding},
    {"Scatter", none, none, formScatter},
    {"Shape", none, all},
    {"SimplifiedLayerNormalization", none, none, nullptr, composeRMSNormalization},
    {"Size", none, all},
    {"Slice", from(1), none, formSlice},
    {"SliceGrad", from(2), none, formSliceGrad},
    {"Softmax", none, none, nullptr, formSoftmax},
    {"SoftmaxCrossEntropyLoss", input(3), none, formLoss},
    {"SoftmaxCrossEntropyLossGrad", input(4), none, formLossGradient},
    {"Split", input(1), none, nullptr, composeSplit},
    {"Squeeze", input(1), none, formAxes},
    {"Tile", input(1), none, nullptr, composeTile},
    {"TopK", input(1), none, nullptr, composeTopK},
    {"Trilu", input(1), none, formTrilu},
    {"Unsqueeze", input(1), none, formAxes},
    {"Upsample", from(1), from(1), nullptr, composeResize},
};

const OperatorForm *formOf(StringRef op) {
  const auto *found =
      llvm::find_if(operatorForms, [&](const OperatorForm &form) { return form.op == op; });
  return found == std::end(operatorForms) ? nullptr : found;
}

bool contains(Inputs inputs, unsigned index) { return index < 32 && (inputs & input(index)); }

} // namespace

bool tutti::frontend::isShapeOperand(StringRef op, unsigned index) {
  const OperatorForm *form = formOf(op);
  return form && contains(form->shapes, index);
}

bool tutti::frontend::isSettingOperand(StringRef op, unsigned index) {
  const OperatorForm *form = formOf(op);
  return form && contains(form->settings, index);
}

bool tutti::frontend::isComposed(StringRef op) {
  const OperatorForm *form = formOf(op);
  return form && (form->compose || form->form);
}

LogicalResult tutti::frontend::normalizeForm(ImportedNode &node, FormContext &context,
                                             Results &results) {
  if (context.opset < 7 && failed(formOfSix(node, context)))
    return failure();
  const OperatorForm *form = formOf(node.op);
  if (!form)
    return success();
  if (form->form && failed(form->form(node, context)))
    return failure();
  return form->compose ? form->compose(node, context, results) : success();
}
