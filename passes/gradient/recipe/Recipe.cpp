// The keys of a recipe, and what they cannot say together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/Recipe.h"

#include "llvm/ADT/StringExtras.h"

#include <limits>

using namespace mlir;
using namespace tutti::gradient;
using tutti::options::Complain;
using tutti::options::GivenKey;
using tutti::options::KeyTable;
using tutti::options::NumberRange;

static constexpr double largest = std::numeric_limits<float>::max();
static constexpr NumberRange notNegative{0, largest, false, false,
                                         "a number of at least 0, and of f32"};
static constexpr NumberRange positive{std::numeric_limits<float>::min(), largest, false, false,
                                      "a number above 0, and of f32"};
static constexpr NumberRange fraction{0, 1, false, true, "a number of at least 0 and less than 1"};

/// Where PyTorch's default is another for this optimizer.
static void setDefaults(Recipe &recipe) {
  if (recipe.optimizer == Recipe::Optimizer::Momentum)
    recipe.momentum = 0.9;
  if (recipe.optimizer == Recipe::Optimizer::AdamW)
    recipe.weightDecay = 1e-2;
  if (recipe.optimizer == Recipe::Optimizer::Adagrad) {
    recipe.learningRate = 1e-2;
    recipe.epsilon = 1e-10;
  }
}

static void addModelKeys(KeyTable &keys, Recipe &recipe) {
  keys.addChoice(
      "loss", recipe.loss,
      {{"softmax-cross-entropy", Recipe::Loss::SoftmaxCrossEntropy},
       {"mse", Recipe::Loss::MeanSquaredError},
       {"output", Recipe::Loss::Output}},
      "What is made small: the cross entropy of the graph's output, which is scores of shape "
      "[batch, classes], and of a new input `label`; the mean of the squared differences between "
      "the output and a new input `label` of its shape; or the graph's scalar output itself");
  keys.addChoice("optimizer", recipe.optimizer,
                 {{"sgd", Recipe::Optimizer::Sgd},
                  {"momentum", Recipe::Optimizer::Momentum},
                  {"adagrad", Recipe::Optimizer::Adagrad},
                  {"adam", Recipe::Optimizer::Adam},
                  {"adamw", Recipe::Optimizer::AdamW}},
                 "How variables follow their gradients");
  keys.addCount("global-batch", recipe.globalBatch, 1,
                "Samples of one step over all ranks together; without it that of the graph");
  keys.addList("freeze", recipe.frozen, "Variables that stay as they are");
}

static void addOptimizerKeys(KeyTable &keys, Recipe &recipe) {
  keys.addNumber("learning-rate", recipe.learningRate, notNegative, "Of every optimizer")
      .byDefault("1e-3, adagrad 1e-2");
  keys.addNumber("weight-decay", recipe.weightDecay, notNegative,
                 "Decay of trainable variables, which adamw keeps apart from the gradient")
      .byDefault("0, adamw 1e-2");
  keys.addNumber("momentum", recipe.momentum, notNegative, "sgd and momentum")
      .byDefault("sgd 0, momentum 0.9");
  keys.addNumber("dampening", recipe.dampening, tutti::options::anyNumber, "sgd and momentum");
  keys.addFlag("nesterov", recipe.nesterov, "sgd and momentum");
  keys.addNumber("beta1", recipe.beta1, fraction, "adam and adamw: decay of the first moment");
  keys.addNumber("beta2", recipe.beta2, fraction, "adam and adamw: decay of the second moment");
  keys.addNumber("epsilon", recipe.epsilon, notNegative, "adam, adamw and adagrad")
      .byDefault("1e-8, adagrad 1e-10");
  keys.addNumber("learning-rate-decay", recipe.learningRateDecay, notNegative, "adagrad");
}

/// A number, or the word `dynamic`.
static std::optional<std::string> assignLossScale(StringRef text, Recipe &recipe) {
  LossScale scale;
  scale.isDynamic = text == "dynamic";
  if (!scale.isDynamic && (text.getAsDouble(scale.value) || !positive.holds(scale.value)))
    return std::string("dynamic, or ") + positive.text;
  recipe.lossScale = scale;
  return std::nullopt;
}

