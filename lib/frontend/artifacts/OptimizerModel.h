// The optimizer graph of ONNX Runtime's on-device training: one optimizer for all parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_ARTIFACTS_OPTIMIZERMODEL_H
#define TUTTI_LIB_FRONTEND_ARTIFACTS_OPTIMIZERMODEL_H

#include "lib/frontend/model/AttributeReader.h"

#include <optional>

namespace tutti::frontend {

/// How every parameter is updated: what the nodes of the graph say.
struct OptimizerModel {
  /// Reads the file `path`, whose graph is AdamWOptimizer or SGDOptimizerV2 on sequences, perhaps
  /// after InplaceClipGradNorm. Failure after a diagnostic; `location` is that of the training
  /// model.
  static mlir::FailureOr<OptimizerModel> open(llvm::StringRef path, mlir::Location location);

  enum class Kind { Sgd, AdamW };

  Kind kind;
  mlir::Location location;           ///< of the optimizer's node
  std::optional<float> largestNorm;  ///< that gradients together are clipped to
  float alpha = 0.9f, beta = 0.999f; ///< these and the following are AdamW's
  float epsilon = 1e-8f, weightDecay = 1e-2f;
  bool correctsBias = true;
  /// Mode 1: epsilon stands outside of the bias correction, and the decay comes last.
  bool isHuggingFaces = false;

  /// How many moments it keeps of a parameter.
  unsigned moments() const { return kind == Kind::AdamW ? 2 : 0; }
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_ARTIFACTS_OPTIMIZERMODEL_H
