// The keys of a recipe, and what they cannot say together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/recipe/Recipe.h"

#include "lib/options/OtherNames.h"
#include "passes/gradient/recipe/LossKeys.h"
#include "passes/gradient/recipe/RateSchedule.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>

using namespace mlir;
using namespace tutti::gradient;
using tutti::options::Complain;
using tutti::options::GivenKey;
using tutti::options::KeyTable;
using tutti::options::NumberRange;

static constexpr NumberRange fraction{0, 1, false, true, "a number of at least 0 and less than 1"};

static constexpr const char *globs = "GLOB,GLOB,..."; ///< the type of keys that choose variables

/// Where PyTorch's default is another for this optimizer; of lion, that of its paper.
static void setDefaults(Recipe &recipe) {
  switch (recipe.optimizer) {
  case Recipe::Optimizer::Sgd:
  case Recipe::Optimizer::Adam:
    return;
  case Recipe::Optimizer::Momentum:
    recipe.momentum = 0.9;
    return;
  case Recipe::Optimizer::Adagrad:
  case Recipe::Optimizer::RowwiseAdagrad:
    recipe.learningRate = 1e-2;
    recipe.epsilon = 1e-10;
    return;
  case Recipe::Optimizer::Rmsprop:
    recipe.learningRate = 1e-2;
    return;
  case Recipe::Optimizer::AdamW:
    recipe.weightDecay = 1e-2;
    return;
  case Recipe::Optimizer::NAdam:
    recipe.learningRate = 2e-3;
    return;
  case Recipe::Optimizer::Lamb:
    recipe.weightDecay = 1e-2;
    recipe.epsilon = 1e-6;
    return;
  case Recipe::Optimizer::Lion:
    recipe.learningRate = 1e-4;
    recipe.beta2 = 0.99;
    return;
  }
}

Recipe Recipe::of(Optimizer optimizer) {
  Recipe recipe;
  recipe.optimizer = optimizer;
  setDefaults(recipe);
  return recipe;
}

/// GLOB:NUMBER,GLOB:NUMBER,...
static std::optional<std::string> assignRateScales(StringRef text, Recipe &recipe) {
  recipe.rateScaleGlobs.clear();
  recipe.rateScales.clear();
  SmallVector<StringRef> entries;
  text.split(entries, ',');
  for (StringRef entry : entries) {
    auto [glob, number] = entry.trim().rsplit(':'); // names may have a colon
    double scale;
    if (glob.empty() || number.getAsDouble(scale) || !notNegative.holds(scale))
      return std::string("GLOB:NUMBER,GLOB:NUMBER,..., with numbers of at least 0");
    recipe.rateScaleGlobs.push_back(glob.str());
    recipe.rateScales.push_back(scale);
  }
  return std::nullopt;
}

/// As text that gives the same double again.
static std::string spellNumber(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.17g", value);
  return text;
}

static std::string spellRateScales(const Recipe &recipe) {
  SmallVector<std::string> entries;
  for (const auto &[glob, scale] : llvm::zip(recipe.rateScaleGlobs, recipe.rateScales))
    entries.push_back(glob + ":" + spellNumber(scale));
  return llvm::join(entries, ",");
}

