// Checks a recipe.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/Recipe.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace tutti::gradient;

namespace {

/// A range of numbers and its name in messages.
struct Range {
  double low;
  double high; ///< excluded
  const char *text;
};

constexpr double largest = std::numeric_limits<float>::max();
constexpr Range any{-largest, largest, "a finite number of f32"};
constexpr Range notNegative{0, largest, "at least 0, and a finite number of f32"};
constexpr Range positive{std::numeric_limits<float>::min(), largest,
                         "above 0, and a number of f32"};
constexpr Range fraction{0, 1, "at least 0 and less than 1"};

class RecipeParser {
public:
  RecipeParser(const RecipeText &text, llvm::function_ref<InFlightDiagnostic()> emitError)
      : text(text), emitError(emitError) {}

  FailureOr<Recipe> parse() {
    if (failed(parseChoices()) || failed(checkKeys()))
      return failure();
    setDefaults();
    if (failed(parseNumbers()) || failed(parseGlobalBatch()) || failed(parseNesterov()) ||
        failed(parseLossScale()) || failed(parseClipNorm()))
      return failure();
    return recipe;
  }

private:
  LogicalResult parseChoices() {
    StringRef loss = get("loss", "softmax-cross-entropy");
    auto knownLoss = llvm::StringSwitch<std::optional<Recipe::Loss>>(loss)
                         .Case("softmax-cross-entropy", Recipe::Loss::SoftmaxCrossEntropy)
                         .Case("output", Recipe::Loss::Output)
                         .Default(std::nullopt);
    if (!knownLoss)
      return emitError() << "loss=" << loss
                         << " is not known; losses are softmax-cross-entropy and output";
    optimizer = get("optimizer", "sgd");
    auto knownOptimizer = llvm::StringSwitch<std::optional<Recipe::Optimizer>>(optimizer)
                              .Case("sgd", Recipe::Optimizer::Sgd)
                              .Case("momentum", Recipe::Optimizer::Momentum)
                              .Case("adagrad", Recipe::Optimizer::Adagrad)
                              .Case("adam", Recipe::Optimizer::Adam)
                              .Case("adamw", Recipe::Optimizer::AdamW)
                              .Default(std::nullopt);
    if (!knownOptimizer)
      return emitError() << "optimizer=" << optimizer
                         << " is not known; optimizers are sgd, momentum, adagrad, adam and adamw";
    recipe.loss = *knownLoss;
    recipe.optimizer = *knownOptimizer;
    return success();
  }

  /// The keys that only some optimizers have.
  ArrayRef<StringRef> ownKeys() const {
    static constexpr StringRef ofSgd[] = {"momentum", "dampening", "nesterov"};
    static constexpr StringRef ofAdagrad[] = {"epsilon", "learning-rate-decay"};
    static constexpr StringRef ofAdam[] = {"beta1", "beta2", "epsilon"};
    switch (recipe.optimizer) {
    case Recipe::Optimizer::Sgd:
    case Recipe::Optimizer::Momentum:
      return ofSgd;
    case Recipe::Optimizer::Adagrad:
      return ofAdagrad;
    case Recipe::Optimizer::Adam:
    case Recipe::Optimizer::AdamW:
      return ofAdam;
    }
    return {};
  }

  LogicalResult checkKeys() {
    static constexpr StringRef ofAll[] = {"loss", "optimizer", "learning-rate", "weight-decay"};
    for (const auto &[key, value] : text)
      if (!llvm::is_contained(ofAll, key) && !llvm::is_contained(Recipe::keysOfAnyStep(), key) &&
          !llvm::is_contained(ownKeys(), key))
        return emitError() << "optimizer=" << optimizer << " has no " << key << "; it has "
                           << llvm::join(ownKeys(), ", ");
    return success();
  }

  void setDefaults() {
    if (recipe.optimizer == Recipe::Optimizer::Momentum)
      recipe.momentum = 0.9;
    if (recipe.optimizer == Recipe::Optimizer::AdamW)
      recipe.weightDecay = 1e-2;
    if (recipe.optimizer == Recipe::Optimizer::Adagrad) {
      recipe.learningRate = 1e-2;
      recipe.epsilon = 1e-10;
    }
  }

