// ONNX Runtime's on-device training as a training program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_ARTIFACTS_ARTIFACTPROGRAM_H
#define TUTTI_LIB_FRONTEND_ARTIFACTS_ARTIFACTPROGRAM_H

#include "lib/frontend/artifacts/ArtifactFiles.h"

#include "mlir/Support/LLVM.h"

namespace tutti::frontend {

struct ProgramImport;

/// A training model that accumulates gradients, with its optimizer model and its checkpoint:
/// @initialize returns the checkpoint's parameters and states of the optimizer, @step is one step
/// on one batch. Without an optimizer model it is @forward, as of an inference model. Without a
/// checkpoint, parameters have the values that the model was given by name, if it `hasValues`, or
/// none. Fails after a diagnostic.
mlir::LogicalResult importArtifactProgram(ProgramImport &import, const ArtifactFiles &files,
                                          bool hasValues);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_ARTIFACTS_ARTIFACTPROGRAM_H