static void addGradientKeys(KeyTable &keys, Recipe &recipe) {
  keys.add({"clip-norm", "NUMBER", "", "Largest norm of all gradients together",
            [&recipe](StringRef text) -> std::optional<std::string> {
              double norm;
              if (text.getAsDouble(norm) || !positive.holds(norm))
                return positive.text;
              recipe.clipNorm = norm;
              return std::nullopt;
            }});
  keys.add({"loss-scale", "NUMBER|dynamic", "",
            "Multiply the loss, and divide its gradients, so that small ones keep their bits in a "
            "narrow type; steps that overflow are skipped",
            [&recipe](StringRef text) { return assignLossScale(text, recipe); }});
  keys.addCount("loss-scale-growth-interval", recipe.lossScaleGrowthInterval, 1,
                "Finite steps after which a dynamic scale grows")
      .byDefault("2000");
}

KeyTable Recipe::keys() {
  KeyTable keys("--train");
  addModelKeys(keys, *this);
  addOptimizerKeys(keys, *this);
  addGradientKeys(keys, *this);
  return keys;
}

ArrayRef<StringRef> Recipe::keysOfAnyStep() {
  static constexpr StringRef keys[] = {"global-batch", "clip-norm", "loss-scale",
                                       "loss-scale-growth-interval"};
  return keys;
}

/// The keys that only some optimizers have.
static ArrayRef<StringRef> ownKeys(Recipe::Optimizer optimizer) {
  static constexpr StringRef ofSgd[] = {"momentum", "dampening", "nesterov"};
  static constexpr StringRef ofAdagrad[] = {"epsilon", "learning-rate-decay"};
  static constexpr StringRef ofAdam[] = {"beta1", "beta2", "epsilon"};
  switch (optimizer) {
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

/// The word that was given for `name`, or that of the default.
static std::string wordOf(StringRef name, ArrayRef<GivenKey> given, StringRef otherwise) {
  auto *found = llvm::find_if(given, [&](const GivenKey &key) { return key.name == name; });
  return found == given.end() ? otherwise.str() : found->value.value_or("");
}

static LogicalResult checkTogether(Recipe &recipe, const KeyTable &keys, ArrayRef<GivenKey> given,
                                   Complain complain) {
  static constexpr StringRef ofSome[] = {"momentum", "dampening", "nesterov",           "beta1",
                                         "beta2",    "epsilon",   "learning-rate-decay"};
  for (StringRef key : ofSome)
    if (keys.isGiven(key) && !llvm::is_contained(ownKeys(recipe.optimizer), key))
      return complain("optimizer=" + wordOf("optimizer", given, "sgd") + " has no " + key +
                      "; it has " + llvm::join(ownKeys(recipe.optimizer), ", "));
  if (recipe.dampening != 0 && recipe.momentum <= 0)
    return complain("dampening needs a momentum above 0");
  if (recipe.nesterov && (recipe.momentum <= 0 || recipe.dampening != 0))
    return complain("nesterov=true needs a momentum above 0 and no dampening");
  if (!recipe.lossScaleGrowthInterval)
    return success();
  if (!recipe.lossScale || !recipe.lossScale->isDynamic)
    return complain("loss-scale-growth-interval needs loss-scale=dynamic");
  recipe.lossScale->growthInterval = *recipe.lossScaleGrowthInterval;
  return success();
}

FailureOr<Recipe> Recipe::parse(ArrayRef<GivenKey> all, Complain complain) {
  SmallVector<GivenKey> given(all), optimizer;
  llvm::erase_if(given, [](const GivenKey &key) { return key.value && key.value->empty(); });
  llvm::copy_if(given, std::back_inserter(optimizer),
                [](const GivenKey &key) { return key.name == "optimizer"; });
  Recipe recipe;
  if (failed(recipe.keys().assign(optimizer, complain))) // first: defaults depend on it
    return failure();
  setDefaults(recipe);
  KeyTable keys = recipe.keys();
  if (failed(keys.assign(given, complain)) || failed(checkTogether(recipe, keys, given, complain)))
    return failure();
  return recipe;
}

FailureOr<Recipe> Recipe::parse(StringRef text, Complain complain) {
  FailureOr<SmallVector<GivenKey>> given = tutti::options::splitKeys(text, complain);
  if (failed(given))
    return failure();
  return parse(*given, complain);
}
