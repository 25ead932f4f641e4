// A training recipe: what turns a model into a training step, as text and as checked values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_RECIPE_H
#define TUTTI_PASSES_GRADIENT_RECIPE_H

#include "lib/options/KeyTable.h"

namespace tutti::gradient {

/// What the loss is multiplied by so that small gradients keep their bits in a narrow type. A
/// dynamic scale starts at `value`, halves after a step that overflowed, and doubles after
/// `growthInterval` steps that did not.
struct LossScale {
  bool isDynamic = false;
  double value = 65536;
  int64_t growthInterval = 2000;
};

/// Values have PyTorch's meaning and defaults. `keys` says what each field is for.
struct Recipe {
  enum class Loss { SoftmaxCrossEntropy, MeanSquaredError, Output };
  enum class Optimizer { Sgd, Momentum, Adagrad, Adam, AdamW };

  Loss loss = Loss::SoftmaxCrossEntropy;
  Optimizer optimizer = Optimizer::Sgd;
  std::optional<int64_t> globalBatch;
  double learningRate = 1e-3;
  double weightDecay = 0;
  double momentum = 0;
  double dampening = 0;
  bool nesterov = false;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double learningRateDecay = 0;
  std::optional<LossScale> lossScale;
  std::optional<int64_t> lossScaleGrowthInterval; ///< goes into `lossScale`
  std::optional<double> clipNorm;                 ///< the largest norm of all gradients together
  llvm::SmallVector<std::string> frozen;          ///< names of variables that stay as they are

  /// The keys, bound to the fields of this object.
  options::KeyTable keys();

  /// The keys that fit any program, with @step or without.
  static llvm::ArrayRef<llvm::StringRef> keysOfAnyStep();

  /// Complains about values that are not known or out of range, and about keys that the optimizer
  /// does not have. A key with an empty value counts as not given.
  static llvm::FailureOr<Recipe> parse(llvm::ArrayRef<options::GivenKey> given,
                                       options::Complain complain);
  static llvm::FailureOr<Recipe> parse(llvm::StringRef text, options::Complain complain);
};

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_RECIPE_H
