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

static bool hasShape(const proto::ValueInfoProto &value) {
  return value.type().has_tensor_type() && value.type().tensor_type().has_shape();
}

bool tutti::frontend::isAccumulator(const proto::NodeProto &node) {
  return node.op_type() == "InPlaceAccumulatorV2" &&
         canonicalDomain(node.domain()) == "com.microsoft";
}

/// Of a buffer, whose gradient is accumulated in it; none if it is not called so.
static std::optional<StringRef> parameterOf(StringRef buffer) {
  return buffer.consume_back(kBuffer) ? std::optional(buffer) : std::nullopt;
}

static bool isFloatOfKnownSizes(const proto::ValueInfoProto &value) {
  const proto::TypeProto::Tensor &type = value.type().tensor_type();
  auto isKnown = [](const proto::TensorShapeProto::Dimension &size) {
    return size.has_dim_value() && size.dim_value() >= 0;
  };
  bool isFloat = llvm::is_contained({proto::TensorProto::FLOAT, proto::TensorProto::DOUBLE,
                                     proto::TensorProto::FLOAT16, proto::TensorProto::BFLOAT16},
                                    type.elem_type());
  return isFloat && hasShape(value) && llvm::all_of(type.shape().dim(), isKnown);
}

std::unique_ptr<CheckpointFile> tutti::frontend::withoutCheckpoint(const ModelFile &file) {
  llvm::StringSet<> trained, ofAccumulation;
  for (const proto::NodeProto &node : file.model().graph().node()) {
    if (!isAccumulator(node))
      continue;
    ofAccumulation.insert(node.input().begin(), node.input().end());
    if (node.input_size() == 0)
      continue;
    if (std::optional<StringRef> name = parameterOf(node.input(0)))
      trained.insert(*name);
  }
  std::vector<CheckpointTensor> parameters;
  for (const proto::ValueInfoProto &input : file.model().graph().input()) {
    StringRef name = input.name();
    bool isTrained = trained.contains(name);
    bool isFrozen = !parameters.empty() && !isTrained && !ofAccumulation.contains(name) &&
                    isFloatOfKnownSizes(input);
    if (isTrained || isFrozen)
      parameters.push_back({name, input.type().tensor_type().elem_type(), {}, {}, isTrained});
  }
  return CheckpointFile::absent(std::move(parameters));
}

LogicalResult ArtifactGraph::addAccumulator(const proto::NodeProto &node) {
  auto refuse = [&] { return emitError(file.location(node)) << describe(node) << ": "; };
  if (node.input_size() < 2)
    return refuse() << "it has " << node.input_size()
                    << " inputs; its operator has a buffer, a gradient, and perhaps a flag";
  std::optional<StringRef> owner = parameterOf(node.input(0));
  if (!owner)
    return refuse() << "its buffer '" << node.input(0) << "' must be called PARAMETER" << kBuffer
                    << ", which says whose gradient it is";
  StringRef parameter = *owner;
  const CheckpointTensor *initial = checkpoint.parameter(parameter);
  if (!initial)
    return refuse() << "it accumulates the gradient of '" << parameter
                    << (checkpoint.isAbsent()
                            ? "', which is no input of the graph; its parameters are "
                            : "', which is none of the checkpoint's parameters; these are ")
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

LogicalResult ArtifactGraph::sortNodesOfGraph(bool forOutputsAlone) {
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
    if (!parameter.gradient.empty() && !forOutputsAlone)
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

LogicalResult ArtifactGraph::read(bool forOutputsAlone) {
  const proto::GraphProto &graph = file.model().graph();
  if (failed(names.add(graph)))
    return failure();
  for (const proto::NodeProto &node : graph.node())
    if (isAccumulator(node) && failed(addAccumulator(node)))
      return failure();
  for (const proto::ValueInfoProto &input : graph.input()) {
    StringRef name = input.name();
    const CheckpointTensor *tensor = checkpoint.parameter(name);
    bool isConstant = !tensor && names.initializer(name);
    if (ofAccumulation.contains(name) || isConstant)
      continue;
    if (!tensor)
      dataInputs.push_back(&input);
    else if (failed(addParameter(input, *tensor)))
      return failure();
  }
  for (const proto::TensorProto *tensor : names.initializers())
    if (!checkpoint.parameter(tensor->name()))
      ownConstants.push_back(tensor);
  for (const proto::ValueInfoProto &output : graph.output())
    if (!ofAccumulation.contains(output.name()))
      wantedOutputs.push_back(output.name());
  if (failed(checkParameters()) || failed(sortNodesOfGraph(forOutputsAlone)))
    return failure();
  declareSizesOfData();
  return success();
}
