// dist-run: trains a model on N ranks of this machine. Prepares and compiles the program once, then
// starts the ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/NodeDiagnostics.h"
#include "runtime/data/Dataset.h"
#include "runtime/worker/Launch.h"
#include "runtime/worker/Manifest.h"
#include "tools/dist-run/CompileForRanks.h"
#include "tools/dist-run/Options.h"
#include "tools/dist-run/Prepare.h"
#include "tools/dist-run/Report.h"
#include "tools/registration/RegisterAll.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace tutti;
namespace worker = tutti::runtime::worker;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// The rank's program lies beside this one.
static std::string findWorker(const char *argv0) {
  static int anchor;
  llvm::SmallString<128> path(llvm::sys::fs::getMainExecutable(argv0, &anchor));
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "dist-worker");
  return path.str().str();
}

static llvm::Expected<std::vector<std::string>> prepareAndCompile(const RunOptions &options) {
  DialectRegistry registry;
  registerAllTuttiDialects(registry);
  registerAllTuttiPasses();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler printer(sources, &context);
  frontend::nameNodesInDiagnostics(&context);

  OwningOpRef<ModuleOp> module = prepareProgram(options, &context);
  if (!module)
    return makeError("'" + options.input + "' was not run");
  if (options.printPlan)
    if (llvm::Error error = printCommunicationPlan(*module, llvm::outs()))
      return error;
  return compileForRanks(*module, llvm::sys::path::stem(options.input));
}

/// Finds what is wrong with the data before any rank starts, so that it is said once.
static llvm::Error checkDataset(const std::string &path,
                                const std::vector<worker::Tensor> &inputs) {
  auto dataset = runtime::data::Dataset::open({path});
  if (!dataset)
    return makeError(dataset.error().message);
  auto bound = dataset->bind(inputs);
  return bound ? llvm::Error::success() : makeError(bound.error().message);
}

static llvm::Error checkData(const RunOptions &options, const worker::Manifest &manifest) {
  if (llvm::Error error = checkDataset(options.dataset, manifest.inputs))
    return error;
  if (options.evaluate.empty())
    return llvm::Error::success();
  if (!manifest.evaluation)
    return makeError(
        "--evaluate: the program has no @evaluate; a forward graph with --train gets one");
  return checkDataset(options.evaluate, manifest.evaluation->inputs);
}

static worker::RunConfig configure(const RunOptions &options, std::vector<std::string> programs,
                                   std::string workerPath) {
  worker::RunConfig config;
  config.worker = std::move(workerPath);
  config.programs = std::move(programs);
  config.ranks = options.ranks;
  config.datasets = {options.dataset};
  if (!options.evaluate.empty())
    config.evaluation_datasets = {options.evaluate};
  config.steps = options.steps.value_or(0);
  config.epochs = options.steps ? 0 : options.epochs.value_or(1);
  config.seed = options.seed;
  config.shuffle = options.shuffle;
  config.metrics = options.metrics;
  config.save = options.save;
  config.load = options.load;
  config.threads = options.threads;
  config.stall_error = options.stallLimitSeconds;
  return config;
}

static llvm::Error run(const RunOptions &options, const std::string &workerPath) {
  llvm::Expected<std::vector<std::string>> programs = prepareAndCompile(options);
  if (!programs)
    return programs.takeError();
  auto manifest = worker::Manifest::read(programs->front());
  if (!manifest)
    return makeError(manifest.error().message);
  if (llvm::Error error = checkData(options, *manifest))
    return error;
  llvm::outs().flush();
  worker::LaunchResult result = worker::launch(configure(options, *programs, workerPath));
  if (result.status != 0)
    return makeError(result.message);
  printSummary(llvm::outs(), *manifest, result);
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  auto [options, exitStatus] = parseOptions(argc, argv);
  if (!options)
    return exitStatus;
  if (llvm::Error error = run(*options, findWorker(argv[0]))) {
    llvm::WithColor::error(llvm::errs(), "dist-run") << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  return 0;
}
