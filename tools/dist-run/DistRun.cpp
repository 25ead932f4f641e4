// dist-run: trains a model on N ranks. Prepares and compiles the program, then starts the ranks, or
// becomes one where a launcher started it as that.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/Onnx.h"
#include "lib/frontend/NodeDiagnostics.h"
#include "lib/frontend/RemarkPrinter.h"
#include "runtime/backends/shm/ControlBlock.h"
#include "runtime/worker/FaultSignals.h"
#include "runtime/worker/Launch.h"
#include "runtime/worker/LaunchEnvironment.h"
#include "runtime/worker/Manifest.h"
#include "runtime/worker/RankProcess.h"
#include "runtime/worker/Report.h"
#include "runtime/worker/TrainingData.h"
#include "tools/dist-run/CompileForRanks.h"
#include "tools/dist-run/IdleOptions.h"
#include "tools/dist-run/Options.h"
#include "tools/dist-run/Prepare.h"
#include "tools/registration/RegisterAll.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

#include <csignal>

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

/// Where remarks go; null if nobody asked for any, or another rank prints the same.
static llvm::Expected<std::unique_ptr<frontend::RemarkPrinter>>
makeRemarkPrinter(const RunOptions &options) {
  using frontend::RemarkStyle;
  if (options.rank > 0)
    return nullptr;
  RemarkStyle style = options.remarks == "json"   ? RemarkStyle::Json
                      : options.remarks == "text" ? RemarkStyle::Text
                                                  : RemarkStyle::None;
  return frontend::RemarkPrinter::create({style, options.remarksFilter, options.remarksFile});
}