static void addModelKeys(KeyTable &keys, Recipe &recipe) {
  keys.addChoice("optimizer", recipe.optimizer,
                 {{"sgd", Recipe::Optimizer::Sgd},
                  {"momentum", Recipe::Optimizer::Momentum},
                  {"adagrad", Recipe::Optimizer::Adagrad},
                  {"rowwise-adagrad", Recipe::Optimizer::RowwiseAdagrad},
                  {"rmsprop", Recipe::Optimizer::Rmsprop},
                  {"adam", Recipe::Optimizer::Adam},
                  {"adamw", Recipe::Optimizer::AdamW},
                  {"nadam", Recipe::Optimizer::NAdam},
                  {"lamb", Recipe::Optimizer::Lamb},
                  {"lion", Recipe::Optimizer::Lion}},
                 "How variables follow their gradients. rowwise-adagrad keeps one number of each "
                 "row of tables that are looked up; it is adagrad for all others");
  keys.addCount("global-batch", recipe.globalBatch, 1,
                "Samples of one step over all ranks together; without it that of the graph");
  keys.addList(
          "trainable", recipe.trainable,
          "Variables that are trained, scalars too; `default` stands for those that are "
          "without this key: parameters of more than one element, and weights. Here and below `*` "
          "in a name stands for any characters, `?` for one, `[ab]` for one of some")
      .byDefault("default")
      .type = globs;
  keys.addList("freeze", recipe.frozen,
               "Of these, variables that stay as they are; a glob of running statistics alone "
               "keeps them, and has their layer work by them")
      .type = globs;
  keys.addList("padding", recipe.padding,
               "Tables whose row of zeros padding looks up: it has no gradient, as that of "
               "PyTorch's padding_idx")
      .type = globs;
  keys.addNumber("label-smoothing", recipe.labelSmoothing, fraction,
                 "Share of the label that all classes get in equal parts, with "
                 "softmax-cross-entropy");
}

static void addOptimizerKeys(KeyTable &keys, Recipe &recipe) {
  keys.addNumber("learning-rate", recipe.learningRate, notNegative, "Of every optimizer")
      .byDefault("1e-3; adagrad, rowwise-adagrad and rmsprop 1e-2, nadam 2e-3, lion 1e-4, with "
                 "schedule=file 1");
  keys.add({"learning-rate-scale", "GLOB:NUMBER,...", "",
            "Factors of the learning rate of some variables, the first that matches",
            [&recipe](StringRef text) { return assignRateScales(text, recipe); },
            spellRateScales(recipe)});
  keys.addNumber("weight-decay", recipe.weightDecay, notNegative,
                 "Decay of trainable variables, which adamw, lamb and lion keep apart from the "
                 "gradient")
      .byDefault("0, adamw and lamb 1e-2");
  keys.addList("no-decay", recipe.noDecay,
               "Variables without weight decay; usually `*.bias,*norm*`. With lamb they have no "
               "learning rate of their own either")
      .type = globs;
  keys.addNumber("momentum", recipe.momentum, notNegative, "sgd, momentum and rmsprop")
      .byDefault("sgd and rmsprop 0, momentum 0.9");
  keys.addNumber("dampening", recipe.dampening, tutti::options::anyNumber, "sgd and momentum");
  keys.addFlag("nesterov", recipe.nesterov, "sgd and momentum");
  keys.addNumber("alpha", recipe.alpha, fraction, "rmsprop: decay of the mean of squares");
  keys.addNumber("beta1", recipe.beta1, fraction,
                 "adam, adamw, nadam and lamb: decay of the first moment; lion: weight of the "
                 "moment in the sign");
  keys.addNumber("beta2", recipe.beta2, fraction,
                 "adam, adamw, nadam and lamb: decay of the second moment; lion: decay of the "
                 "moment")
      .byDefault("0.999, lion 0.99");
  keys.addNumber("momentum-decay", recipe.momentumDecay, notNegative,
                 "nadam: how fast its momentum grows to beta1");
  keys.addNumber("epsilon", recipe.epsilon, notNegative,
                 "Of every optimizer that divides by a root: all but sgd, momentum and lion")
      .byDefault("1e-8, lamb 1e-6, adagrad and rowwise-adagrad 1e-10");
  keys.addNumber("learning-rate-decay", recipe.learningRateDecay, notNegative, "adagrad");
}

using KindName = std::pair<StringLiteral, Schedule::Kind>;

static constexpr KindName kindNames[] = {{"constant", Schedule::Kind::Constant},
                                         {"linear", Schedule::Kind::Linear},
                                         {"cosine", Schedule::Kind::Cosine},
                                         {"step", Schedule::Kind::Step},
                                         {"file", Schedule::Kind::Table}};

