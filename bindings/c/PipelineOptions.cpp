// Sets keys of options structs, and builds pipelines of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bindings/c/PipelineOptions.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::bindings;

/// Options stay as they were where `key` or `value` is wrong.
template <typename Options>
static LogicalResult assign(Options &options, StringRef key, StringRef value,
                            options::Complain complain) {
  return options.keys().assign({{key.str(), value.str()}}, complain);
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
  return complain("there is no such pipeline");
}

llvm::Error PipelineOptions::addTo(OpPassManager &passes) const {
  std::string problem;
  auto complain = [&](const Twine &why) -> LogicalResult { return problem = why.str(), failure(); };
  switch (pipeline) {
  case TUTTI_TRAIN: {
    // Keys that need each other may be set in any order, so they are checked together here.
    FailureOr<gradient::Recipe> recipe = gradient::Recipe::parse(ofRecipe, complain);
    return failed(recipe) ? llvm::createStringError("recipe: " + problem)
                          : gradient::addTrainPipeline(passes, *recipe);
  }
  case TUTTI_DISTRIBUTE:
    return addDistributePipeline(passes, distribute);
  case TUTTI_COMPILE:
    compile::addCompilePipeline(passes, compile);
    return llvm::Error::success();
  }
  return llvm::createStringError("there is no such pipeline");
}
