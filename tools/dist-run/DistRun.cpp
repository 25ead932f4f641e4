// dist-run: trains a model on N ranks. Prepares and compiles the program, then starts the ranks, or
// becomes one where a launcher started it as that.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/analysis/Seed.h"
#include "lib/diagnostics/DiagnosticPrinter.h"
#include "lib/diagnostics/RemarkPrinter.h"
#include "lib/output/OutputFile.h"
#include "passes/launch/DecidingKeys.h"
#include "passes/validation/Validate.h"
#include "runtime/host/data/Dataset.h"
#include "runtime/host/data/commands/CommandSource.h"
#include "runtime/host/launch/FollowedRun.h"
#include "runtime/host/launch/Launch.h"
#include "runtime/host/launch/LaunchEnvironment.h"
#include "runtime/host/launch/NodeArrays.h"
#include "runtime/host/launch/RankProcess.h"
#include "runtime/host/program/Manifest.h"
#include "runtime/host/run/FaultSignals.h"
#include "runtime/host/run/Report.h"
#include "runtime/output/StandardStreams.h"
#include "tools/dist-run/Configure.h"
#include "tools/dist-run/DryRun.h"
#include "tools/dist-run/Errors.h"
#include "tools/dist-run/EvaluatorProcess.h"
#include "tools/dist-run/Export.h"
#include "tools/dist-run/HeldBackErrors.h"
#include "tools/dist-run/MemoryLimit.h"
#include "tools/dist-run/Outputs.h"
#include "tools/dist-run/Prepare.h"
#include "tools/dist-run/Report.h"
#include "tools/dist-run/Roles.h"
#include "tools/dist-run/options/IdleReasons.h"
#include "tools/dist-run/options/Options.h"
#include "tools/registration/RegisterAll.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

#include <csignal>
#include <set>

using namespace mlir;
using namespace tutti;
namespace worker = tutti::runtime::worker;

/// At once, whole: ranks under a launcher share the terminal.
static void printError(const std::string &message) {
  llvm::errs().SetBuffered();
  llvm::WithColor::error(llvm::errs(), "dist-run") << message << "\n";
  llvm::errs().flush();
}

/// The rank's program lies beside this one.
static std::string findWorker(const char *argv0) {
  static int anchor;
  llvm::SmallString<128> path(llvm::sys::fs::getMainExecutable(argv0, &anchor));
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "dist-worker");
  return path.str().str();
}

/// Where remarks go; null if another rank prints the same. Nobody needs to ask what is trained,
/// and what the loss is. All of them go to `kept`, too, unless that is null.
static llvm::Expected<std::unique_ptr<diagnostics::RemarkPrinter>>
makeRemarkPrinter(const RunOptions &options, std::vector<std::string> *kept) {
  using diagnostics::RemarkStyle;
  if (options.rank > 0)
    return nullptr;
  diagnostics::RemarkOptions wanted = {RemarkStyle::None, options.remarksFilter,
                                       options.remarksFile, "dist-run"};
  if (!options.remarks.empty())
    wanted.style = options.remarks == "json" ? RemarkStyle::Json : RemarkStyle::Text;
  else if (wanted.file.empty() && !options.evaluateOnly)
    wanted.style = RemarkStyle::Notes,
    wanted.filter = "train-apply-recipe|import-onnx|distribute-verify-samples";
  wanted.kept = kept;
  return diagnostics::RemarkPrinter::create(std::move(wanted));
}

/// What auto chose, and what ranks communicate.
static void printPlan(const std::string &choice, const planning::Report &plan) {
  std::string text;
  llvm::raw_string_ostream out(text);
  planning::printReport(plan, out);
  runtime::output::print(choice + text);
}

using Programs = RunPrograms;

