// The training graph of ONNX Runtime's on-device training, sorted by what its inputs and outputs
// are for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_ARTIFACTS_ARTIFACTGRAPH_H
#define TUTTI_LIB_FRONTEND_ARTIFACTS_ARTIFACTGRAPH_H

#include "lib/frontend/artifacts/CheckpointFile.h"
#include "lib/frontend/graph/GraphNames.h"
#include "lib/frontend/graph/NodeOrder.h"

#include <deque>

namespace tutti::frontend {

/// Whether the node is InPlaceAccumulatorV2, which tells a training graph from others.
bool isAccumulator(const proto::NodeProto &node);

/// A parameter of the model: an input of the graph whose value the checkpoint has.
struct ArtifactParameter {
  const CheckpointTensor *initial;
  mlir::RankedTensorType type;
  std::string gradient; ///< the tensor that is accumulated; empty if the parameter is frozen
  mlir::Location location;
};

/// What stands for the checkpoint of a training model that has none: the names of its parameters.
/// Those are trained whose gradient is accumulated; frozen are the float inputs of known sizes that
/// come after the first of them, for ONNX Runtime writes samples and labels first.
std::unique_ptr<CheckpointFile> withoutCheckpoint(const ModelFile &file);

/// The graph computes outputs and gradients from parameters and data. Buffers in which gradients
/// are accumulated, the flag that clears them, and the flags that say it was done are no part of a
/// step: they are left out.
class ArtifactGraph {
public:
  ArtifactGraph(const ModelFile &file, const CheckpointFile &checkpoint)
      : names(file), file(file), checkpoint(checkpoint) {}

  /// Fails after a diagnostic where graph and checkpoint do not fit each other. Of a graph that is
  /// read `forOutputsAlone`, the nodes that only gradients need are left out.
  mlir::LogicalResult read(bool forOutputsAlone);

  /// In the order of the graph's inputs.
  llvm::ArrayRef<ArtifactParameter> parameters() const { return allParameters; }
  /// Samples and labels, with the sizes that the parameters demand.
  llvm::ArrayRef<const proto::ValueInfoProto *> data() const { return dataInputs; }
  llvm::ArrayRef<llvm::StringRef> outputs() const { return wantedOutputs; }
  llvm::ArrayRef<const proto::TensorProto *> constants() const { return ownConstants; }
  /// The value of a parameter that somebody gave by name; null if nobody did.
  const proto::TensorProto *givenValue(llvm::StringRef parameter) const {
    return names.initializer(parameter);
  }
  /// What outputs and gradients need, sorted.
  const NodeList &nodes() const { return neededNodes; }

private:
  mlir::LogicalResult addAccumulator(const proto::NodeProto &node);
  mlir::LogicalResult addParameter(const proto::ValueInfoProto &input,
                                   const CheckpointTensor &tensor);
  mlir::LogicalResult checkParameters() const;
  mlir::LogicalResult sortNodesOfGraph(bool forOutputsAlone);
  void declareSizesOfData();
  std::string namesOfParameters() const;

  GraphNames names;
  const ModelFile &file;
  const CheckpointFile &checkpoint;
  std::vector<ArtifactParameter> allParameters;
  llvm::SmallVector<const proto::ValueInfoProto *> dataInputs;
  std::deque<proto::ValueInfoProto> ownInputs;
  llvm::SmallVector<llvm::StringRef> wantedOutputs;
  llvm::SmallVector<const proto::TensorProto *> ownConstants;
  NodeList neededNodes;
  llvm::StringMap<const proto::NodeProto *> accumulatorOf; ///< of a parameter
  llvm::StringSet<> ofAccumulation;                        ///< buffers and flags
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_ARTIFACTS_ARTIFACTGRAPH_H
