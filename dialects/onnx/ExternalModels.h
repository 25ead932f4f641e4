// SampleCountOpInterface for operators of ONNX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_EXTERNALMODELS_H
#define TUTTI_ONNX_EXTERNALMODELS_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace tutti::onnx {

/// Lets the dialect's operators say what they count. Called once, when the dialect is loaded.
void attachExternalModels(mlir::MLIRContext *context);

} // namespace tutti::onnx

#endif // TUTTI_ONNX_EXTERNALMODELS_H