static std::string spellSchedule(const Schedule &schedule) {
  auto *name =
      llvm::find_if(kindNames, [&](const KindName &n) { return n.second == schedule.kind; });
  return (name->first + (schedule.file.empty() ? "" : ":" + schedule.file)).str();
}

/// One of the kinds, or file:PATH.
static std::optional<std::string> assignSchedule(StringRef text, Schedule &schedule) {
  auto [word, file] = text.split(':');
  for (const auto &[name, kind] : kindNames) {
    if (word != name || file.empty() == (kind == Schedule::Kind::Table))
      continue;
    schedule.kind = kind;
    schedule.file = file.str();
    return std::nullopt;
  }
  return std::string("constant, linear, cosine, step or file:PATH");
}

static void addScheduleKeys(KeyTable &keys, Recipe &recipe) {
  Schedule &schedule = recipe.schedule;
  keys.add(
      {"schedule", "constant|linear|cosine|step|file:PATH", "constant",
       "How the learning rate changes after the warm-up: not at all; in a line or half a cosine "
       "down to 0 at total-steps; by the factor gamma every step-size steps; or as a file says, "
       "in which each line has the step from which a rate holds, and the rate",
       [&schedule](StringRef text) { return assignSchedule(text, schedule); },
       spellSchedule(schedule)});
  keys.addCount("warmup-steps", schedule.warmupSteps, 0,
                "Steps in which the learning rate rises in a line, from 0");
  keys.addCount("total-steps", schedule.totalSteps, 1,
                "Steps until linear and cosine end, the warm-up included");
  keys.addCount("step-size", schedule.stepSize, 1, "schedule=step");
  keys.addNumber("gamma", schedule.gamma, notNegative, "schedule=step");
}

