// One way for nearly all operators, whose operations have their names, operands and attributes; and
// a table of those that have operands where the dialect has attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/export/GraphWriter.h"

#include "lib/frontend/export/CollectiveNodes.h"
#include "lib/frontend/export/TensorWriter.h"
#include "lib/frontend/model/ElementTypes.h"
#include "lib/frontend/model/OperationNodes.h"

#include "dialects/onnx/Onnx.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"
#include "onnx/defs/schema.h"

using namespace mlir;
using namespace tutti::frontend;

std::string TensorNames::make(StringRef wanted) {
  std::string name = wanted.empty() ? "value" : wanted.str();
  for (int number = 1; !taken.insert(name).second; ++number)
    name = (wanted + "_" + Twine(number)).str();
  return name;
}

/// The name of the node that `op` comes from; empty if it has none.
static StringRef nodeName(Operation *op) {
  Location place = op->getLoc();
  if (auto part = dyn_cast<FusedLocWith<DictionaryAttr>>(place)) // of its gradient
    place = part.getLocations().front();
  auto location = dyn_cast<NameLoc>(place);
  return location ? location.getName().getValue() : StringRef();
}

std::string GraphWriter::nameOf(Value value) {
  if (names.has(value))
    return names.of(value);
  Operation *op = value.getDefiningOp();
  if (!op || isa<ub::PoisonOp>(op))
    return "";
  StringRef node = nodeName(op);
  std::string wanted = node.empty() ? op->getName().stripDialect().str() : node.str();
  unsigned index = cast<OpResult>(value).getResultNumber();
  names.define(value, wanted + "_output" + (index ? std::to_string(index) : ""));
  return names.of(value);
}

proto::ValueInfoProto GraphWriter::describe(Value value) {
  proto::ValueInfoProto described;
  described.set_name(nameOf(value));
  Type type = value.getType();
  if (type.isIndex())
    type = IntegerType::get(type.getContext(), 64);
  if (type.isIntOrFloat())
    type = RankedTensorType::get({}, type);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    *described.mutable_type() = writeTensorType(tensor);
  return described;
}

proto::NodeProto &GraphWriter::addNode(Operation *op, StringRef domain, StringRef type) {
  proto::NodeProto &node = *graph.add_node();
  node.set_name(nodeName(op).str());
  node.set_domain(domain.str());
  node.set_op_type(type.str());
  return node;
}

void GraphWriter::addOutputs(Operation *op, proto::NodeProto &node) {
  for (Value result : op->getResults()) {
    node.add_output(nameOf(result));
    *graph.add_value_info() = describe(result);
  }
}

std::string GraphWriter::addIntegers(ArrayRef<int64_t> values, StringRef wanted) {
  std::string name = names.make(wanted);
  *graph.add_initializer() = writeIntegers(values, name);
  return name;
}

/// True, where no message was written yet.
std::string GraphWriter::takeSignal() {
  if (!lastSignal.empty())
    return lastSignal;
  lastSignal = names.make("begin_messages");
  proto::TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(lastSignal);
  tensor.set_data_type(proto::TensorProto::BOOL);
  tensor.set_raw_data(std::string(1, 1));
  return lastSignal;
}

std::string GraphWriter::makeSignal() {
  lastSignal = names.make("message");
  *graph.add_value_info() = describeSignal();
  return lastSignal;
}

proto::ValueInfoProto GraphWriter::describeSignal() const {
  proto::ValueInfoProto described;
  described.set_name(lastSignal);
  described.mutable_type()->mutable_tensor_type()->set_elem_type(proto::TensorProto::BOOL);
  described.mutable_type()->mutable_tensor_type()->mutable_shape();
  return described;
}

void GraphWriter::finish() {
  if (!lastSignal.empty())
    *graph.add_output() = describeSignal();
}

LogicalResult GraphWriter::addConstant(Operation *op, ElementsAttr content) {
  FailureOr<proto::TensorProto> tensor = writeTensor(content, "", op->getLoc());
  if (failed(tensor))
    return failure();
  proto::NodeProto &node = addNode(op, "", "Constant");
  addOutputs(op, node);
  proto::AttributeProto &value = *node.add_attribute();
  value.set_name("value");
  value.set_type(proto::AttributeProto::TENSOR);
  *value.mutable_t() = std::move(*tensor);
  return success();
}

