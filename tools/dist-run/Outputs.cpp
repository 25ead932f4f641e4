// Which files a run writes, beside which it reads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/Outputs.h"

#include "runtime/host/rundir/folder/Folder.h"
#include "runtime/output/SameFile.h"
#include "tools/dist-run/Errors.h"

#include "llvm/ADT/STLExtras.h"

#include <filesystem>

using namespace tutti;

/// Makes the run directory, if the run is to write there. Returns a file in it that the run writes;
/// empty if there is none.
static llvm::Expected<std::string> prepareRunDirectory(const RunOptions &options) {
  bool trains = !options.evaluateOnly && options.config.calibrate.empty();
  if (options.config.model_dir.empty() || !trains)
    return "";
  runtime::rundir::Folder folder(options.config.model_dir);
  if (options.dryRun)
    return std::filesystem::exists(options.config.model_dir) ? folder.metrics() : "";
  if (runtime::Error error = folder.prepare())
    return makeError("--model-dir: " + error.message);
  return folder.metrics();
}

llvm::Error tutti::checkOutputs(const RunOptions &options, const ModelExport *exported) {
  using runtime::output::NamedPath;
  if (options.rank > 0) // rank 0 writes them all
    return llvm::Error::success();
  auto directory = prepareRunDirectory(options);
  if (!directory)
    return directory.takeError();
  NamedPath save = {"--save", options.config.save}, load = {"--load", options.config.load};
  std::vector<NamedPath> others = {{"--metrics", options.config.metrics},
                                   {"--trace", options.config.trace},
                                   {"--report", options.report},
                                   {"--calibrate", options.config.calibrate},
                                   {"--remarks-file", options.remarksFile},
                                   {"--model-dir", *directory}};
  std::vector<NamedPath> inputs = {
      {"dist-run", options.input},
      {"--dataset", options.dataset()},
      {"--evaluate", options.evaluate()},
      {"--cluster", options.cluster},
      {"--optimizer-model", options.givenFiles.artifacts.optimizerModel},
      {"--checkpoint", options.givenFiles.artifacts.checkpoint},
      {"--variables", options.givenFiles.variables}};
  if (exported) {
    llvm::append_range(others, exported->outputs());
    llvm::append_range(inputs, exported->inputs());
  }
  std::vector<NamedPath> all = others;
  all.push_back(save);
  runtime::Error error = runtime::output::check_outputs(all, inputs);
  if (!error)
    error = runtime::output::check_outputs(others, {load});
  return error ? makeError(error.message) : llvm::Error::success();
}
