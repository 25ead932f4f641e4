// Node by node: check, find operands, bring into the dialect's form, build.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/GraphImporter.h"

#include "lib/frontend/forms/OpsetChanges.h"
#include "lib/frontend/forms/OpsetForms.h"
#include "lib/frontend/functions/FunctionTable.h"
#include "lib/frontend/graph/FormulaOperators.h"
#include "lib/frontend/graph/NcclNodes.h"
#include "lib/frontend/graph/OperationCalls.h"
#include "lib/frontend/graph/TrainingNodes.h"
#include "lib/frontend/graph/UnknownOperators.h"
#include "lib/frontend/graph/sizes/FloatSizes.h"
#include "lib/frontend/graph/sizes/ShapeArithmetic.h"
#include "lib/frontend/model/AttributeReader.h"
#include "lib/frontend/model/ElementTypes.h"
#include "lib/frontend/model/Survey.h"

#include "dialects/onnx/Onnx.h"

#include "mlir/Dialect/UB/IR/UBOps.h"

#include "mlir/IR/Diagnostics.h"
#include "onnx/defs/schema.h"

using namespace mlir;
using namespace tutti::frontend;

void GraphImporter::declareTypes(const proto::GraphProto &graph) {
  for (const auto *list : {&graph.value_info(), &graph.output()})
    for (const proto::ValueInfoProto &value : *list)
      declared.try_emplace(value.name(), &value);
}

void GraphImporter::declareSizes(const proto::GraphProto &graph) {
  llvm::StringMap<SizeOrigin> named;
  for (const proto::ValueInfoProto &input : graph.input()) {
    auto argument = dyn_cast_or_null<BlockArgument>(tensorScope.valueOf(input.name()));
    auto type = argument ? dyn_cast<RankedTensorType>(argument.getType()) : RankedTensorType();
    for (int64_t axis = 1; type && axis < type.getRank(); ++axis) {
      StringRef name = input.type().tensor_type().shape().dim(axis).dim_param();
      if (type.isDynamicDim(axis) && !name.empty())
        work.origins.declareSame({argument, axis},
                                 named.try_emplace(name, SizeOrigin{argument, axis}).first->second);
    }
  }
}

LogicalResult GraphImporter::importNodes(const NodeList &sorted) {
  for (const proto::NodeProto *node : sorted) {
    if (file.survey() && usesUnknown(*node)) {
      ++file.survey()->skippedNodes;
      for (const std::string &output : node->output())
        tensorScope.defineUnknown(output);
      continue;
    }
    if (succeeded(importNode(*node)))
      continue;
    if (!file.survey())
      return failure();
    standInFor(*node);
  }
  return success();
}

bool GraphImporter::usesUnknown(const proto::NodeProto &node) {
  return llvm::any_of(dependenciesOf(node),
                      [&](StringRef name) { return tensorScope.isUnknown(name); });
}

/// An operation without operands, with the types that the model declares for the node's outputs.
void GraphImporter::standInFor(const proto::NodeProto &node) {
  ScopedDiagnosticHandler silence(builder.getContext(), [](Diagnostic &) { return success(); });
  Location location = locationOf(node);
  for (const std::string &output : node.output()) {
    const proto::ValueInfoProto *value = declared.lookup(output);
    Type type = value ? readTensorType(*value, "output", location) : RankedTensorType();
    if (!type) {
      tensorScope.defineUnknown(output);
      continue;
    }
    auto standIn = tutti::onnx::CustomOp::create(builder, location, type, node.domain(),
                                                 node.op_type(), ValueRange(), DictionaryAttr());
    standIn->setDiscardableAttr(kStandIn, builder.getUnitAttr());
    tensorScope.define(output, standIn->getResult(0));
  }
}