static void addPrecisionKeys(KeyTable &keys, Recipe &recipe) {
  keys.addChoice("compute", recipe.compute,
                 {{"f32", Recipe::Compute::F32},
                  {"bf16", Recipe::Compute::BF16},
                  {"f16", Recipe::Compute::F16}},
                 "The type in which `narrow` operators run, with their gradients; variables, "
                 "optimizers and all other operators stay in f32. Use loss-scale with f16");
  keys.addList("narrow", recipe.narrowOperators, "compute: operators of ONNX that run in 16 bits")
      .byDefault("MatMul,Gemm,Conv")
      .type = "OPERATOR,OPERATOR,...";
  keys.addList("wide", recipe.wideNodes, "compute: nodes that stay in f32, by name").type = globs;
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

static std::string spellLossScale(const Recipe &recipe) {
  if (!recipe.lossScale)
    return "";
  return recipe.lossScale->isDynamic ? "dynamic" : spellNumber(recipe.lossScale->value);
}

static void addGradientKeys(KeyTable &keys, Recipe &recipe) {
  keys.add({"clip-norm", "NUMBER", "", "Largest norm of all gradients together",
            [&recipe](StringRef text) -> std::optional<std::string> {
              double norm;
              if (text.getAsDouble(norm) || !positive.holds(norm))
                return positive.text;
              recipe.clipNorm = norm;
              return std::nullopt;
            },
            recipe.clipNorm ? spellNumber(*recipe.clipNorm) : ""});
  keys.addFlag("gradient-norm", recipe.reportsNorm,
               "Report the norm of all gradients together, as it is before clip-norm, as the "
               "metric gradient_norm");
  keys.add({"ema", "NUMBER", "",
            "Keep an exponential mean of each trained variable, with this decay, and evaluate and "
            "export the means",
            [&recipe](StringRef text) -> std::optional<std::string> {
              double decay;
              if (text.getAsDouble(decay) || !fraction.holds(decay))
                return fraction.text;
              recipe.averageDecay = decay;
              return std::nullopt;
            },
            recipe.averageDecay ? spellNumber(*recipe.averageDecay) : ""});
  keys.add({"loss-scale", "NUMBER|dynamic", "",
            "Multiply the loss, and divide its gradients, so that small ones keep their bits in a "
            "narrow type; steps that overflow are skipped",
            [&recipe](StringRef text) { return assignLossScale(text, recipe); },
            spellLossScale(recipe)});
  keys.addCount("loss-scale-growth-interval", recipe.lossScaleGrowthInterval, 1,
                "Finite steps after which a dynamic scale grows")
      .byDefault("2000");
}

KeyTable Recipe::keys() {
  KeyTable keys("--train");
  addLossKey(keys, *this);
  addModelKeys(keys, *this);
  addKeysOfLosses(keys, *this);
  addOptimizerKeys(keys, *this);
  addScheduleKeys(keys, *this);
  addPrecisionKeys(keys, *this);
  addGradientKeys(keys, *this);
  return keys;
}

ArrayRef<StringRef> Recipe::keysOfAnyStep() {
  static constexpr StringRef keys[] = {"global-batch",
                                       "learning-rate",
                                       "clip-norm",
                                       "gradient-norm",
                                       "ema",
                                       "loss-scale",
                                       "loss-scale-growth-interval"};
  return keys;
}

/// The keys that only some optimizers have.
static ArrayRef<StringRef> ownKeys(Recipe::Optimizer optimizer) {
  static constexpr StringRef ofSgd[] = {"momentum", "dampening", "nesterov"};
  static constexpr StringRef ofAdagrad[] = {"epsilon", "learning-rate-decay"};
  static constexpr StringRef ofRowwiseAdagrad[] = {"epsilon"};
  static constexpr StringRef ofRmsprop[] = {"alpha", "momentum", "epsilon"};
  static constexpr StringRef ofAdam[] = {"beta1", "beta2", "epsilon"};
  static constexpr StringRef ofNAdam[] = {"beta1", "beta2", "epsilon", "momentum-decay"};
  static constexpr StringRef ofLion[] = {"beta1", "beta2"};
  switch (optimizer) {
  case Recipe::Optimizer::Sgd:
  case Recipe::Optimizer::Momentum:
    return ofSgd;
  case Recipe::Optimizer::Adagrad:
    return ofAdagrad;
  case Recipe::Optimizer::RowwiseAdagrad:
    return ofRowwiseAdagrad;
  case Recipe::Optimizer::Adam:
  case Recipe::Optimizer::AdamW:
  case Recipe::Optimizer::Lamb:
    return ofAdam;
  case Recipe::Optimizer::Rmsprop:
    return ofRmsprop;
  case Recipe::Optimizer::NAdam:
    return ofNAdam;
  case Recipe::Optimizer::Lion:
    return ofLion;
  }
  return {};
}

/// The word that was given for `name`, or that of the default.
static std::string wordOf(StringRef name, ArrayRef<GivenKey> given, StringRef otherwise) {
  auto *found = llvm::find_if(given, [&](const GivenKey &key) { return key.name == name; });
  return found == given.end() ? otherwise.str() : found->value.value_or("");
}

/// Keys that only some losses and schedules have, and keys that need others.
static LogicalResult checkUse(const Recipe &recipe, const KeyTable &keys, Complain complain) {
  using Kind = Schedule::Kind;
  const Schedule &schedule = recipe.schedule;
  bool ends = schedule.kind == Kind::Linear || schedule.kind == Kind::Cosine;
  if (recipe.compute == Recipe::Compute::F32 &&
      (!recipe.wideNodes.empty() || !recipe.narrowOperators.empty()))
    return complain(Twine(recipe.wideNodes.empty() ? "narrow" : "wide") +
                    " needs compute=bf16 or compute=f16");
  if (recipe.labelSmoothing != 0 && recipe.loss != Recipe::Loss::SoftmaxCrossEntropy)
    return complain("label-smoothing needs loss=softmax-cross-entropy, got loss=" +
                    Recipe::nameOf(recipe.loss));
  if (failed(checkLossKeys(recipe, keys, complain)))
    return failure();
  if (!recipe.noDecay.empty() && recipe.weightDecay == 0)
    return complain("no-decay needs a weight-decay above 0");
  if (ends && !schedule.totalSteps)
    return complain("schedule=linear and schedule=cosine need total-steps=N, when they end");
  if (!ends && schedule.totalSteps)
    return complain("total-steps needs schedule=linear or schedule=cosine");
  if (ends && *schedule.totalSteps <= schedule.warmupSteps)
    return complain("total-steps=" + Twine(*schedule.totalSteps) +
                    " must be more than warmup-steps=" + Twine(schedule.warmupSteps));
  if (schedule.kind == Kind::Step && !schedule.stepSize)
    return complain("schedule=step needs step-size=N");
  for (StringRef key : {"step-size", "gamma"})
    if (schedule.kind != Kind::Step && keys.isGiven(key))
      return complain(key + " needs schedule=step");
  return success();
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
  if (failed(checkUse(recipe, keys, complain)))
    return failure();
  if (recipe.schedule.kind == Schedule::Kind::Table) {
    if (!keys.isGiven("learning-rate")) // which multiplies the rates of the file
      recipe.learningRate = 1;
    if (failed(readTable(recipe.schedule, complain)))
      return failure();
  }
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
  for (const GivenKey &key : given)
    recipe.given.push_back(key.name);
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
  tutti::options::takeOtherNames(*given, Recipe().keys().names());
  return parse(*given, complain);
}

/// What fields can hold, and no key can say.
static LogicalResult checkHasKeys(const Recipe &recipe, Complain complain) {
  const LossScale usual;
  bool isDynamic = recipe.lossScale && recipe.lossScale->isDynamic;
  if (isDynamic && recipe.lossScale->value != usual.value)
    return complain("loss-scale=dynamic starts at 65536; no key says another value");
  if (recipe.schedule.kind != Schedule::Kind::Table && !recipe.schedule.table.empty())
    return complain("a table of rates is read from a file: schedule=file:PATH");
  for (const auto *names : {&recipe.trainable, &recipe.frozen, &recipe.noDecay, &recipe.padding,
                            &recipe.wideNodes, &recipe.narrowOperators, &recipe.rateScaleGlobs})
    for (StringRef name : *names)
      if (name.contains(',') || name != name.trim() || name.empty())
        return complain("'" + name + "' cannot be one of several names: a comma separates them");
  if (recipe.rateScaleGlobs.size() != recipe.rateScales.size())
    return complain("learning-rate-scale needs a number for each glob");
  return success();
}

/// Where the fields are that its keys are bound to.
static Recipe spellable(const Recipe &recipe) {
  Recipe copy(recipe);
  const std::optional<LossScale> &scale = recipe.lossScale;
  if (scale && scale->isDynamic && scale->growthInterval != LossScale().growthInterval)
    copy.lossScaleGrowthInterval = scale->growthInterval;
  return copy;
}

SmallVector<GivenKey> Recipe::changes() const {
  Recipe copy = spellable(*this), defaults = of(optimizer);
  if (schedule.kind == Schedule::Kind::Table) // whose rates it multiplies
    defaults.learningRate = 1;
  defaults.optimizer = Recipe().optimizer;
  return copy.keys().changesFrom(defaults.keys());
}

FailureOr<SmallVector<GivenKey>> Recipe::spell(Complain complain) const {
  if (failed(checkHasKeys(*this, complain)))
    return failure();
  SmallVector<GivenKey> spelled = changes();
  Recipe copy = spellable(*this);
  KeyTable keys = copy.keys();
  for (const options::Key &key : keys.all())
    if (llvm::is_contained(given, key.name) && !key.held.empty() &&
        llvm::none_of(spelled, [&](const GivenKey &other) { return other.name == key.name; }))
      spelled.push_back({key.name, key.held});
  FailureOr<Recipe> again = parse(spelled, complain);
  if (failed(again))
    return failure();
  KeyTable read = again->keys();
  for (const auto &[key, other] : llvm::zip_equal(keys.all(), read.all()))
    if (key.held != other.held)
      return complain(key.name + "=" + key.held +
                      " cannot be said by a key: it would be read as '" + other.held + "'");
  return spelled;
}