std::string GraphWriter::addStep(Operation *op, StringRef type, ArrayRef<std::string> inputs,
                                 StringRef wanted) {
  proto::NodeProto &node = addNode(op, "", type);
  for (const std::string &input : inputs)
    node.add_input(input);
  std::string name = names.make(wanted);
  node.add_output(name);
  return name;
}

namespace {

/// An attribute of the dialect that is input `input` of the operator.
struct MovedAttribute {
  StringLiteral op, attribute;
  int input;
  int64_t since = 1; ///< version of the operator set
  bool isScalar = false;
};

constexpr MovedAttribute movedAttributes[] = {
    {"CumSum", "axis", 1, 1, /*isScalar=*/true},
    {"Pad", "pads", 1},
    {"ReduceMax", "axes", 1, 18},
    {"ReduceMean", "axes", 1, 18},
    {"ReduceMin", "axes", 1, 18},
    {"ReduceProd", "axes", 1, 18},
    {"ReduceSum", "axes", 1},
    {"Reshape", "shape", 1},
    {"Slice", "starts", 1},
    {"Slice", "ends", 2},
    {"Slice", "axes", 3},
    {"Slice", "steps", 4},
    {"Split", "split", 1},
    {"Squeeze", "axes", 1},
    {"TopK", "k", 1},
    {"Trilu", "k", 1, 1, /*isScalar=*/true},
    {"Unsqueeze", "axes", 1},
};

/// What com.microsoft calls an operator that ai.onnx does not have.
struct MicrosoftName {
  StringLiteral op, name;
};

constexpr MicrosoftName microsoftNames[] = {
    {"BatchNormInternal", "BatchNormInternal"},
    {"BatchNormalizationGrad", "BatchNormalizationGrad"},
    {"ConvGrad", "ConvGrad"},
    {"DropoutGrad", "DropoutGrad"},
    {"LogSoftmaxGrad", "LogSoftmaxGrad_13"},
    {"ReluGrad", "ReluGrad"},
    {"SigmoidGrad", "SigmoidGrad"},
    {"SoftmaxCrossEntropyLossGrad", "SoftmaxCrossEntropyLossGrad"},
    {"SoftmaxGrad", "SoftmaxGrad_13"},
    {"TanhGrad", "TanhGrad"},
};

} // namespace

static const MovedAttribute *findMoved(StringRef op, StringRef attribute, int64_t opset) {
  for (const MovedAttribute &moved : movedAttributes)
    if (moved.op == op && moved.attribute == attribute && opset >= moved.since)
      return &moved;
  return nullptr;
}

static StringRef microsoftName(StringRef op) {
  for (const MicrosoftName &known : microsoftNames)
    if (known.op == op)
      return known.name;
  return "";
}

static bool isInOperatorSet(StringRef op, int64_t opset) {
  constexpr StringLiteral young = "Gelu"; // of version 20, which this libonnx does not know
  return op == young || proto::OpSchemaRegistry::Schema(
                            op.str(), static_cast<int>(std::min(opset, newestOpsetOfLibrary)), "");
}

/// Whether com.microsoft's operator says all of what `op` says: it takes no statistics of others.
static bool isMicrosofts(Operation *op) {
  constexpr unsigned ownOperands = 5;
  bool isNormalization =
      isa<tutti::onnx::BatchNormInternalOp, tutti::onnx::BatchNormalizationGradOp>(op);
  return !microsoftName(op->getName().stripDialect()).empty() &&
         (!isNormalization || op->getNumOperands() == ownOperands);
}

/// Whether ai.onnx or com.microsoft has the operator.
static bool hasOperator(Operation *op, int64_t opset) {
  if (auto scatter = dyn_cast<tutti::onnx::ScatterNDOp>(op); scatter && scatter.getBatchDims() != 0)
    return false;
  if (auto top = dyn_cast<tutti::onnx::TopKOp>(op); top && top.getKAttr().getInt() < 0)
    return false;
  return isInOperatorSet(op->getName().stripDialect(), opset) || isMicrosofts(op);
}

LogicalResult GraphWriter::write(Operation *op) {
  if (isa<ub::PoisonOp>(op))
    return success();
  ElementsAttr content;
  if (op->getNumResults() == 1 && matchPattern(op, m_Constant(&content)))
    return addConstant(op, content);
  if (isa<tutti::onnx::CustomOp>(op))
    return writeCustom(op);
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "train")
    return writeTrainingNode(op, *this);
  if (isNcclSum(op))
    return writeNcclSum(op, *this);
  if (isMessage(op))
    return writeMessage(op, *this);
  if (isa<tutti::onnx::ExpandOp>(op))
    return writeExpand(op);
  bool isOperator = dialect == "onnx" && hasOperator(op, opset);
  return isOperator ? writeOperator(op) : writeCall(op);
}