/// After a diagnostic the error's text is empty: one failure is one message.
static llvm::Expected<Programs> prepareAndCompile(const RunOptions &options,
                                                  runtime::data::InflatedArrays &inflated,
                                                  RunFacts &facts) {
  std::vector<std::string> kept;
  auto remarks =
      makeRemarkPrinter(options, keepsRecord(options) || options.dryRun ? &kept : nullptr);
  if (!remarks)
    return remarks.takeError();
  DialectRegistry registry;
  registerAllTuttiDialects(registry);
  registerAllTuttiPasses();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  diagnostics::DiagnosticPrinter printer("dist-run");
  printer.attachTo(&context);
  if (*remarks)
    (*remarks)->attachTo(&context);

  std::string programHash;
  facts.start.begin("read the model, derive and distribute its step");
  std::optional<search::Answer> choice;
  OwningOpRef<ModuleOp> module = prepareProgram(options, &context, inflated, programHash, choice);
  if (*remarks)
    if (llvm::Error error = (*remarks)->finish())
      return error;
  if (!module)
    return makeError(""); // the diagnostics have said why
  if (choice) {
    facts.keys = choice->best().keys;
    facts.choice = choice->table();
  }
  facts.usesSeed = usesSeed(*module);
  facts.drawsInEvaluation = validation::findDrawOfEvaluation(*module);
  facts.start.begin("compile");
  auto programs = compileWithinMemory(*module, options, choice ? &*choice : nullptr);
  if (programs) {
    if (options.printPlan && options.rank == 0)
      printPlan(facts.choice, *programs->plan);
    programs->decides =
        decidingKeys(options.train, facts.keys ? facts.keys : options.distribute, programHash);
    programs->remarks = std::move(kept);
  }
  if (programs || !printer.hasPrintedError())
    return programs;
  llvm::consumeError(programs.takeError());
  return makeError(""); // the diagnostics have said why
}

/// What kept compiled programs from being kept is said once a run.
static void tellRemarks(const RunOptions &options, const Programs &programs) {
  if (options.rank > 0)
    return;
  std::set<std::string> remarks;
  for (const execution::CompiledProgram &program : programs.ofRanks)
    remarks.insert(program.remarks.begin(), program.remarks.end());
  for (const std::string &remark : remarks)
    llvm::errs() << "dist-run: " << remark << "\n";
}

static void warnOfIdleOptions(const RunOptions &options, const RunFacts &facts) {
  if (options.rank > 0)
    return;
  for (const std::string &line : findIdleOptions(options, facts))
    llvm::WithColor::warning(llvm::errs(), "dist-run") << line << "\n";
}

/// What is inflated once for the ranks of this node, where each is a dist-run.
static worker::NodeArrays shareArrays(const Part &part, const worker::RunConfig &config) {
  std::vector<std::string> datasets = config.datasets;
  llvm::append_range(datasets, config.evaluation_datasets);
  return worker::NodeArrays(part.isOneOfMany() ? *part.launched : worker::LaunchEnvironment(),
                            datasets, config.stall_error);
}

/// This process becomes its rank, or server; it returns only if it cannot. `ofNode`: whether it has
/// arrays for others.
static llvm::Error become(const Part &part, const worker::RunConfig &config, HeldBackErrors &errors,
                          const worker::NodeArrays *ofNode = nullptr) {
  errors.forget();
  worker::WorkerConfig own;
  own.run = config;
  if (part.roles)
    own.role = part.roles->name();
  if (part.isServer()) {
    own.server = part.roles->spec.index;
    own.ends_with_workers = true;
    own.rank_names = part.roles->spec.rank_names();
    own.rank_addresses = part.roles->spec.rank_addresses();
  } else {
    own.rank = part.launched->rank;
  }
  own.run.progress =
      "log"; // launchers gather what ranks write, even where it looks like a terminal
  std::vector<std::string> settings = config.environment;
  settings.push_back("OMP_NUM_THREADS=" + std::to_string(config.threads));
  settings.push_back("OMP_WAIT_POLICY=passive"); // its neighbours want the processor too
  std::vector<int> inherited = worker::inherited_descriptors(config);
  own.arrays_descriptor = ofNode ? ofNode->descriptor() : -1;
  if (own.arrays_descriptor >= 0)
    inherited.push_back(own.arrays_descriptor);
  runtime::Error error =
      worker::become_rank(config.worker, worker::to_json(own), inherited, settings);
  return makeError(error.message);
}

/// Measures instead of training.
static llvm::Expected<int> calibrate(const Part &part, const worker::RunConfig &config,
                                     HeldBackErrors &errors) {
  if (part.isOneOfMany())
    return become(part, config, errors);
  worker::LaunchResult result = worker::launch(config);
  if (result.status == 0)
    return 0;
  return makeError(result.message);
}

/// Compiles the program, or finds it in the cache, and says so.
static llvm::Expected<Programs>
compileAloud(const RunOptions &options, runtime::data::InflatedArrays &inflated, RunFacts &facts) {
  auto begin = std::chrono::steady_clock::now();
  auto say = [&](const std::string &text) {
    if (options.rank == 0)
      runtime::output::print(text);
  };
  say("compiling " + options.input + " for " + std::to_string(options.config.ranks) +
      (options.config.ranks == 1 ? " rank ...\n" : " ranks ...\n"));
  llvm::Expected<Programs> programs = prepareAndCompile(options, inflated, facts);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (programs)
    say(llvm::formatv("compiled in {0:f1} s\n", seconds.count()));
  return programs;
}

