// Names say which buffer belongs to which parameter, as in ONNX Runtime itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/artifacts/ArtifactGraph.h"

#include "lib/frontend/artifacts/InputSizes.h"
#include "lib/frontend/model/ElementTypes.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tutti::frontend;

static constexpr StringLiteral kBuffer = "_grad.accumulation.buffer";

bool tutti::frontend::isAccumulator(const proto::NodeProto &node) {
  return node.op_type() == "InPlaceAccumulatorV2" &&
         canonicalDomain(node.domain()) == "com.microsoft";
}

LogicalResult ArtifactGraph::addAccumulator(const proto::NodeProto &node) {
  auto refuse = [&] { return emitError(file.location(node)) << describe(node) << ": "; };
  if (node.input_size() < 2)
    return refuse() << "it has " << node.input_size()
                    << " inputs; its operator has a buffer, a gradient, and perhaps a flag";
  StringRef parameter = node.input(0);
  if (!parameter.consume_back(kBuffer))
    return refuse() << "its buffer '" << node.input(0) << "' must be called PARAMETER" << kBuffer
                    << ", which says whose gradient it is";
  const CheckpointTensor *initial = checkpoint.parameter(parameter);
  if (!initial)
    return refuse() << "it accumulates the gradient of '" << parameter
                    << "', which is none of the checkpoint's parameters; these are "
                    << namesOfParameters();
  if (!initial->isTrainable)
    return refuse() << "it accumulates the gradient of '" << parameter
                    << "', which the checkpoint has as a frozen parameter";
  if (!accumulatorOf.try_emplace(parameter, &node).second)
    return refuse() << "the gradient of '" << parameter << "' is accumulated twice";
  ofAccumulation.insert(node.input(0));
  if (node.input_size() > 2)
    ofAccumulation.insert(node.input(2));
  ofAccumulation.insert(node.output().begin(), node.output().end());
  return success();
}

std::string ArtifactGraph::namesOfParameters() const {
  constexpr size_t most = 5;
  SmallVector<StringRef> first;
  for (const CheckpointTensor &tensor : checkpoint.parameters().take_front(most))
    first.push_back(tensor.name);
  return llvm::join(first, ", ") + (checkpoint.parameters().size() > most ? ", ..." : "");
}

static bool hasShape(const proto::ValueInfoProto &value) {
  return value.type().has_tensor_type() && value.type().tensor_type().has_shape();
}

LogicalResult ArtifactGraph::addParameter(const proto::ValueInfoProto &input,
                                          const CheckpointTensor &tensor) {
  Location location = file.location(input.name());
  // A nominal checkpoint knows names only.
  bool isDeclared = hasShape(input) || checkpoint.isNominal();
  RankedTensorType declared =
      isDeclared ? readTensorType(input, "input", location) : RankedTensorType();
  if (isDeclared && !declared)
    return failure();
  RankedTensorType type =
      checkpoint.isNominal() ? declared : CheckpointFile::typeOf(tensor, location);
  if (!type)
    return failure();
  if (declared && declared != type)
    return emitError(location) << "parameter '" << input.name() << "' is " << declared
                               << " in the training model and " << type << " in the checkpoint";
  if (!type.hasStaticShape() || !isa<FloatType>(type.getElementType()))
    return emitError(location) << "parameter '" << input.name()
                               << "' must be a float tensor whose sizes are known, got " << type;
  const proto::NodeProto *accumulator = accumulatorOf.lookup(input.name());
  allParameters.push_back(
      {&tensor, type, accumulator ? accumulator->input(1) : std::string(), location});
  return success();
}

/// What the checkpoint trains must be trained by the graph.
LogicalResult ArtifactGraph::checkParameters() const {
  llvm::StringSet<> found;
  for (const ArtifactParameter &parameter : allParameters)
    found.insert(parameter.initial->name);
  for (const CheckpointTensor &tensor : checkpoint.parameters()) {
    if (!tensor.isTrainable)
      continue;
    if (!found.contains(tensor.name))
      return emitError(file.location()) << "the checkpoint's parameter '" << tensor.name
                                        << "' is no input of the training model; both must come "
                                           "from one call of generate_artifacts";
    if (!accumulatorOf.count(tensor.name))
      return emitError(file.location(tensor.name))
             << "the checkpoint's parameter '" << tensor.name
             << "' is trainable, but no InPlaceAccumulatorV2 has the buffer '" << tensor.name
             << kBuffer << "' for its gradient";
  }
  return success();
}

LogicalResult ArtifactGraph::sortNodesOfGraph() {
  const proto::GraphProto &graph = file.model().graph();
  NodeList all;
  for (const proto::NodeProto &node : graph.node())
    if (!isAccumulator(node))
      all.push_back(&node);
  FailureOr<NodeList> sorted = sortNodes(all, names.all(), file);
  if (failed(sorted))
    return failure();
  SmallVector<StringRef> wanted(wantedOutputs);
  for (const ArtifactParameter &parameter : allParameters)
    if (!parameter.gradient.empty())
      wanted.push_back(parameter.gradient);
  neededNodes = keepNeeded(*sorted, wanted);
  return success();
}

void ArtifactGraph::declareSizesOfData() {
  auto weightType = [&](StringRef name) {
    auto found = llvm::find_if(allParameters, [&](const ArtifactParameter &parameter) {
      return parameter.initial->name == name;
    });
    return found == allParameters.end() ? RankedTensorType() : found->type;
  };
  for (const proto::ValueInfoProto *&input : dataInputs) {
    ownInputs.push_back(*input);
    declareSizes(ownInputs.back(), neededNodes, weightType);
    input = &ownInputs.back();
  }
}

LogicalResult ArtifactGraph::read() {
  const proto::GraphProto &graph = file.model().graph();
  if (failed(names.add(graph)))
    return failure();
  for (const proto::NodeProto &node : graph.node())
    if (isAccumulator(node) && failed(addAccumulator(node)))
      return failure();
  for (const proto::ValueInfoProto *input : names.inputs()) {
    if (ofAccumulation.contains(input->name()))
      continue;
    const CheckpointTensor *tensor = checkpoint.parameter(input->name());
    if (!tensor)
      dataInputs.push_back(input);
    else if (failed(addParameter(*input, *tensor)))
      return failure();
  }
  for (const proto::ValueInfoProto &output : graph.output())
    if (!ofAccumulation.contains(output.name()))
      wantedOutputs.push_back(output.name());
  if (failed(checkParameters()) || failed(sortNodesOfGraph()))
    return failure();
  declareSizesOfData();
  return success();
}
