// Sets keys of options structs, and builds pipelines of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bindings/c/PipelineOptions.h"

#include "lib/options/PassKeys.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::bindings;

/// Options stay as they were where `key` or `value` is wrong.
template <typename Options>
static LogicalResult assign(Options &options, StringRef key, StringRef value,
                            options::Complain complain) {
  Options changed = options;
  if (failed(changed.keys().assign({{key.str(), value.str()}}, complain)))
    return failure();
  options = std::move(changed);
  return success();
}

LogicalResult PipelineOptions::setOfRecipe(StringRef key, StringRef value,
                                           options::Complain complain) {
  gradient::Recipe any;
  if (failed(assign(any, key, value, complain)))
    return failure();
  llvm::erase_if(ofRecipe, [&](const options::GivenKey &given) { return given.name == key; });
  ofRecipe.push_back({key.str(), value.str()});
  return success();
}

LogicalResult PipelineOptions::set(StringRef key, StringRef value, options::Complain complain) {
  switch (pipeline) {
  case TUTTI_TRAIN:
    return setOfRecipe(key, value, complain);
  case TUTTI_DISTRIBUTE:
    return assign(distribute, key, value, complain);
  case TUTTI_COMPILE:
    return assign(compile, key, value, complain);
  }
  llvm_unreachable("tuttiOptionsCreate makes no others");
}

/// Keys that need each other may be set in any order, so they are checked together here.
llvm::Error PipelineOptions::addTrain(OpPassManager &passes) const {
  std::string problem;
  auto complain = [&](const Twine &why) -> LogicalResult { return problem = why.str(), failure(); };
  FailureOr<gradient::Recipe> recipe = gradient::Recipe::parse(ofRecipe, complain);
  return failed(recipe) ? llvm::createStringError("recipe: " + problem)
                        : gradient::addTrainPipeline(passes, *recipe);
}

llvm::Error PipelineOptions::addCompile(OpPassManager &passes) const {
  if (llvm::Error error = options::checkTakesModules(passes, "--compile"))
    return error;
  compile::addCompilePipeline(passes, compile);
  return llvm::Error::success();
}

llvm::Error PipelineOptions::addTo(OpPassManager &passes) const {
  switch (pipeline) {
  case TUTTI_TRAIN:
    return addTrain(passes);
  case TUTTI_DISTRIBUTE:
    return addDistributePipeline(passes, distribute);
  case TUTTI_COMPILE:
    return addCompile(passes);
  }
  llvm_unreachable("tuttiOptionsCreate makes no others");
}
