// train-apply-recipe: a forward graph and a recipe become a training step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/LossScaling.h"
#include "passes/gradient/Passes.h"
#include "passes/gradient/Recipe.h"
#include "passes/gradient/StepBuilder.h"

#include "dialects/onnx/Onnx.h"
#include "dialects/train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"

namespace tutti::gradient {
#define GEN_PASS_DEF_APPLYRECIPEPASS
#include "passes/gradient/Passes.h.inc"
} // namespace tutti::gradient

using namespace mlir;
using namespace tutti;
using namespace tutti::gradient;

namespace {

class ApplyRecipe : public gradient::impl::ApplyRecipePassBase<ApplyRecipe> {
public:
  using ApplyRecipePassBase::ApplyRecipePassBase;

  void runOnOperation() final {
    ModuleOp module = getOperation();
    if (!module->hasAttr(train::TrainDialect::kProgram)) {
      module.emitError("is not a training program: it has no attribute train.program");
      return signalPassFailure();
    }
    RecipeText text = givenOptions();
    FailureOr<Recipe> recipe = Recipe::parse(text, [&]() { return module.emitError("recipe: "); });
    if (failed(recipe) || failed(apply(module, *recipe, text)))
      signalPassFailure();
  }

private:
  RecipeText givenOptions() const {
    RecipeText text;
    auto add = [&](const auto &option) {
      if (!option.getValue().empty())
        text[option.getArgStr()] = option.getValue();
    };
    add(loss), add(optimizer), add(learningRate), add(weightDecay), add(globalBatch), add(momentum);
    add(dampening), add(nesterov), add(beta1), add(beta2), add(epsilon), add(learningRateDecay);
    add(clipNorm), add(lossScale), add(lossScaleGrowthInterval);
    return text;
  }

  LogicalResult apply(ModuleOp module, const Recipe &recipe, RecipeText &text) {
    if (recipe.globalBatch && failed(setGlobalBatch(module, *recipe.globalBatch)))
      return failure();
    bool hasStep = module.lookupSymbol("step");
    if (failed(hasStep ? checkFitsAnyStep(module, text) : buildStep(module, recipe, freeze)))
      return failure();
    // In this order: the norm that clips is that of the gradients as they are.
    if (recipe.lossScale && failed(scaleLoss(module, *recipe.lossScale)))
      return failure();
    return recipe.clipNorm ? clipGradients(module, *recipe.clipNorm) : success();
  }

  /// A model with training information says its loss and optimizer itself.
  LogicalResult checkFitsAnyStep(ModuleOp module, RecipeText &text) {
    for (StringRef key : Recipe::keysOfAnyStep())
      text.erase(key);
    if (text.empty() && freeze.empty())
      return success();
    StringRef key = text.empty() ? StringRef("freeze") : text.front().first;
    return module.emitError("recipe: ") << key
                                        << " cannot be set: the program has @step already, which "
                                           "says its loss and optimizer; it can be given "
                                        << llvm::join(Recipe::keysOfAnyStep(), ", ");
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
};

} // namespace