  LogicalResult parseNumbers() {
    return failure(
        failed(parseNumber("learning-rate", notNegative, recipe.learningRate)) ||
        failed(parseNumber("weight-decay", notNegative, recipe.weightDecay)) ||
        failed(parseNumber("momentum", notNegative, recipe.momentum)) ||
        failed(parseNumber("dampening", any, recipe.dampening)) ||
        failed(parseNumber("beta1", fraction, recipe.beta1)) ||
        failed(parseNumber("beta2", fraction, recipe.beta2)) ||
        failed(parseNumber("epsilon", notNegative, recipe.epsilon)) ||
        failed(parseNumber("learning-rate-decay", notNegative, recipe.learningRateDecay)));
  }

  LogicalResult parseNumber(StringRef key, Range range, double &result) {
    auto given = text.find(key);
    if (given == text.end())
      return success();
    if (StringRef(given->second).getAsDouble(result))
      return emitError() << key << "=" << given->second << " is not a number";
    bool isInRange = std::isfinite(result) && result >= range.low && result < range.high;
    if (!isInRange)
      return emitError() << key << "=" << given->second << " must be " << range.text;
    if (result != 0 && float(result) == 0)
      return emitError() << key << "=" << given->second
                         << " is 0 as a number of f32; write 0 if that is meant";
    return success();
  }

  LogicalResult parseCount(StringRef key, StringRef unit, int64_t &count) {
    StringRef value = get(key, "");
    // Counts are multiplied with the sizes of samples; so many fit no machine.
    constexpr int64_t most = int64_t(1) << 40;
    if (value.getAsInteger(10, count) || count <= 0 || count > most)
      return emitError() << key << "=" << value << " must be a positive number of " << unit
                         << ", at most " << most;
    return success();
  }

  LogicalResult parseGlobalBatch() {
    if (!text.contains("global-batch"))
      return success();
    return parseCount("global-batch", "samples", recipe.globalBatch.emplace());
  }

  LogicalResult parseLossScale() {
    StringRef interval = "loss-scale-growth-interval", value = get("loss-scale", "");
    if (text.contains(interval) && value != "dynamic")
      return emitError() << interval << " needs loss-scale=dynamic";
    if (value.empty())
      return success();
    LossScale &scale = recipe.lossScale.emplace();
    scale.isDynamic = value == "dynamic";
    if (scale.isDynamic)
      return text.contains(interval) ? parseCount(interval, "steps", scale.growthInterval)
                                     : success();
    return parseNumber("loss-scale", positive, scale.value);
  }

  LogicalResult parseClipNorm() {
    if (!text.contains("clip-norm"))
      return success();
    return parseNumber("clip-norm", positive, recipe.clipNorm.emplace());
  }

  LogicalResult parseNesterov() {
    StringRef value = get("nesterov", "false");
    if (value != "true" && value != "false")
      return emitError() << "nesterov=" << value << " must be true or false";
    recipe.nesterov = value == "true";
    if (recipe.nesterov && (recipe.momentum <= 0 || recipe.dampening != 0))
      return emitError() << "nesterov=true needs a momentum above 0 and no dampening";
    return success();
  }

  StringRef get(StringRef key, StringRef otherwise) const {
    auto given = text.find(key);
    return given == text.end() ? otherwise : StringRef(given->second);
  }

  const RecipeText &text;
  llvm::function_ref<InFlightDiagnostic()> emitError;
  Recipe recipe;
  StringRef optimizer;
};

} // namespace

ArrayRef<StringRef> Recipe::keysOfAnyStep() {
  static constexpr StringRef keys[] = {"global-batch", "clip-norm", "loss-scale",
                                       "loss-scale-growth-interval"};
  return keys;
}

FailureOr<Recipe> Recipe::parse(const RecipeText &text,
                                llvm::function_ref<InFlightDiagnostic()> emitError) {
  return RecipeParser(text, emitError).parse();
}