/// Text that the importer parses again.
template <typename Part> static std::string textOf(const Part &part) {
  std::string text;
  llvm::raw_string_ostream(text) << part;
  return text;
}

LogicalResult GraphWriter::writeCall(Operation *op) {
  FailureOr<std::string> function = functions.add(op);
  if (failed(function))
    return failure();
  std::string domain = (operationDomain + op->getName().getDialectNamespace()).str();
  proto::NodeProto &node = addNode(op, domain, *function);
  for (Value operand : op->getOperands())
    node.add_input(nameOf(operand));
  proto::AttributeProto &properties = *node.add_attribute(), &types = *node.add_attribute();
  properties.set_name(propertiesOfOperation.str());
  properties.set_type(proto::AttributeProto::STRING);
  properties.set_s(textOf(op->getAttrDictionary()));
  types.set_name(typesOfOperation.str());
  types.set_type(proto::AttributeProto::STRINGS);
  for (Type type : op->getResultTypes())
    types.add_strings(textOf(type));
  addOutputs(op, node);
  return success();
}

/// The operands with null where one is left out.
static SmallVector<Value> placedOperands(Operation *op) {
  auto sizes = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
  if (!sizes)
    return llvm::to_vector(op->getOperands());
  SmallVector<Value> operands;
  unsigned next = 0;
  for (int32_t size : sizes.asArrayRef()) {
    if (size == 0)
      operands.push_back(nullptr);
    for (int32_t i = 0; i < size; ++i)
      operands.push_back(op->getOperand(next++));
  }
  return operands;
}

static void trimInputs(proto::NodeProto &node) {
  while (node.input_size() > 0 && node.input(node.input_size() - 1).empty())
    node.mutable_input()->RemoveLast();
}

/// Outputs that some operators may not have unless they are asked for.
static void trimOutputs(Operation *op, proto::NodeProto &node) {
  static constexpr StringLiteral optional[] = {
      "BatchNormalization", "Dropout", "GRU", "LSTM", "RNN", "SoftmaxCrossEntropyLoss"};
  if (!llvm::is_contained(optional, op->getName().stripDialect()))
    return;
  while (node.output_size() > 1 && op->getResult(node.output_size() - 1).use_empty())
    node.mutable_output()->RemoveLast();
}

/// What an attribute says that ONNX, or its version 17, has no word for, as long as it says
/// nothing; or where samples are, which is nothing to a model.
static bool isSilent(StringRef op, NamedAttribute attribute, int64_t opset) {
  auto number = dyn_cast<IntegerAttr>(attribute.getValue());
  bool isReduction = op.starts_with("Reduce") && op != "ReduceSum" && opset < 18 &&
                     attribute.getName() == "noop_with_empty_axes";
  bool isScatter = op == "ScatterND" && attribute.getName() == "batch_dims";
  bool isOfBatch = attribute.getName() == "samples";
  bool isDense = op == "AveragePool" && attribute.getName() == "dilations" && opset < 19;
  return isOfBatch || isDense || ((isReduction || isScatter) && number && number.getInt() == 0);
}

void GraphWriter::moveAttribute(NamedAttribute attribute, int input, bool isScalar,
                                proto::NodeProto &node) {
  SmallVector<int64_t> values;
  if (auto number = dyn_cast<IntegerAttr>(attribute.getValue()))
    values.push_back(number.getInt());
  else
    values = llvm::to_vector(cast<DenseI64ArrayAttr>(attribute.getValue()).asArrayRef());
  while (node.input_size() <= input)
    node.add_input("");
  std::string wanted = (node.output(0) + "_" + attribute.getName().getValue()).str();
  node.set_input(input, addIntegers(values, wanted));
  if (isScalar)
    graph.mutable_initializer(graph.initializer_size() - 1)->clear_dims();
}

LogicalResult GraphWriter::addAttributes(Operation *op, DictionaryAttr attributes,
                                         proto::NodeProto &node) {
  StringRef type = op->getName().stripDialect();
  for (NamedAttribute attribute : attributes) {
    StringRef name = attribute.getName().getValue();
    if (name == "operandSegmentSizes" || name.contains('.') || isSilent(type, attribute, opset))
      continue;
    if (const MovedAttribute *moved = findMoved(type, name, opset)) {
      moveAttribute(attribute, moved->input, moved->isScalar, node);
      continue;
    }
    if (type == "Pad" && name == "value")
      continue; // is input 2
    FailureOr<proto::AttributeProto> written = writeAttribute(attribute, op->getLoc());
    if (failed(written))
      return failure();
    *node.add_attribute() = std::move(*written);
  }
  return success();
}