/// Whether anything in the program depends on the seed of the run.
static bool usesSeed(ModuleOp module) {
  auto isRandom = [](Operation *op) {
    return isa<onnx::DropoutOp, onnx::RandomNormalOp, onnx::RandomUniformOp>(op) &&
           !op->hasAttr("seed");
  };
  return module
      .walk([&](Operation *op) {
        return isRandom(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static llvm::Expected<std::vector<std::string>> prepareAndCompile(const RunOptions &options,
                                                                  RunFacts &facts) {
  auto remarks = makeRemarkPrinter(options);
  if (!remarks)
    return remarks.takeError();
  DialectRegistry registry;
  registerAllTuttiDialects(registry);
  registerAllTuttiPasses();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler printer(sources, &context);
  frontend::nameNodesInDiagnostics(&context);
  if (*remarks)
    (*remarks)->attachTo(&context);

  OwningOpRef<ModuleOp> module = prepareProgram(options, &context);
  if (*remarks)
    if (llvm::Error error = (*remarks)->finish())
      return error;
  if (!module)
    return makeError("'" + options.input + "' was not run");
  facts.usesSeed = usesSeed(*module);
  if (options.printPlan && options.rank == 0)
    if (llvm::Error error = printCommunicationPlan(*module, options.cluster))
      return error;
  return compileForRanks(*module, llvm::sys::path::stem(options.input), options.cluster);
}

/// Finds what is wrong with the data before any rank starts, so that it is said once.
static llvm::Error checkData(const worker::RunConfig &config, const worker::Manifest &manifest,
                             RunFacts &facts) {
  auto training = worker::open_training_data(config, manifest, 0);
  if (!training)
    return makeError(training.error().message);
  if (auto evaluation = worker::open_evaluation_data(config, manifest); !evaluation)
    return makeError(evaluation.error().message);
  facts.hasInputs = training->has_value();
  facts.steps = *worker::count_steps(config, *training ? (*training)->steps_per_epoch() : 1);
  return llvm::Error::success();
}

static void warnOfIdleOptions(const RunOptions &options, const RunFacts &facts) {
  if (options.rank > 0)
    return;
  for (const std::string &line : findIdleOptions(options, facts))
    llvm::WithColor::warning(llvm::errs(), "dist-run") << line << "\n";
}

static worker::RunConfig configure(const RunOptions &options, std::string workerPath) {
  worker::RunConfig config;
  config.worker = std::move(workerPath);
  config.ranks = options.ranks;
  config.datasets = {options.dataset};
  if (!options.evaluate.empty())
    config.evaluation_datasets = {options.evaluate};
  config.bindings = options.bindings;
  config.steps = options.steps.value_or(0);
  config.epochs = options.steps ? 0 : options.epochs.value_or(1);
  config.seed = options.seed;
  config.shuffle = options.shuffle;
  config.metrics = options.metrics;
  config.save = options.save;
  config.calibrate = options.calibrate;
  config.load = options.load;
  config.trace = options.trace;
  config.trace_first = options.traceFirst;
  config.trace_count = options.traceCount;
  config.threads = options.threads;
  config.stall_error = options.stallLimitSeconds;
  config.stall_warning = options.stallWarningSeconds.value_or(config.stall_warning);
  config.backend = options.backend;
  config.reductions = options.reductions;
  config.node = options.node;
  config.ranks_per_node = options.ranksPerNode;
  config.rendezvous = options.rendezvous;
  config.interface = options.interface;
  return config;
}

using Launched = std::optional<worker::LaunchEnvironment>;

/// What a launcher says about this process goes into `options`.
static llvm::Expected<Launched> joinLauncher(RunOptions &options) {
  auto launched = worker::launch_environment();
  if (!launched)
    return makeError(launched.error().message);
  bool isAlone = !*launched; // so all ranks start on this machine
  options.localRanks = options.ranksPerNode ? options.ranksPerNode
                       : isAlone            ? options.ranks
                                            : (*launched)->local_ranks;
  if (isAlone && options.ranks > runtime::shm::most_ranks)
    return makeError("-n " + llvm::Twine(options.ranks) + ": dist-run starts up to " +
                     llvm::Twine(runtime::shm::most_ranks) +
                     " ranks, all on this machine; for more, on many machines, start it under "
                     "mpirun, srun or torchrun");
  if (isAlone)
    return *launched;
  const worker::LaunchEnvironment &by = **launched;
  if (options.hasRanks && options.ranks != by.ranks)
    return makeError("-n " + llvm::Twine(options.ranks) + ", but " + by.launcher + " started " +
                     llvm::Twine(by.ranks) + " processes (" + by.size +
                     "): leave -n away, or let the two agree");
  options.ranks = by.ranks;
  options.rank = by.rank;
  return *launched;
}

/// This process becomes its rank; it returns only if it cannot.
static llvm::Error becomeRank(const worker::RunConfig &config, int64_t rank) {
  worker::WorkerConfig own;
  own.run = config;
  own.rank = rank;
  own.run.progress =
      "log"; // launchers gather what ranks write, even where it looks like a terminal
  runtime::Error error =
      worker::become_rank(config.worker, worker::to_json(own),
                          {"OMP_NUM_THREADS=" + std::to_string(config.threads),
                           "OMP_WAIT_POLICY=passive"}); // its neighbours want the processor too
  return makeError(error.message);
}

/// Measures instead of training.
static llvm::Error calibrate(const worker::RunConfig &config, bool isRank, int64_t rank) {
  if (isRank)
    return becomeRank(config, rank);
  worker::LaunchResult result = worker::launch(config);
  return result.status == 0 ? llvm::Error::success() : makeError(result.message);
}

static llvm::Error run(RunOptions &options, const std::string &workerPath) {
  llvm::Expected<Launched> launched = joinLauncher(options);
  if (!launched)
    return launched.takeError();
  worker::RunConfig config = configure(options, workerPath);
  if (runtime::Error error = worker::choose_backend(config, *launched ? &**launched : nullptr))
    return makeError(error.message);
  if (runtime::Error error = worker::check_options(config))
    return makeError(error.message);
  RunFacts facts;
  if (!options.calibrate.empty()) {
    warnOfIdleOptions(options, facts);
    return calibrate(config, *launched && options.ranks > 1, options.rank);
  }
  llvm::Expected<std::vector<std::string>> programs = prepareAndCompile(options, facts);
  if (!programs)
    return programs.takeError();
  auto manifest = worker::Manifest::read(programs->front());
  if (!manifest)
    return makeError(manifest.error().message);
  if (llvm::Error error = checkData(config, *manifest, facts))
    return error;
  warnOfIdleOptions(options, facts);
  config.programs = *programs;
  if (runtime::Error error = worker::check(config))
    return makeError(error.message);
  llvm::outs().flush();
  if (*launched && options.ranks > 1)
    return becomeRank(config, options.rank);
  worker::LaunchResult result = worker::launch(config);
  if (result.status != 0)
    return makeError(result.message);
  std::vector<worker::RankSummary> summaries;
  for (const worker::RankResult &rank : result.ranks)
    summaries.push_back(rank.summary);
  llvm::outs() << worker::summary_text(*manifest, summaries);
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  worker::report_file_faults();
  std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error of the write
  auto [options, exitStatus] = parseOptions(argc, argv);
  if (!options)
    return exitStatus;
  if (llvm::Error error = run(*options, findWorker(argv[0]))) {
    std::string rank = options->rank > 0 ? "rank " + std::to_string(options->rank) + ": " : "";
    llvm::errs().SetBuffered(); // one write: ranks under a launcher share the terminal
    llvm::WithColor::error(llvm::errs(), "dist-run")
        << rank << llvm::toString(std::move(error)) << "\n";
    llvm::errs().flush();
    return 1;
  }
  return 0;
}
