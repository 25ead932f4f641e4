// Where the samples of a graph's inputs and outputs lie.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_VALUES_SAMPLEAXES_H
#define TUTTI_LIB_FRONTEND_MODEL_VALUES_SAMPLEAXES_H

#include "lib/frontend/model/ModelFile.h"

#include "llvm/ADT/StringMap.h"

namespace tutti::frontend {

/// Models of sequences may have the steps in front of the samples: `[time, batch, features]`. Names
/// of dimensions say so: that of the batch, which other tensors begin with, or which says "batch".
class SampleAxes {
public:
  explicit SampleAxes(const proto::GraphProto &graph);

  /// The dimension of the samples of an input or an output: the first one, unless another has the
  /// name of the batch and the first has not.
  int64_t of(const proto::ValueInfoProto &value) const;
  /// Whether an input has its samples elsewhere than first: its graph's outputs may, too.
  bool turnsInputs() const { return turns; }
  /// Whether an open dimension is the samples of one of the inputs.
  bool isBatch(const proto::TensorShapeProto::Dimension &dimension) const;

private:
  bool isOfBatch(const proto::TensorShapeProto::Dimension &dimension, int64_t axis) const;

  llvm::StringMap<unsigned> leading;  ///< names of first dimensions, and how many have them
  llvm::StringMap<unsigned> ofInputs; ///< names of the samples of inputs
  bool turns = false;
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_VALUES_SAMPLEAXES_H
