// What one step of a recurrent layer computes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_CONVERSION_ONNX_RECURRENTCELL_H
#define TUTTI_PASSES_CONVERSION_ONNX_RECURRENTCELL_H

#include "dialects/onnx/Onnx.h"
#include "dialects/onnx/Recurrent.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tutti::conversion {

enum class Transposed { None, First, Second };
/// The product of two matrices, one of which may be transposed, and `added`, if it is not null.
mlir::Value multiply(mlir::ImplicitLocOpBuilder &builder, mlir::Value x, mlir::Value y,
                     mlir::Value added, Transposed transposed);

/// What a step takes, besides the weights that its gates share with all steps. All are [batch,
/// hidden], but for peepholes.
struct CellInputs {
  llvm::SmallVector<mlir::Value> x; ///< what the sequence adds to each gate: X W^T + Wb
  llvm::SmallVector<mlir::Value> u; ///< what the state adds to each gate: h R^T + Rb
  mlir::Value h, c;                 ///< the state before; an LSTM has both
  llvm::SmallVector<mlir::Value> p; ///< peepholes of i, o and f, [hidden]; empty if there are none
  mlir::Value resetR, resetB;       ///< R and Rb of a GRU that resets before it multiplies
};

/// The state after a step.
struct CellState {
  mlir::Value h, c;
};

/// Writes the steps of one direction of a layer, as operations of the onnx dialect that know their
/// gradients.
class RecurrentCell {
public:
  RecurrentCell(mlir::ImplicitLocOpBuilder &builder, const onnx::Recurrence &layer,
                llvm::ArrayRef<onnx::Activation> activations)
      : b(builder), layer(layer), activations(activations) {}

  CellState step(const CellInputs &in);

  /// Gates to which the state adds h R^T + Rb before anything else: all, or all but the last one.
  static int64_t linearGates(const onnx::Recurrence &layer) {
    return layer.gates() - (resetsFirst(layer) ? 1 : 0);
  }
  static bool resetsFirst(const onnx::Recurrence &layer) {
    return layer.kind == onnx::Recurrence::Kind::GRU && !layer.linearBeforeReset;
  }

private:
  CellState gru(const CellInputs &in);
  CellState lstm(const CellInputs &in);
  /// Activation `number`, of what is brought into the bounds before.
  mlir::Value activate(unsigned number, mlir::Value value);
  mlir::Value apply(const onnx::Activation &activation, mlir::Value value);
  mlir::Value scalar(double value, mlir::Value like);
  mlir::Value add(mlir::Value x, mlir::Value y) { return onnx::AddOp::create(b, x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return onnx::SubOp::create(b, x, y); }
  mlir::Value mul(mlir::Value x, mlir::Value y) { return onnx::MulOp::create(b, x, y); }

  mlir::ImplicitLocOpBuilder &b;
  const onnx::Recurrence &layer;
  llvm::ArrayRef<onnx::Activation> activations;
};

} // namespace tutti::conversion

#endif // TUTTI_PASSES_CONVERSION_ONNX_RECURRENTCELL_H
