// Nodes whose operator is a function: the body takes the node's place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/GraphImporter.h"

#include "lib/frontend/functions/FunctionTable.h"
#include "lib/frontend/graph/sizes/ShapeArithmetic.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tutti::frontend;

/// Exporters nest a few functions. Hostile files make a million nodes of twenty functions.
static constexpr int deepestCall = 64;
static constexpr int64_t mostNestedNodes = 1 << 17;

FailureOr<std::optional<FunctionBody>> GraphImporter::findBody(const proto::NodeProto &node,
                                                               Location location) {
  auto typeOfInput = [&](int index) {
    StringRef name = node.input(index);
    Value value = tensorScope.isUnknown(name) ? Value() : tensorScope.lookup(name, location);
    return value ? value.getType() : Type();
  };
  return work.bodies.find(node, opset, origin, typeOfInput, location);
}

/// Operators that are no operations, but that the importer knows what to do with.
static bool isHandled(const proto::NodeProto &node) {
  StringRef domain = canonicalDomain(node.domain());
  return domain == formulaDomain ||
         (domain.empty() &&
          (canEvaluateSizes(node.op_type()) || node.op_type() == "If" || node.op_type() == "Loop"));
}

tutti::Refusal GraphImporter::whyNotExpanded(const FunctionBody &body) const {
  if (body.origin == NodeOrigin::Model)
    return {};
  ScopedDiagnosticHandler silence(builder.getContext(), [](Diagnostic &) { return success(); });
  for (const proto::NodeProto &node : body.proto.node()) {
    if (isHandled(node) || isKnown(node, body.opset, body.origin) ||
        FunctionBodies::dependsOnTypes(node, body.opset))
      continue;
    auto noTypes = [](int) { return Type(); };
    FailureOr<std::optional<FunctionBody>> inner =
        work.bodies.find(node, body.opset, body.origin, noTypes, file.location());
    if (failed(inner) || !*inner)
      return ": its function is made of others, of which '" + node.op_type() + "' is not known";
    if (tutti::Refusal refusal = whyNotExpanded(**inner))
      return refusal;
  }
  return {};
}

LogicalResult GraphImporter::checkCall(const proto::NodeProto &node, const FunctionBody &body,
                                       Location location) const {
  for (const Call *caller = call; caller; caller = caller->caller)
    if (caller->identity == body.identity)
      return emitError(location) << describe(node) << ": the function '" << body.name
                                 << "' calls itself; functions of a model must not";
  if (call && call->depth == deepestCall)
    return emitError(location) << describe(node) << ": functions call each other more than "
                               << deepestCall << " deep";
  return success();
}

LogicalResult GraphImporter::importNested(const NodeList &nodes, llvm::StringSet<> given,
                                          ArrayRef<StringRef> wanted) {
  auto locate = [&](const proto::NodeProto &node) { return locationOf(node); };
  FailureOr<NodeList> sorted = sortNodes(nodes, given, locate);
  if (failed(sorted))
    return failure();
  NodeList needed = keepNeeded(*sorted, wanted);
  work.nestedNodes += 1 + static_cast<int64_t>(needed.size());
  if (work.nestedNodes > mostNestedNodes)
    return emitError(call ? call->location : file.location())
           << "the functions and subgraphs of the model stand for more than " << mostNestedNodes
           << " nodes; no model that can be compiled is as large";
  return importNodes(needed);
}

LogicalResult GraphImporter::importCall(const proto::NodeProto &node, const FunctionBody &body,
                                        Location location) {
  if (failed(checkCall(node, body, location)))
    return failure();
  Call inner{call, body.identity, call ? call->depth + 1 : 1, call ? call->location : location,
             (call ? call->chain + ", " : "") + "in function '" + body.name + "'"};
  GraphImporter importer(*this, /*seesOuter=*/false);
  importer.call = &inner;
  importer.opset = body.opset;
  importer.origin = body.origin;
  for (const proto::ValueInfoProto &value : body.types)
    importer.declared.try_emplace(value.name(), &value);
  llvm::StringSet<> given;
  for (auto [index, name] : llvm::enumerate(body.proto.input())) {
    bool isPresent = static_cast<int>(index) < node.input_size() && !node.input(index).empty();
    if (isPresent && given.insert(name).second)
      importer.tensorScope.give(name, node.input(index));
  }
  NodeList nodes;
  for (const proto::NodeProto &one : body.proto.node())
    nodes.push_back(&one);
  SmallVector<StringRef> wanted;
  for (int index = 0; index < node.output_size(); ++index)
    if (!node.output(index).empty())
      wanted.push_back(body.proto.output(index));
  if (failed(importer.importNested(nodes, given, wanted)))
    return failure();
  for (int index = 0; index < node.output_size(); ++index)
    if (!node.output(index).empty() &&
        failed(tensorScope.takeOver(node.output(index), importer.tensorScope,
                                    body.proto.output(index), location)))
      return failure();
  return success();
}