/// A node within a function is where the model's node is that called it; what leads to it is text.
Location GraphImporter::locationOf(const proto::NodeProto &node) const {
  if (!call)
    return file.location(node);
  std::string name = !node.name().empty()     ? node.name()
                     : node.output_size() > 0 ? node.output(0)
                                              : node.op_type();
  auto chain = StringAttr::get(builder.getContext(), call->chain + ", '" + name + "'");
  return FusedLoc::get(builder.getContext(), {call->location}, chain);
}

/// The schema of the node's form, or of the form that it had when libonnx was made.
static const proto::OpSchema *findSchema(const proto::NodeProto &node, int64_t opset) {
  if (!canonicalDomain(node.domain()).empty())
    return nullptr;
  return proto::OpSchemaRegistry::Schema(
      node.op_type(), static_cast<int>(std::min(opset, newestOpsetOfLibrary)), "");
}

bool GraphImporter::isKnown(const proto::NodeProto &node, int64_t opset, NodeOrigin origin) const {
  if (!canonicalDomain(node.domain()).empty())
    return false;
  bool hasOperation =
      RegisteredOperationName::lookup("onnx." + node.op_type(), builder.getContext()) ||
      isComposed(node.op_type());
  return hasOperation &&
         (origin == NodeOrigin::Formula || findSchema(node, opset) || isYoungOperator(node, opset));
}

/// libonnx's own rules: numbers of inputs and outputs, names and types of attributes. Rows of the
/// table are ours. What is younger than libonnx may have changed where this importer does not know
/// it.
LogicalResult GraphImporter::checkAgainstSchema(const proto::NodeProto &node, Location location) {
  const proto::OpSchema *schema = origin == NodeOrigin::Formula ? nullptr : findSchema(node, opset);
  if (!schema || (opset > newestOpsetOfLibrary && !isKnown(node, opset, origin)))
    return success();
  try {
    schema->Verify(opset > newestOpsetOfLibrary ? withoutYoungParts(node, opset) : node);
    return success();
  } catch (const std::exception &error) {
    return emitError(location) << describe(node)
                               << " breaks the rules of its operator: " << error.what();
  }
}

LogicalResult GraphImporter::lookUpOperands(ImportedNode &node, bool isKnown) {
  for (auto [index, input] : llvm::enumerate(node.proto.input())) {
    node.operands.emplace_back();
    if (input.empty() || (isKnown && isShapeOperand(node.op, index)))
      continue;
    node.operands.back() = tensorScope.lookup(input, node.location);
    if (!node.operands.back())
      return failure();
  }
  return success();
}

void GraphImporter::defineOutputs(const proto::NodeProto &node, ValueRange results) {
  for (auto [index, output] : llvm::enumerate(node.output())) {
    if (output.empty())
      continue;
    if (index < results.size())
      tensorScope.define(output, results[index]);
    else
      tensorScope.defineUnavailable(output, "output " + std::to_string(index) + " of " +
                                                describe(node) + ", which is not supported");
  }
}

