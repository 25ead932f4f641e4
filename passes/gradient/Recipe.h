// A training recipe: what turns a model into a training step, as text and as checked values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_RECIPE_H
#define TUTTI_PASSES_GRADIENT_RECIPE_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/MapVector.h"

#include <optional>
#include <string>

namespace tutti::gradient {

/// The keys that were given and their values.
using RecipeText = llvm::MapVector<llvm::StringRef, std::string>;

/// Values have PyTorch's meaning and defaults.
struct Recipe {
  enum class Loss { SoftmaxCrossEntropy, Output };
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

  /// Fails with a diagnostic from `emitError` for values that are not known or out of range, and
  /// for keys that the optimizer does not have.
  static mlir::FailureOr<Recipe> parse(const RecipeText &text,
                                       llvm::function_ref<mlir::InFlightDiagnostic()> emitError);
};

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_RECIPE_H
