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
