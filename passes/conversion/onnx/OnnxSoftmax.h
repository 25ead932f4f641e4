// The log-softmax that the cross entropy loss shares.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_CONVERSION_ONNX_ONNXSOFTMAX_H
#define TUTTI_PASSES_CONVERSION_ONNX_ONNXSOFTMAX_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tutti::conversion {

/// input - log(sum(e ^ input)) along `axis`, without overflow: the maximum is taken off first.
mlir::Value createLogSoftmax(mlir::ImplicitLocOpBuilder &builder, mlir::Value input, int64_t axis);

} // namespace tutti::conversion

#endif // TUTTI_PASSES_CONVERSION_ONNX_ONNXSOFTMAX_H
