// Which random results are equal on every rank.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/Onnx.h"

using namespace tutti;
using namespace tutti::onnx;

// What is drawn for a sample depends on the sample's place in the global batch.
Uniformity DropoutOp::getResultUniformity(unsigned) {
  return keepsEverything(getRatio(), getTrainingMode()) ? Uniformity::AsOperands
                                                        : Uniformity::Varying;
}

Uniformity RandomNormalOp::getResultUniformity(unsigned) {
  return getSeed() ? Uniformity::Uniform : Uniformity::Varying;
}

Uniformity RandomUniformOp::getResultUniformity(unsigned) {
  return getSeed() ? Uniformity::Uniform : Uniformity::Varying;
}

// As dropout.
Uniformity RandomNormalLikeOp::getResultUniformity(unsigned) { return Uniformity::Varying; }
Uniformity RandomUniformLikeOp::getResultUniformity(unsigned) { return Uniformity::Varying; }

Uniformity BatchNormInternalOp::getResultUniformity(unsigned) { return Uniformity::AsOperands; }

// Statistics follow from X, or from those that are given; scale and bias come in after them.
bool BatchNormInternalOp::doesResultDependOn(unsigned index, unsigned operand) {
  if (getResult(index) == getY())
    return true;
  bool isX = operand == getXMutable().getOperandNumber();
  bool comesAfter = operand == getScaleMutable().getOperandNumber() ||
                    operand == getBMutable().getOperandNumber();
  return !comesAfter && !(isX && isSynchronized());
}