/// The constant of the margin, of the element type of the tensor.
std::string GraphWriter::addPadValue(Operation *op) {
  auto pad = cast<tutti::onnx::PadOp>(op);
  Type element = cast<RankedTensorType>(pad.getData().getType()).getElementType();
  auto type = RankedTensorType::get({}, element);
  double value = pad.getValue().convertToDouble();
  Attribute number = isa<FloatType>(element)
                         ? Attribute(FloatAttr::get(element, value))
                         : Attribute(IntegerAttr::get(element, static_cast<int64_t>(value)));
  std::string name = names.make(nameOf(op->getResult(0)) + "_value");
  FailureOr<proto::TensorProto> tensor =
      writeTensor(DenseElementsAttr::get(type, number), name, op->getLoc());
  if (failed(tensor))
    return "";
  *graph.add_initializer() = std::move(*tensor);
  return name;
}

LogicalResult GraphWriter::writeOperator(Operation *op) {
  StringRef type = op->getName().stripDialect();
  bool isStandard = isInOperatorSet(type, opset);
  StringRef written = isStandard ? type : microsoftName(type);
  proto::NodeProto &node = addNode(op, isStandard ? "" : "com.microsoft", written);
  for (Value operand : placedOperands(op))
    node.add_input(operand ? nameOf(operand) : "");
  addOutputs(op, node);
  if (failed(addAttributes(op, op->getAttrDictionary(), node)))
    return failure();
  if (isa<tutti::onnx::PadOp>(op))
    node.add_input(addPadValue(op));
  trimInputs(node);
  trimOutputs(op, node);
  return success();
}

LogicalResult GraphWriter::writeCustom(Operation *op) {
  auto custom = cast<tutti::onnx::CustomOp>(op);
  proto::NodeProto &node = addNode(op, custom.getDomain(), custom.getName());
  for (Value operand : custom.getInputs())
    node.add_input(nameOf(operand));
  addOutputs(op, node);
  if (DictionaryAttr attributes = custom.getNodeAttributesAttr())
    return addAttributes(op, attributes, node);
  return success();
}

/// The size of dimension `axis` of `value` as a vector of one element.
std::string GraphWriter::addSize(Operation *op, Value value, int64_t axis) {
  std::string wanted = nameOf(op->getResult(0));
  std::string shape = addStep(op, "Shape", {nameOf(value)}, wanted + "_like");
  std::string index = addIntegers({axis}, wanted + "_axis");
  return addStep(op, "Gather", {shape, index}, wanted + "_size");
}

/// A size -1 is that of the operand, or of `like`; what varies, the model has to ask for.
LogicalResult GraphWriter::writeExpand(Operation *op) {
  auto expand = cast<tutti::onnx::ExpandOp>(op);
  auto type = cast<RankedTensorType>(expand.getInput().getType());
  std::string wanted = nameOf(op->getResult(0));
  int64_t added = static_cast<int64_t>(expand.getShape().size()) - type.getRank();
  SmallVector<std::string> parts;
  for (auto [index, size] : llvm::enumerate(expand.getShape())) {
    int64_t own = static_cast<int64_t>(index) - added;
    bool isOwn = own >= 0 && type.getDimSize(own) != 1;
    if (size == -1 && isOwn && type.isDynamicDim(own))
      parts.push_back(addSize(op, expand.getInput(), own));
    else if (size == -1 && !isOwn && expand.getLike())
      parts.push_back(addSize(op, expand.getLike(), static_cast<int64_t>(expand.getAxis())));
    else
      parts.push_back(addIntegers({size == -1 ? 1 : size}, wanted + "_size"));
  }
  std::string shape = names.make(wanted + "_shape");
  proto::NodeProto &concat = addNode(op, "", "Concat");
  for (const std::string &part : parts)
    concat.add_input(part);
  concat.add_output(shape);
  proto::AttributeProto &axis = *concat.add_attribute();
  axis.set_name("axis");
  axis.set_type(proto::AttributeProto::INT);
  axis.set_i(0);
  proto::NodeProto &node = addNode(op, "", "Expand");
  node.add_input(nameOf(expand.getInput()));
  node.add_input(shape);
  addOutputs(op, node);
  return success();
}
