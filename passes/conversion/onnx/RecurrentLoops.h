// The loops of one recurrent layer: forward over the steps, and backward for its gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_CONVERSION_ONNX_RECURRENTLOOPS_H
#define TUTTI_PASSES_CONVERSION_ONNX_RECURRENTLOOPS_H

#include "passes/conversion/onnx/RecurrentCell.h"
#include "passes/conversion/onnx/StepTensors.h"

namespace tutti::conversion {

/// Writes loops at the builder's point. Shapes are static. Within, the steps are the first
/// dimension of a sequence, and the batch the second, whatever the layout of the layer is.
///
/// Products with W are taken of all steps at once, before or after the loops, as are those of
/// gradients with the states; only h R^T is one of a step. The backward loop computes each step
/// again from the state before it, and differentiates it (lib/program/ReverseMode).
class RecurrentLoops {
public:
  /// What the backward loop of one direction takes of the forward one. The states are those before
  /// each step, [steps, batch, hidden].
  struct DirectionTape {
    mlir::Value x; ///< X W^T + Wb: [steps, batch, gates * hidden]
    mlir::Value h, c;
  };
  using Tape = llvm::SmallVector<DirectionTape>;

  /// `op` is the layer or its gradient, which errors name.
  RecurrentLoops(mlir::ImplicitLocOpBuilder &builder, const onnx::Recurrence &layer,
                 mlir::Operation *op);

  void runForward(bool keepsTape);
  /// Y, Y_h and Y_c, in the layout of the layer.
  llvm::SmallVector<mlir::Value> results();
  bool hasTape() const { return !tape.empty(); }
  Tape takeTape() { return std::move(tape); }
  void setTape(const Tape &given) { tape = given; }

  /// From the gradients of the results, null where they are zero, those of X, W, R, B, the initial
  /// states and P. Needs the tape.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> runBackward(llvm::ArrayRef<mlir::Value> incoming);

private:
  /// What the steps of one direction multiply by, and begin with.
  struct Weights {
    mlir::Value w, wb;                ///< [gates * hidden, inputs], [gates * hidden]
    mlir::Value r, rb;                ///< of the gates to which the state is added first
    mlir::Value resetR, resetB;       ///< of the others
    llvm::SmallVector<mlir::Value> p; ///< peepholes
    CellState initial;                ///< [batch, hidden]
  };
  class Backward;

  bool isLstm() const { return layer.kind == onnx::Recurrence::Kind::LSTM; }
  Weights weightsOf(int64_t direction);
  RecurrentCell cellOf(int64_t direction);
  /// What a step takes of what X and h add to its gates, [batch, gates * hidden], and the state.
  CellInputs inputsOf(const Weights &weights, mlir::Value x, mlir::Value u, CellState state);
  /// h R^T + Rb of the gates to which the state is added first.
  mlir::Value addedBy(const Weights &weights, mlir::Value h);
  void runForward(int64_t direction, bool keepsTape);
  mlir::Value findActiveSteps();

  mlir::ImplicitLocOpBuilder &b;
  StepTensors tensors;
  onnx::Recurrence layer;
  mlir::Operation *op;
  llvm::SmallVector<onnx::Activation> activations;
  mlir::Value sequence; ///< X: [steps, batch, inputs]
  mlir::Value active;   ///< [steps, batch, 1]: before the end of the sequence; null without lengths
  int64_t steps, batch, inputs, hidden;
  mlir::Type element;
  Tape tape;
  llvm::SmallVector<mlir::Value> y, lastH, lastC; ///< for each direction
};

} // namespace tutti::conversion

#endif // TUTTI_PASSES_CONVERSION_ONNX_RECURRENTLOOPS_H
