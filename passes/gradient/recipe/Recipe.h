// A training recipe: what turns a model into a training step, as text and as checked values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_RECIPE_RECIPE_H
#define TUTTI_PASSES_GRADIENT_RECIPE_RECIPE_H

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

/// How the learning rate changes from step to step. Before the schedule begins, `warmupSteps` steps
/// lead up to the learning rate.
struct Schedule {
  enum class Kind { Constant, Linear, Cosine, Step, Table };

  Kind kind = Kind::Constant;
  int64_t warmupSteps = 0;
  std::optional<int64_t> totalSteps; ///< when linear and cosine end
  std::optional<int64_t> stepSize;   ///< of kind step
  double gamma = 0.1;                ///< of kind step
  std::string file;                  ///< of kind table
  /// From which step on there is which rate, ascending; of kind table.
  llvm::SmallVector<std::pair<int64_t, double>> table;

  bool isConstant() const { return kind == Kind::Constant && warmupSteps == 0; }
};

/// Values have PyTorch's meaning and defaults. `keys` says what each field is for.
struct Recipe {
  enum class Loss {
    SoftmaxCrossEntropy,
    NegativeLogLikelihood,
    BinaryCrossEntropy,
    MeanSquaredError,
    MeanAbsoluteError,
    Huber,
    Divergence,
    Hinge,
    Cosine,
    TripletMargin,
    Output
  };
  enum class Optimizer {
    Sgd,
    Momentum,
    Adagrad,
    RowwiseAdagrad,
    Rmsprop,
    Adam,
    AdamW,
    NAdam,
    Lamb,
    Lion
  };

  enum class Compute { F32, BF16, F16 };

  /// In `trainable`: what is trainable without it.
  static constexpr llvm::StringLiteral trainableByDefault = "default";

  Loss loss = Loss::SoftmaxCrossEntropy;
  std::string lossOutput; ///< the output that is the loss; empty: the only one that can be
  double labelSmoothing = 0;
  bool areClassesLast = false; ///< scores are [batch, ..., classes]
  llvm::SmallVector<double> classWeights;
  std::optional<int64_t> ignoredLabel;
  double delta = 1;  ///< of loss huber
  double margin = 1; ///< of losses hinge and triplet-margin
  Optimizer optimizer = Optimizer::Sgd;
  std::optional<int64_t> globalBatch;
  double learningRate = 1e-3;
  double weightDecay = 0;
  double momentum = 0;
  double dampening = 0;
  bool nesterov = false;
  double alpha = 0.99; ///< of optimizer rmsprop
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double learningRateDecay = 0;
  double momentumDecay = 4e-3; ///< of optimizer nadam
  Compute compute = Compute::F32;
  llvm::SmallVector<std::string> narrowOperators; ///< that `compute` is for; empty: the default
  llvm::SmallVector<std::string> wideNodes;       ///< globs over the names of others
  std::optional<LossScale> lossScale;
  std::optional<int64_t> lossScaleGrowthInterval; ///< goes into `lossScale`
  std::optional<double> clipNorm;                 ///< the largest norm of all gradients together
  bool reportsNorm = false;                       ///< that norm is a metric
  std::optional<double> averageDecay;             ///< of the means of variables that evaluate
  Schedule schedule;
  /// Globs over the names of variables: those that are trained; that stay as they are; that do not
  /// decay; tables whose row of zeros is looked up by padding, and stays.
  llvm::SmallVector<std::string> trainable, frozen, noDecay, padding;
  /// Globs, and factors of the learning rate of what they match first.
  llvm::SmallVector<std::string> rateScaleGlobs;
  llvm::SmallVector<double> rateScales;

  /// Keys that somebody gave, even if they hold the default; `parse` fills it.
  llvm::SmallVector<std::string> given;

  /// A recipe with the defaults of PyTorch for this optimizer.
  static Recipe of(Optimizer optimizer);

  /// The word for a loss.
  static llvm::StringRef nameOf(Loss loss);

  /// The keys, bound to the fields of this object.
  options::KeyTable keys();

  /// The keys that fit any program, with @step or without.
  static llvm::ArrayRef<llvm::StringRef> keysOfAnyStep();

  /// The keys that do not hold the default of the optimizer.
  llvm::SmallVector<options::GivenKey> changes() const;

  /// The recipe as keys: those that differ from the defaults of the optimizer, and those that were
  /// given. Complains about what no key can say, and about what `parse` would complain about.
  llvm::FailureOr<llvm::SmallVector<options::GivenKey>> spell(options::Complain complain) const;

  /// Complains about values that are not known or out of range, and about keys that the optimizer
  /// does not have. A key with an empty value counts as not given.
  static llvm::FailureOr<Recipe> parse(llvm::ArrayRef<options::GivenKey> given,
                                       options::Complain complain);
  static llvm::FailureOr<Recipe> parse(llvm::StringRef text, options::Complain complain);
};

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_RECIPE_RECIPE_H
