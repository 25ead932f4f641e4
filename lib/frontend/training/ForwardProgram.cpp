// Inference models.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/training/ProgramImport.h"

#include "lib/frontend/model/ElementTypes.h"

#include "dialects/onnx/Onnx.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::frontend;

LogicalResult ProgramImport::addInputs(FunctionBuilder &function, TensorScope &scope,
                                       ArrayRef<const proto::ValueInfoProto *> inputs) {
  for (const proto::ValueInfoProto *input : inputs) {
    Location location = file.location(input->name());
    RankedTensorType type = readTensorType(*input, "input", location);
    if (!type && file.survey()) {
      scope.defineUnknown(input->name());
      continue;
    }
    if (!type)
      return failure();
    scope.define(input->name(), function.addInput(input->name(), type, location));
  }
  return success();
}

namespace {

class ForwardProgram {
public:
  explicit ForwardProgram(ProgramImport &import)
      : import(import), file(import.file), graph(file.model().graph()), names(file) {}

  LogicalResult build() {
    if (graph.output_size() == 0)
      return emitError(file.location()) << "the graph has no outputs";
    if (failed(names.add(graph)) || failed(sortNodesOfGraph()) || failed(findVariables()))
      return failure();
    return failure(failed(buildInitialize()) || failed(buildForward()));
  }

private:
  LogicalResult sortNodesOfGraph() {
    NodeList all;
    for (const proto::NodeProto &node : graph.node())
      all.push_back(&node);
    FailureOr<NodeList> sorted = sortNodes(all, names.all(), file);
    if (failed(sorted))
      return failure();
    SmallVector<StringRef> wanted;
    for (const proto::ValueInfoProto &output : graph.output())
      wanted.push_back(output.name());
    nodes = keepNeeded(*sorted, wanted);
    return success();
  }

  LogicalResult findVariables() {
    TensorUses uses(nodes, FunctionBodies(file));
    for (const proto::TensorProto *tensor : names.initializers()) {
      std::optional<train::VariableClass> kind = uses.classOfParameter(*tensor);
      RankedTensorType type =
          kind ? TensorReader::readType(*tensor, file.location(tensor->name())) : nullptr;
      if (kind && !type)
        return failure();
      if (kind)
        variables.push_back({tensor, *kind, type});
    }
    return success();
  }

  LogicalResult buildInitialize() {
    FunctionBuilder function("initialize", import.module, import.builder);
    for (const Variable &variable : variables) {
      Location location = file.location(variable.name());
      ElementsAttr content = import.tensors.read(*variable.initial, location);
      if (!content)
        return failure();
      function.returnVariable(variable,
                              tutti::onnx::ConstantOp::create(import.builder, location, content));
    }
    function.finish();
    return success();
  }

  LogicalResult buildForward() {
    FunctionBuilder function("forward", import.module, import.builder);
    GraphImporter importer(file, import.tensors, import.builder);
    importer.declareTypes(graph);
    TensorScope &scope = importer.scope();
    for (const proto::TensorProto *tensor : names.initializers())
      scope.defineConstant(*tensor);
    for (const Variable &variable : variables)
      scope.define(variable.name(), function.addVariable(variable, file.location(variable.name())));
    if (failed(import.addInputs(function, scope, names.inputs())) ||
        failed(importer.importNodes(nodes)))
      return failure();
    for (const proto::ValueInfoProto &output : graph.output()) {
      if (scope.isUnknown(output.name()))
        continue;
      Value value = scope.lookup(output.name(), file.location(output.name()));
      if (!value)
        return failure();
      function.returnOutput(output.name(), value);
    }
    function.finish();
    return success();
  }

  ProgramImport &import;
  const ModelFile &file;
  const proto::GraphProto &graph;
  GraphNames names;
  NodeList nodes;
  SmallVector<Variable> variables;
};

} // namespace

LogicalResult tutti::frontend::importForwardProgram(ProgramImport &import) {
  return ForwardProgram(import).build();
}
