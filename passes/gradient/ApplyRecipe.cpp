// train-apply-recipe: a forward graph and a recipe become a training step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/Passes.h"
#include "passes/gradient/Pipelines.h"
#include "passes/gradient/StepBuilder.h"
#include "passes/gradient/recipe/Recipe.h"
#include "passes/gradient/step/MixedPrecision.h"
#include "passes/gradient/step/RateOfStep.h"
#include "passes/gradient/step/StepChanges.h"

#include "dialects/onnx/Onnx.h"
#include "dialects/train/DoubtfulVariables.h"
#include "dialects/train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tutti::gradient {
#define GEN_PASS_DEF_APPLYRECIPEPASS
#include "passes/gradient/Passes.h.inc"
} // namespace tutti::gradient

using namespace mlir;
using namespace tutti;
using namespace tutti::gradient;

namespace {

/// The names of the keys; options refer to them.
const SmallVector<std::string> &keyNames() {
  static const SmallVector<std::string> names = [] {
    Recipe recipe;
    return llvm::map_to_vector(recipe.keys().names(), [](StringRef name) { return name.str(); });
  }();
  return names;
}

class ApplyRecipe : public gradient::impl::ApplyRecipePassBase<ApplyRecipe> {
public:
  ApplyRecipe() { declareOptions(); }
  ApplyRecipe(const ApplyRecipe &other) : ApplyRecipePassBase(other) { declareOptions(); }

  LogicalResult initializeOptions(StringRef text, options::Complain complain) final {
    auto explain = [&](const Twine &problem) { return complain("recipe: " + problem); };
    if (failed(Recipe::parse(text, explain)))
      return failure();
    return ApplyRecipePassBase::initializeOptions(text, complain);
  }

  /// What createApplyRecipePass has checked.
  void give(ArrayRef<options::GivenKey> keys) {
    for (const options::GivenKey &key : keys)
      for (auto &option : values)
        if (option->getArgStr() == key.name)
          option->setValue(key.value.value_or(""));
  }

  void runOnOperation() final {
    ModuleOp module = getOperation();
    auto complain = [&](const Twine &problem) -> LogicalResult {
      return module.emitError(problem);
    };
    if (!module->hasAttr(train::TrainDialect::kProgram)) {
      (void)complain("is not a training program: it has no attribute train.program");
      return signalPassFailure();
    }
    SmallVector<options::GivenKey> given = givenKeys();
    auto explain = [&](const Twine &problem) { return complain("recipe: " + problem); };
    FailureOr<Recipe> recipe = Recipe::parse(given, explain);
    if (failed(recipe) || failed(apply(module, *recipe, given)))
      signalPassFailure();
  }

private:
  /// One option a key of the recipe, as text; Recipe::parse gives it a meaning.
  void declareOptions() {
    for (StringRef name : keyNames())
      values.push_back(std::make_unique<Option<std::string>>(*this, name));
  }

  SmallVector<options::GivenKey> givenKeys() const {
    SmallVector<options::GivenKey> given;
    for (const auto &option : values)
      if (!option->getValue().empty())
        given.push_back({option->getArgStr().str(), option->getValue()});
    return given;
  }

  LogicalResult apply(ModuleOp module, const Recipe &recipe, ArrayRef<options::GivenKey> given) {
    if (recipe.globalBatch && failed(setGlobalBatch(module, *recipe.globalBatch)))
      return failure();
    bool hasStep = module.lookupSymbol("step");
    if (failed(hasStep ? checkFitsAnyStep(module, given) : buildStep(module, recipe)))
      return failure();
    module->removeAttr(train::kDoubtful);
    module->removeAttr(train::kZeroRows);
    if (recipe.compute != Recipe::Compute::F32 && failed(computeIn16Bits(module, recipe)))
      return failure();
    auto isRate = [](const options::GivenKey &key) { return key.name == "learning-rate"; };
    if (hasStep && llvm::any_of(given, isRate) &&
        failed(setLearningRate(module, recipe.learningRate)))
      return failure();
    // In this order: a skipped step changes no mean, the norm that clips is that of the gradients
    // as they are.
    if (recipe.averageDecay && failed(averageVariables(module, *recipe.averageDecay)))
      return failure();
    if (recipe.lossScale && failed(scaleLoss(module, *recipe.lossScale)))
      return failure();
    return measureGradients(module, recipe.clipNorm, recipe.reportsNorm);
  }

  LogicalResult computeIn16Bits(ModuleOp module, const Recipe &recipe) {
    auto step = module.lookupSymbol<func::FuncOp>("step");
    auto complain = [&](const Twine &problem) -> LogicalResult {
      return module.emitError("recipe: ") << problem;
    };
    FailureOr<MixedPrecision> precision = MixedPrecision::create(recipe, step, complain);
    if (failed(precision))
      return failure();
    if (computeNarrow(step, *precision, getArgument()) > 0)
      return success();
    return complain("compute: @step has no " + llvm::join(precision->narrowOperators, ", ") +
                    " of f32 that could run in 16 bits");
  }

  /// A model with training information says its loss and optimizer itself.
  LogicalResult checkFitsAnyStep(ModuleOp module, ArrayRef<options::GivenKey> given) {
    for (const options::GivenKey &key : given)
      if (!llvm::is_contained(Recipe::keysOfAnyStep(), key.name))
        return module.emitError("recipe: ")
               << key.name
               << " cannot be set: the program has @step already, which says its loss and "
                  "optimizer; it can be given "
               << llvm::join(Recipe::keysOfAnyStep(), ", ");
    return success();
  }

  LogicalResult setGlobalBatch(ModuleOp module, int64_t size) {
    auto datasets = llvm::to_vector(module.getOps<train::DatasetOp>());
    if (datasets.empty())
      return module.emitError(
          "recipe: global-batch cannot be set: the program has no train.dataset");
    for (train::DatasetOp dataset : datasets)
      dataset.setGlobalBatch(size);
    return success();
  }

  SmallVector<std::unique_ptr<Option<std::string>>> values;
};

} // namespace

llvm::Expected<std::unique_ptr<Pass>> gradient::createApplyRecipePass(const Recipe &recipe) {
  std::string problem;
  auto complain = [&](const Twine &why) -> LogicalResult { return problem = why.str(), failure(); };
  FailureOr<SmallVector<options::GivenKey>> keys = recipe.spell(complain);
  if (failed(keys))
    return llvm::createStringError("recipe: " + problem);
  auto pass = std::make_unique<ApplyRecipe>();
  pass->give(*keys);
  return pass;
}
