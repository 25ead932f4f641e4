// Recurrent operators and their gradients, seen as one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_RECURRENT_H
#define TUTTI_ONNX_RECURRENT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace tutti::onnx {

/// An activation, and the numbers that it takes.
struct Activation {
  enum class Function {
    Affine,
    Elu,
    HardSigmoid,
    LeakyRelu,
    Relu,
    ScaledTanh,
    Sigmoid,
    Softplus,
    Softsign,
    Tanh,
    ThresholdedRelu
  };
  Function function;
  float alpha = 0, beta = 0;
};

/// What an RNN, a GRU or an LSTM, or the gradient of one, says of its layer. Operands that are not
/// there are null.
struct Recurrence {
  enum class Kind { RNN, GRU, LSTM };
  static constexpr int64_t peepholes = 3; ///< of an LSTM: those of i, o and f

  Kind kind;
  mlir::Value x, w, r, b, lengths, initialH, initialC, p;
  std::optional<mlir::ArrayAttr> activations;
  llvm::ArrayRef<float> alpha, beta;
  std::optional<float> clip;
  llvm::StringRef direction;
  std::optional<int64_t> hiddenSize;
  int64_t layout = 0;
  bool linearBeforeReset = false, inputForget = false;

  int64_t gates() const { return kind == Kind::LSTM ? 4 : kind == Kind::GRU ? 3 : 1; }
  int64_t directions() const { return direction == "bidirectional" ? 2 : 1; }
  /// Whether a direction begins with the last step.
  bool isReversed(int64_t number) const { return number == 1 || direction == "reverse"; }
  /// Activations of one direction.
  int64_t functions() const { return gates() - (kind == Kind::RNN ? 0 : 1); }
  bool isBatchFirst() const { return layout == 1; }

  /// Those of all directions, one after the other; none if they are not as onnx.RNN (C6) has them.
  std::optional<llvm::SmallVector<Activation>> readActivations() const;
};

namespace detail {
template <typename Op> auto initialCOf(Op op, int) -> decltype(op.getInitialC()) {
  return op.getInitialC();
}
template <typename Op> mlir::Value initialCOf(Op, long) { return {}; }
template <typename Op> auto peepholesOf(Op op, int) -> decltype(op.getP()) { return op.getP(); }
template <typename Op> mlir::Value peepholesOf(Op, long) { return {}; }
template <typename Op> auto resetOf(Op op, int) -> decltype(op.getLinearBeforeReset() != 0) {
  return op.getLinearBeforeReset() != 0;
}
template <typename Op> bool resetOf(Op, long) { return false; }
template <typename Op> auto forgetOf(Op op, int) -> decltype(op.getInputForget() != 0) {
  return op.getInputForget() != 0;
}
template <typename Op> bool forgetOf(Op, long) { return false; }
} // namespace detail

/// Reads one of the six operations, or what one is inferred from.
template <typename Op> Recurrence readRecurrence(Op op, Recurrence::Kind kind) {
  Recurrence layer;
  layer.kind = kind;
  layer.x = op.getX();
  layer.w = op.getW();
  layer.r = op.getR();
  layer.b = op.getB();
  layer.lengths = op.getSequenceLens();
  layer.initialH = op.getInitialH();
  layer.initialC = detail::initialCOf(op, 0);
  layer.p = detail::peepholesOf(op, 0);
  layer.activations = op.getActivations();
  layer.alpha = op.getActivationAlpha().value_or(llvm::ArrayRef<float>());
  layer.beta = op.getActivationBeta().value_or(llvm::ArrayRef<float>());
  if (auto clip = op.getClip())
    layer.clip = clip->convertToFloat();
  layer.direction = op.getDirection();
  if (auto size = op.getHiddenSize())
    layer.hiddenSize = *size;
  layer.layout = op.getLayout();
  layer.linearBeforeReset = detail::resetOf(op, 0);
  layer.inputForget = detail::forgetOf(op, 0);
  return layer;
}

/// The layer of an operation, or of the gradient of one; none of any other operation.
std::optional<Recurrence> findRecurrence(mlir::Operation *op);

} // namespace tutti::onnx

#endif // TUTTI_ONNX_RECURRENT_H