LogicalResult GraphImporter::importNode(const proto::NodeProto &node) {
  Location location = locationOf(node);
  if (failed(checkAgainstSchema(node, location)))
    return failure();
  StringRef domain = canonicalDomain(node.domain());
  if (domain == trainingDomain)
    return importTrainingNode(node, tensorScope, file, tensors, builder);
  if (domain == formulaDomain)
    return importFormulaOperator(node, tensorScope, builder, location);
  if (origin == NodeOrigin::Model && isOperationCall(node))
    return importOperationCall(node, tensorScope, builder, location);
  if (domain == "com.microsoft" && node.op_type() == "NcclAllReduce")
    return importNcclAllReduce(node, tensorScope, builder, location);
  auto termOf = [&](SizeOrigin size) { return work.origins.termOf(size); };
  if (std::optional<Sizes> known = evaluateSizes(node, tensorScope, termOf, location)) {
    tensorScope.defineSizes(node.output(0), std::move(*known));
    return success();
  }
  if (auto floats = evaluateFloatSizes(node, tensorScope, termOf, location))
    tensorScope.defineFloatSizes(node.output(0), std::move(*floats)); // its value is defined, too
  if (auto parts = evaluateParts(node, tensorScope, location)) {
    for (auto [output, part] : llvm::zip_equal(node.output(), *parts))
      tensorScope.defineSizes(output, part);
    return success();
  }
  if (domain.empty() && node.op_type() == "If")
    return importIf(node, location);
  if (domain.empty() && node.op_type() == "Loop")
    return importLoop(node, location);
  if (domain.empty() && node.op_type() == "Scan")
    return importScan(node, location);
  if (domain.empty() && isOfSequences(node.op_type()))
    return importOfSequences(node, location);
  if (isKnown(node, opset, origin))
    return importOperator(node, location, "");
  FailureOr<std::optional<FunctionBody>> body = findBody(node, location);
  if (failed(body))
    return failure();
  if (!*body)
    return importOperator(node, location, whyNotYoungOperator(node, opset));
  if (tutti::Refusal refusal = whyNotExpanded(**body))
    return importOperator(node, location, refusal.reason());
  return importCall(node, **body, location);
}

LogicalResult GraphImporter::importOperator(const proto::NodeProto &node, Location location,
                                            StringRef whyUnknown) {
  FailureOr<NamedAttrList> attributes = readAttributes(node, tensors, location);
  if (failed(attributes))
    return failure();
  ImportedNode imported{node, location, node.op_type(), {}, std::move(*attributes)};
  bool known = isKnown(node, opset, origin);
  if (failed(lookUpOperands(imported, known)))
    return failure();
  return known ? importKnown(imported) : importCustom(imported, whyUnknown);
}

LogicalResult GraphImporter::importKnown(ImportedNode &node) {
  auto termOf = [&](SizeOrigin size) { return work.origins.termOf(size); };
  FormContext context{opset, tensorScope, builder, termOf};
  SmallVector<Value> results;
  if (failed(normalizeForm(node, context, results)))
    return failure();
  if (!results.empty()) {
    defineOutputs(node.proto, results);
    return success();
  }
  Operation *created =
      createInferred(builder, node.location, node.op, node.operands, node.attributes);
  if (!created)
    return failure();
  defineOutputs(node.proto, created->getResults());
  return success();
}

static bool hasDeclaredShape(const proto::ValueInfoProto &value) {
  return value.has_type() &&
         (!value.type().has_tensor_type() || value.type().tensor_type().has_shape());
}

Type GraphImporter::typeOfCustom(ImportedNode &node, const std::string &output,
                                 StringRef whyUnknown) {
  const proto::ValueInfoProto *value = declared.lookup(output);
  if (value && hasDeclaredShape(*value))
    return readTensorType(*value, "output", node.location);
  std::string problem = describeUnknown(node.proto, whyUnknown);
  if (file.survey()) // which tells nodes of the same problem together
    emitError(node.location) << problem;
  else
    node.emitError() << problem;
  return nullptr;
}

LogicalResult GraphImporter::importCustom(ImportedNode &node, StringRef whyUnknown) {
  SmallVector<Type> types;
  for (const std::string &output : node.proto.output()) {
    types.push_back(typeOfCustom(node, output, whyUnknown));
    if (!types.back())
      return failure();
  }
  for (Value &operand : node.operands)
    if (!operand)
      operand = ub::PoisonOp::create(builder, node.location, builder.getNoneType());
  StringRef domain = canonicalDomain(node.proto.domain());
  DictionaryAttr attributes = node.attributes.empty()
                                  ? DictionaryAttr()
                                  : node.attributes.getDictionary(builder.getContext());
  auto custom = tutti::onnx::CustomOp::create(builder, node.location, types, domain, node.op,
                                              node.operands, attributes);
  defineOutputs(node.proto, custom.getResults());
  return success();
}
