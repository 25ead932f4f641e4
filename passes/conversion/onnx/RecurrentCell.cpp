// The equations of RNN, GRU and LSTM.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/conversion/onnx/RecurrentCell.h"

#include "dialects/onnx/inference/Inference.h"

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::onnx;

Value tutti::conversion::multiply(ImplicitLocOpBuilder &builder, Value x, Value y, Value added,
                                  Transposed transposed) {
  return GemmOp::create(builder, x, y, added, APFloat(1.0f), APFloat(1.0f),
                        transposed == Transposed::First, transposed == Transposed::Second);
}

CellState RecurrentCell::step(const CellInputs &in) {
  switch (layer.kind) {
  case Recurrence::Kind::RNN:
    return {activate(0, add(in.x[0], in.u[0])), nullptr};
  case Recurrence::Kind::GRU:
    return gru(in);
  case Recurrence::Kind::LSTM:
    return lstm(in);
  }
  llvm_unreachable("a kind of layer");
}

CellState RecurrentCell::gru(const CellInputs &in) {
  Value z = activate(0, add(in.x[0], in.u[0]));
  Value r = activate(0, add(in.x[1], in.u[1]));
  Value inner = in.resetR ? multiply(b, mul(r, in.h), in.resetR, in.resetB, Transposed::Second)
                          : mul(r, in.u[2]);
  Value n = activate(1, add(in.x[2], inner));
  return {add(n, mul(z, sub(in.h, n))), nullptr};
}

CellState RecurrentCell::lstm(const CellInputs &in) {
  auto gate = [&](unsigned number, unsigned peephole, Value memory) {
    Value sum = add(in.x[number], in.u[number]);
    return activate(0, in.p.empty() ? sum : add(sum, mul(in.p[peephole], memory)));
  };
  Value i = gate(0, 0, in.c);
  Value f = layer.inputForget ? sub(scalar(1, i), i) : gate(2, 2, in.c);
  Value candidate = activate(1, add(in.x[3], in.u[3]));
  Value c = add(mul(f, in.c), mul(i, candidate));
  Value o = gate(1, 1, c);
  return {mul(o, activate(2, c)), c};
}

Value RecurrentCell::scalar(double value, Value like) {
  auto element = cast<FloatType>(elementOf(like));
  return ConstantOp::create(b, DenseElementsAttr::get(RankedTensorType::get({}, element),
                                                      Attribute(FloatAttr::get(element, value))));
}

Value RecurrentCell::activate(unsigned number, Value value) {
  if (layer.clip)
    value = ClipOp::create(b, value, scalar(-*layer.clip, value), scalar(*layer.clip, value));
  return apply(activations[number], value);
}

Value RecurrentCell::apply(const Activation &activation, Value value) {
  using Function = Activation::Function;
  FloatAttr alpha = b.getF32FloatAttr(activation.alpha), beta = b.getF32FloatAttr(activation.beta);
  switch (activation.function) {
  case Function::Affine:
    return add(mul(scalar(activation.alpha, value), value), scalar(activation.beta, value));
  case Function::Elu:
    return EluOp::create(b, value, alpha);
  case Function::HardSigmoid:
    return HardSigmoidOp::create(b, value, alpha, beta);
  case Function::LeakyRelu:
    return LeakyReluOp::create(b, value, alpha);
  case Function::Relu:
    return ReluOp::create(b, value);
  case Function::ScaledTanh:
    return mul(scalar(activation.alpha, value),
               TanhOp::create(b, mul(scalar(activation.beta, value), value)));
  case Function::Sigmoid:
    return SigmoidOp::create(b, value);
  case Function::Softplus:
    return SoftplusOp::create(b, value);
  case Function::Softsign:
    return SoftsignOp::create(b, value);
  case Function::Tanh:
    return TanhOp::create(b, value);
  case Function::ThresholdedRelu:
    return ThresholdedReluOp::create(b, value, alpha);
  }
  llvm_unreachable("an activation");
}
