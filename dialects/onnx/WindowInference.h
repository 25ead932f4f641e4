// How the window attributes of convolutions and pools are resolved and checked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_WINDOWINFERENCE_H
#define TUTTI_ONNX_WINDOWINFERENCE_H

#include "dialects/onnx/Inference.h"

namespace tutti::onnx {

/// The attributes as they stand on an operation.
struct WindowAttributes {
  llvm::StringRef autoPad;
  llvm::ArrayRef<int64_t> kernel;
  std::optional<llvm::ArrayRef<int64_t>> pads = std::nullopt;
  std::optional<llvm::ArrayRef<int64_t>> strides = std::nullopt;
  std::optional<llvm::ArrayRef<int64_t>> dilations = std::nullopt;
  bool ceilMode = false;
};

/// Resolves the attributes for an input with the given spatial dimensions; checks conv_c3, conv_c5.
mlir::FailureOr<Window> resolveWindow(const Inference &infer, const WindowAttributes &attributes,
                                      llvm::ArrayRef<int64_t> spatial);

/// The number of positions of the window in each dimension; checks conv_c6.
mlir::FailureOr<Shape> slideWindow(const Inference &infer, const Window &window,
                                   llvm::ArrayRef<int64_t> spatial, bool ceilMode);

} // namespace tutti::onnx

#endif // TUTTI_ONNX_WINDOWINFERENCE_H