/// Tells how a run that is over has ended: 0, or what the signal that interrupted it asks for.
static llvm::Expected<int> report(const RunOptions &options, const worker::Manifest &manifest,
                                  const worker::LaunchResult &result) {
  int interrupted = result.interrupted_by ? 128 + result.interrupted_by : 0;
  if (result.status != 0 && interrupted == 0)
    return makeError(result.message);
  if (result.status != 0)
    return printError(result.message), interrupted;
  std::vector<worker::RankSummary> summaries;
  for (const worker::RankResult &rank : result.ranks)
    if (rank.summary.is_complete) // asynchronous workers go on without those that died
      summaries.push_back(rank.summary);
  if (summaries.empty())
    return makeError("all ranks ended without an error, and none said what it has done: its "
                     "processes may have been ended from outside");
  runtime::output::print(worker::summary_text(manifest, summaries, options.config.save,
                                              options.exported, result.binding));
  if (!result.untold.empty())
    return makeError(result.untold);
  return interrupted;
}

/// Null if nobody asked for one.
static llvm::Expected<std::unique_ptr<ModelExport>> openExport(const RunOptions &options) {
  if (options.exported.empty() || options.evaluateOnly || !options.config.calibrate.empty())
    return nullptr;
  return ModelExport::open(options);
}

/// Where the variables of the program go in the exported model.
static llvm::Error addExports(ModelExport *exported, const worker::Manifest &manifest,
                              worker::RunConfig &config) {
  if (!exported)
    return llvm::Error::success();
  auto frames = exported->frame(manifest);
  if (!frames)
    return frames.takeError();
  config.exports = std::move(*frames);
  return llvm::Error::success();
}

/// Brings variables from a checkpoint into the model, without compiling anything.
static llvm::Expected<int> exportAlone(const RunOptions &options, ModelExport &exported) {
  if (options.rank > 0)
    return 0;
  if (llvm::Error error = exported.writeFromCheckpoint(options.config.load))
    return error;
  runtime::output::print("wrote " + options.exported + " with the variables of " +
                         options.config.load + "\n");
  return 0;
}

/// Evaluates the checkpoints of another run until that has ended.
static llvm::Expected<int> follow(const worker::RunConfig &config,
                                  const worker::Manifest &manifest) {
  worker::LaunchResult last = worker::follow(config, [&](const worker::RankSummary &summary) {
    runtime::output::print("evaluation after step " + std::to_string(summary.steps_before) + ": " +
                           worker::evaluation_text(manifest, summary) + "\n");
  });
  if (last.interrupted_by)
    return 128 + last.interrupted_by;
  if (last.status != 0)
    return makeError(last.message);
  return 0;
}

/// What is wrong with the report is the error of a run that has no other.
static llvm::Expected<int> endReport(const RunOptions &options, const worker::Manifest &manifest,
                                     const worker::LaunchResult &result, RunReport &kept,
                                     llvm::Expected<int> status) {
  llvm::Error error = kept.end(options, manifest, result);
  if (!error)
    return status;
  if (status && *status == 0)
    return error;
  llvm::WithColor::warning(llvm::errs(), "dist-run") << llvm::toString(std::move(error)) << "\n";
  return status;
}

/// Launches the ranks, and beside them who evaluates their checkpoints if that is asked for.
static llvm::Expected<int> train(const RunOptions &options, const worker::RunConfig &config,
                                 const worker::Manifest &manifest, RunReport *kept) {
  std::optional<EvaluatorProcess> evaluator;
  if (options.hasEvaluator) {
    llvm::Expected<EvaluatorProcess> started = EvaluatorProcess::start(options.command);
    if (!started)
      return started.takeError();
    evaluator.emplace(std::move(*started));
  }
  worker::LaunchResult result = worker::launch(config);
  llvm::Expected<int> status = report(options, manifest, result);
  if (kept)
    status = endReport(options, manifest, result, *kept, std::move(status));
  if (!status || *status != 0 || !evaluator)
    return status;
  if (llvm::Error error = evaluator->wait())
    return error;
  return status;
}

