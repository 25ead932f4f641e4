// Tensors of a sequence, step by step, and a loop over the steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_CONVERSION_ONNX_STEPTENSORS_H
#define TUTTI_PASSES_CONVERSION_ONNX_STEPTENSORS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tutti::conversion {

/// Short names for what the loops of a layer are written with: operations at the builder's point,
/// on tensors of static shape.
struct StepTensors {
  mlir::ImplicitLocOpBuilder &b;

  mlir::Value zeros(mlir::Type type);
  /// Not written yet.
  mlir::Value empty(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// A null value is zero; one of them is not null.
  mlir::Value add(mlir::Value x, mlir::Value y);
  /// `condition ? x : y`.
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> order);
  /// Entries [begin, end) along `axis`.
  mlir::Value slice(mlir::Value value, int64_t axis, int64_t begin, int64_t end);
  /// Entry `index` along `axis`, which goes.
  mlir::Value entry(mlir::Value value, int64_t axis, int64_t index);
  /// Side by side along a new dimension.
  mlir::Value stack(llvm::ArrayRef<mlir::Value> values, int64_t axis);
  mlir::Value join(llvm::ArrayRef<mlir::Value> values, int64_t axis);
  /// As many equal parts along the last dimension.
  llvm::SmallVector<mlir::Value> split(mlir::Value value, int64_t parts);
  /// A matrix of all dimensions but the last one.
  mlir::Value rows(mlir::Value value);
  mlir::Value sumOfRows(mlir::Value matrix);

  /// Entry `step` of the first dimension, which goes.
  mlir::Value read(mlir::Value whole, mlir::Value step);
  /// `whole` with that entry replaced.
  mlir::Value write(mlir::Value part, mlir::Value whole, mlir::Value step);
};

/// The values that a loop carries, in their order.
using Carried = llvm::SmallVector<mlir::Value>;

/// A loop over `steps`, in order or, with `backwards`, the last one first. The body gets the number
/// of the step and what is carried, and gives what is carried on, or a failure after a diagnostic.
/// Gives what the last step carries on.
mlir::FailureOr<Carried> createLoop(
    mlir::ImplicitLocOpBuilder &b, int64_t steps, bool backwards, const Carried &initial,
    llvm::function_ref<mlir::FailureOr<Carried>(mlir::Value step, mlir::ValueRange carried)> body);

} // namespace tutti::conversion

#endif // TUTTI_PASSES_CONVERSION_ONNX_STEPTENSORS_H
