// Inference models.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/ConstantWeights.h"
#include "lib/frontend/model/ElementTypes.h"
#include "lib/frontend/model/values/SampleAxes.h"
#include "lib/frontend/training/ModelVariables.h"

#include "dialects/onnx/Onnx.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::frontend;

/// `value` with its dimension `from` at the place `to`.
static Value moveDimension(OpBuilder &builder, Location location, Value value, int64_t from,
                           int64_t to) {
  if (from == to)
    return value;
  auto order =
      llvm::to_vector(llvm::seq<int64_t>(0, cast<RankedTensorType>(value.getType()).getRank()));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return tutti::onnx::TransposeOp::create(builder, location, value,
                                          builder.getDenseI64ArrayAttr(order));
}

LogicalResult ProgramImport::addInputs(FunctionBuilder &function, TensorScope &scope,
                                       ArrayRef<const proto::ValueInfoProto *> inputs) {
  SampleAxes axes(file.model().graph());
  for (const proto::ValueInfoProto *input : inputs) {
    Location location = file.location(input->name());
    RankedTensorType type = readTensorType(*input, "input", location);
    if (!type && file.survey()) {
      scope.defineUnknown(input->name());
      continue;
    }
    if (!type)
      return failure();
    int64_t samples = axes.of(*input);
    SmallVector<int64_t> shape(type.getShape());
    std::rotate(shape.begin(), shape.begin() + samples,
                shape.begin() + std::min<int64_t>(samples + 1, shape.size()));
    Value rows = function.addInput(input->name(), type.clone(shape), location);
    scope.define(input->name(), moveDimension(builder, location, rows, 0, samples));
  }
  return success();
}

LogicalResult ProgramImport::returnOutputs(FunctionBuilder &function, TensorScope &scope,
                                           ArrayRef<StringRef> outputs) {
  SampleAxes axes(file.model().graph());
  llvm::StringMap<int64_t> samplesOf;
  for (const proto::ValueInfoProto &declared : file.model().graph().output())
    if (axes.turnsInputs())
      samplesOf[declared.name()] = axes.of(declared);
  for (StringRef output : outputs) {
    if (scope.isUnknown(output))
      continue;
    Value value = scope.lookup(output, file.location(output));
    if (!value)
      return failure();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    int64_t samples = samplesOf.lookup(output);
    if (type && samples < type.getRank())
      value = moveDimension(builder, file.location(output), value, samples, 0);
    function.returnOutput(output, value);
  }
  return success();
}

bool tutti::frontend::isYield(const proto::NodeProto &node) {
  return node.op_type() == "YieldOp" && canonicalDomain(node.domain()) == "com.microsoft";
}

namespace {

class ForwardProgram {
public:
  explicit ForwardProgram(ProgramImport &import)
      : import(import), file(import.file), graph(file.model().graph()), names(file) {}

  LogicalResult build() {
    if (failed(findOutputs()) || failed(names.add(graph)) || failed(sortNodesOfGraph()) ||
        failed(findVariables()))
      return failure();
    return failure(failed(buildInitialize()) || failed(buildForward()));
  }

private:
  /// Those of the graph; where ORTModule of ONNX Runtime hands outputs to the host (YieldOp), to
  /// get their gradients from it, these: what comes after is a backward part, which is made anew.
  LogicalResult findOutputs() {
    const proto::NodeProto *yield = nullptr;
    for (const proto::NodeProto &node : graph.node()) {
      if (!isYield(node))
        continue;
      if (yield)
        return emitError(file.location(node))
               << describe(node) << ": " << describe(*yield)
               << " hands outputs to the host, too; there is one such node between the forward "
                  "and the backward part of a graph";
      yield = &node;
    }
    if (yield)
      outputs.append(yield->input().begin(), yield->input().end());
    else
      for (const proto::ValueInfoProto &output : graph.output())
        outputs.push_back(output.name());
    if (outputs.empty())
      return emitError(file.location()) << "the graph has no outputs";
    return success();
  }

  LogicalResult sortNodesOfGraph() {
    NodeList all;
    for (const proto::NodeProto &node : graph.node())
      all.push_back(&node);
    FailureOr<NodeList> sorted = sortNodes(all, names.all(), file);
    if (failed(sorted))
      return failure();
    nodes = keepNeeded(*sorted, outputs);
    return success();
  }

  LogicalResult findVariables() {
    FailureOr<SmallVector<Variable>> found = findModelVariables(import, nodes, names);
    if (failed(found))
      return failure();
    variables = std::move(*found);
    warnOfConstantWeights(nodes, file);
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
    if (failed(import.addInputs(function, scope, names.inputs())))
      return failure();
    importer.declareSizes(graph);
    if (failed(importer.importNodes(nodes)) ||
        failed(import.returnOutputs(function, scope, outputs)))
      return failure();
    function.finish();
    return success();
  }

  ProgramImport &import;
  const ModelFile &file;
  const proto::GraphProto &graph;
  GraphNames names;
  NodeList nodes;
  SmallVector<StringRef> outputs;
  SmallVector<Variable> variables;
};

} // namespace

LogicalResult tutti::frontend::importForwardProgram(ProgramImport &import) {
  return ForwardProgram(import).build();
}