/// `part` is filled once it is known.
static llvm::Expected<int> run(RunOptions &options, const std::string &workerPath,
                               HeldBackErrors &errors, std::optional<Part> &part) {
  llvm::Expected<Part> joined = joinLauncher(options);
  if (!joined)
    return joined.takeError();
  part.emplace(std::move(*joined));
  sayRole(*part, options);
  if (options.dryRun && (options.rank > 0 || options.follow || part->isServer()))
    return 0; // rank 0 tells it for all
  if (llvm::Error error = checkReport(options, part->isOneOfMany() ? part->launched->launcher : ""))
    return error;
  if (onlyReports(options)) {
    if (llvm::Error error = writeReport(options, options.config.model_dir))
      return error;
    return 0;
  }
  auto exported = openExport(options);
  if (!exported)
    return exported.takeError();
  if (llvm::Error error = checkOutputs(options, exported->get()))
    return error;
  if (onlyExports(options))
    return exportAlone(options, **exported);
  worker::RunConfig config = configure(options, workerPath);
  if (llvm::Error error = connectParts(*part, options.dryRun, config))
    return error;
  RunFacts facts;
  if (part->isOneOfMany())
    facts.launcher = part->launched->launcher;
  facts.hasTerminal = facts.launcher.empty() && runtime::output::terminal_columns() > 0;
  if (!options.config.calibrate.empty()) {
    warnOfIdleOptions(options, facts);
    return calibrate(*part, config, errors);
  }
  worker::NodeArrays ofNode = shareArrays(*part, config);
  auto inflated = runtime::data::InflatedArrays::for_children([&] { return ofNode.take(); });
  auto commands = std::make_unique<runtime::data::KeptCommands>(); // until data have been looked at
  llvm::Expected<Programs> programs = compileAloud(options, inflated, facts);
  if (!programs)
    return programs.takeError();
  if (facts.keys)
    options.distribute = facts.keys;
  tellRemarks(options, *programs);
  facts.hasTables = !programs->ofTables.empty();
  if (llvm::Error error = addPrograms(options, *programs, part->launched.has_value(), config))
    return error;
  auto manifest = worker::Manifest::read(config.programs.front());
  if (!manifest)
    return makeError(manifest.error().message);
  facts.hasStatesInFiles = manifest->state_bytes() > 0;
  if (part->roles)
    if (llvm::Error error = checkRoles(*part->roles, *manifest))
      return error;
  if (part->isServer())
    return become(*part, config, errors);
  facts.start.begin("look at the data");
  if (llvm::Error error = checkData(config, *manifest, inflated, facts))
    return error;
  facts.start.begin("start the ranks");
  commands.reset();
  if (llvm::Error error = addExports(exported->get(), *manifest, config))
    return error;
  warnOfIdleOptions(options, facts);
  if (runtime::Error error = worker::check(config))
    return makeError(error.message);
  config.start = facts.start.all();
  (void)finishStandardOutput(0); // before that which ranks print; a run goes on without it
  if (options.dryRun)
    return endDryRun(options, *programs, *manifest, facts, config);
  std::optional<RunReport> kept;
  if (keepsRecord(options)) {
    llvm::Expected<RunReport> begun = RunReport::begin(options, *programs, facts, config);
    if (!begun)
      return begun.takeError();
    kept.emplace(std::move(*begun));
  }
  if (options.follow && part->isOneOfMany())
    return makeError("--follow: ranks are started again for each checkpoint, which " +
                     part->launched->launcher + " cannot do; start dist-run by itself");
  if (part->isOneOfMany())
    return become(*part, config, errors, &ofNode);
  if (options.follow) {
    llvm::Expected<int> status = follow(config, *manifest);
    if (status && options.process == "evaluator")
      runtime::output::print("evaluator 0: ends\n");
    return status;
  }
  return train(options, config, *manifest, kept ? &*kept : nullptr);
}

int main(int argc, char **argv) {
  runtime::output::secure_standard_streams();
  llvm::InitLLVM init(argc, argv, /*InstallPipeSignalExitHandler=*/false);
  runtime::output::ignore_write_signals(); // after LLVM, which ends the process on SIGXFSZ
  worker::report_file_faults();
  auto launched = worker::launch_environment();
  HeldBackErrors errors(launched ? *launched : std::nullopt, argc, argv);
  auto [options, exitStatus, problem] = parseOptions(argc, argv);
  if (!options && exitStatus) {
    errors.giveOut(exitStatus);
    tellOthersOfOptions(argc, argv, problem, findWorker(argv[0]), exitStatus);
    return exitStatus;
  }
  if (!options)
    return errors.forget(), finishStandardOutput(exitStatus);
  std::optional<Part> part;
  llvm::Expected<int> status = run(*options, findWorker(argv[0]), errors, part);
  if (status)
    return *status;
  std::string message = llvm::toString(status.takeError());
  if (!message.empty())
    printError((options->process.empty() ? "" : options->process + ": ") + message);
  constexpr int failed = 1;
  errors.giveOut(failed);
  if (part)
    tellOthers(*part, *options, message, findWorker(argv[0]), failed);
  return failed;
}
