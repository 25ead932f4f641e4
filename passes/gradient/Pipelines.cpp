// --train. Its options are those of train-apply-recipe, said once, in Passes.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/Pipelines.h"

#include "lib/options/PassKeys.h"
#include "passes/gradient/Passes.h"
#include "passes/specialize/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::gradient;

void tutti::gradient::addGradientPipeline(OpPassManager &passes) {
  // Gradients are then those of the divided loss.
  passes.addPass(createGlobalDivisorsPass());
  passes.addNestedPass<func::FuncOp>(createExpandGradientsPass());
  passes.addPass(createPlaceDrawsPass()); // batch statistics of gradients keep samples apart
  // Last, so that what the expansion leaves (sums of one term, unused gradients) goes away.
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

llvm::Error tutti::gradient::addTrainPipeline(OpPassManager &passes, const Recipe &recipe) {
  if (llvm::Error error = options::checkTakesModules(passes, "--train"))
    return error;
  llvm::Expected<std::unique_ptr<Pass>> applyRecipe = createApplyRecipePass(recipe);
  if (!applyRecipe)
    return applyRecipe.takeError();
  // First: the recipe may want another batch. What that needs and cannot have is said by those who
  // divide it.
  passes.addPass(specialize::createVaryBatchPass({/*quiet=*/true}));
  passes.addPass(std::move(*applyRecipe));
  addGradientPipeline(passes);
  return llvm::Error::success();
}

LogicalResult tutti::gradient::addTrainPipeline(OpPassManager &passes, StringRef recipe,
                                                options::Complain complain) {
  auto explain = [&](const Twine &problem) { return complain("recipe: " + problem); };
  FailureOr<Recipe> parsed = Recipe::parse(recipe, explain);
  if (failed(parsed))
    return failure();
  llvm::Error error = addTrainPipeline(passes, *parsed);
  return error ? complain(llvm::toString(std::move(error))) : success();
}

void tutti::gradient::registerGradientPipelines() {
  auto describe = [](function_ref<void(const mlir::detail::PassOptions &)> print) {
    print(EmptyPipelineOptions());
  };
  registerPassPipeline(
      "train",
      "Make an explicit training step: apply a recipe (--train=\"KEY=VALUE ...\" with the keys of "
      "train-apply-recipe), expand gradients, clean up",
      [](OpPassManager &passes, StringRef recipe, options::Complain complain) {
        return addTrainPipeline(passes, recipe, complain);
      },
      describe);
}
