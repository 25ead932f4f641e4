// Node by node: check, find operands, bring into the dialect's form, build.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/GraphImporter.h"

#include "lib/frontend/graph/OpsetForms.h"
#include "lib/frontend/graph/ShapeArithmetic.h"
#include "lib/frontend/graph/TrainingNodes.h"
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

bool GraphImporter::usesUnknown(const proto::NodeProto &node) const {
  return llvm::any_of(dependenciesOf(node),
                      [&](StringRef name) { return tensorScope.isUnknown(name); });
}

/// An operation without operands, with the types that the model declares for the node's outputs.
void GraphImporter::standInFor(const proto::NodeProto &node) {
  ScopedDiagnosticHandler silence(builder.getContext(), [](Diagnostic &) { return success(); });
  Location location = file.location(node);
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

static const proto::OpSchema *findSchema(const proto::NodeProto &node, int64_t opset) {
  if (!canonicalDomain(node.domain()).empty())
    return nullptr;
  return proto::OpSchemaRegistry::Schema(node.op_type(), static_cast<int>(opset), "");
}

/// libonnx's own rules: numbers of inputs and outputs, names and types of attributes.
LogicalResult GraphImporter::checkAgainstSchema(const proto::NodeProto &node, Location location) {
  const proto::OpSchema *schema = findSchema(node, file.opset());
  if (!schema)
    return success();
  try {
    schema->Verify(node);
    return success();
  } catch (const std::exception &error) {
    return emitError(location) << describe(node)
                               << " breaks the rules of its operator: " << error.what();
  }
}

bool GraphImporter::isModelFunction(const proto::NodeProto &node) const {
  return llvm::any_of(file.model().functions(), [&](const auto &function) {
    return function.name() == node.op_type() &&
           canonicalDomain(function.domain()) == canonicalDomain(node.domain());
  });
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
  Location location = file.location(node);
  if (failed(checkAgainstSchema(node, location)))
    return failure();
  if (isModelFunction(node))
    return emitError(location) << describe(node)
                               << " calls a function of the model; inline the model's "
                               << "functions before importing it";
  if (canonicalDomain(node.domain()) == trainingDomain)
    return importTrainingNode(node, tensorScope, file, tensors, builder);
  if (std::optional<Sizes> known = evaluateSizes(node, tensorScope, location)) {
    tensorScope.defineSizes(node.output(0), std::move(*known));
    return success();
  }
  FailureOr<NamedAttrList> attributes = readAttributes(node, tensors, location);
  if (failed(attributes))
    return failure();
  ImportedNode imported{node, location, node.op_type(), {}, std::move(*attributes)};
  bool hasForm = findSchema(node, file.opset()) &&
                 (RegisteredOperationName::lookup("onnx." + imported.op, builder.getContext()) ||
                  isComposed(imported.op));
  if (failed(lookUpOperands(imported, hasForm)))
    return failure();
  return hasForm ? importKnown(imported) : importCustom(imported);
}

LogicalResult GraphImporter::importKnown(ImportedNode &node) {
  FormContext context{file.opset(), tensorScope, builder};
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

Type GraphImporter::typeOfCustom(ImportedNode &node, const std::string &output) {
  const proto::ValueInfoProto *value = declared.lookup(output);
  if (value && hasDeclaredShape(*value))
    return readTensorType(*value, "output", node.location);
  if (file.survey()) // a declaration would not make it trainable
    (void)tutti::onnx::rejectCustom(node.location, canonicalDomain(node.proto.domain()), node.op);
  else if (output.empty())
    node.emitError() << "the operator is not known, so none of its outputs can be left out";
  else
    node.emitError()
        << "the operator is not known, so the model must declare the type of its output '" << output
        << "' (value_info)";
  return nullptr;
}

LogicalResult GraphImporter::importCustom(ImportedNode &node) {
  SmallVector<Type> types;
  for (const std::string &output : node.proto.output()) {
    types.push_back(typeOfCustom(node, output));
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
