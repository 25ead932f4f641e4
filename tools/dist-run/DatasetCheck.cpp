// From the arguments of a function to what it wants of a dataset.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/DatasetCheck.h"

#include "dialects/train/Train.h"
#include "lib/program/plan/Plan.h"
#include "runtime/host/data/Dataset.h"
#include "runtime/output/OutputFile.h"
#include "runtime/support/Names.h"
#include "tools/dist-run/Errors.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"

#include <filesystem>

using namespace mlir;
using namespace tutti;
using runtime::data::InputSpec;

/// Inputs of types that the runtime does not have are told of by whoever compiles.
static std::vector<InputSpec> inputsOf(func::FuncOp function) {
  std::vector<InputSpec> inputs;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto input = function.getArgAttrOfType<train::InputAttr>(index, train::TrainDialect::kInput);
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!input || !tensor)
      continue;
    auto known = runtime::type_from_name(program::spellType(tensor.getElementType()).str());
    if (!known)
      continue;
    InputSpec wanted;
    wanted.name = input.getName().str();
    wanted.type = *known;
    wanted.axis = input.getAxis();
    for (int64_t size : tensor.getShape())
      wanted.shape.push_back(ShapedType::isDynamic(size) ? -1 : size);
    inputs.push_back(std::move(wanted));
  }
  return inputs;
}

/// A binding may be for the step, for the evaluation, or for both.
static runtime::Error checkNames(ModuleOp module, const RunOptions &options) {
  std::vector<std::string> names;
  for (StringRef function : {"step", "evaluate"})
    if (auto found = module.lookupSymbol<func::FuncOp>(function))
      for (const InputSpec &input : inputsOf(found))
        if (!llvm::is_contained(names, input.name))
          names.push_back(input.name);
  return runtime::data::check_bindings(options.config.bindings, names);
}

/// Without a place: it is the data that are wrong.
static LogicalResult complain(ModuleOp module, const runtime::Error &error) {
  return error ? emitError(UnknownLoc::get(module.getContext())) << error.message : success();
}

static LogicalResult check(ModuleOp module, StringRef function, const std::string &path,
                           int64_t least, const RunOptions &options,
                           runtime::data::InflatedArrays &inflated) {
  auto found = module.lookupSymbol<func::FuncOp>(function);
  if (!found || path.empty())
    return success();
  bool evaluates = function == "evaluate";
  auto dataset = runtime::data::Dataset::open({path}, options.config.bindings,
                                              {&inflated, options.config.read, evaluates});
  runtime::Error error = dataset ? dataset->check(inputsOf(found), least) : dataset.error();
  return complain(module, error);
}

/// Words keep their numbers for whoever evaluates, goes on, or uses the model.
static runtime::Error keepVocabulary(const runtime::data::ReadOptions &read) {
  runtime::Result<std::string> content = runtime::data::vocabulary_to_keep(read);
  if (!content || content->empty())
    return content ? runtime::Error::success() : content.error();
  std::error_code none; // whoever writes says so
  std::filesystem::create_directories(std::filesystem::path(read.vocabulary).parent_path(), none);
  auto file = runtime::output::OutputFile::open(read.vocabulary);
  if (!file)
    return file.error();
  file->write(*content);
  return file->commit();
}

LogicalResult tutti::checkDatasets(ModuleOp module, const RunOptions &options,
                                   runtime::data::InflatedArrays &inflated) {
  if (failed(complain(module, checkNames(module, options))))
    return failure();
  int64_t batch = 1;
  for (auto dataset : module.getOps<train::DatasetOp>())
    batch = dataset.getGlobalBatch().value_or(1);
  if (!options.evaluateOnly &&
      failed(check(module, "step", options.dataset(), batch, options, inflated)))
    return failure();
  if (failed(check(module, "evaluate", options.evaluate(), /*least=*/1, options, inflated)))
    return failure();
  return complain(module, keepVocabulary(options.config.read));
}
