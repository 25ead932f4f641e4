// From the command line to what a run is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/Configure.h"

#include "runtime/run/TrainingData.h"
#include "tools/dist-run/Errors.h"

#include <cstdlib>

using namespace tutti;
namespace worker = tutti::runtime::worker;

static void configureRunDirectory(const RunOptions &options, worker::RunConfig &config) {
  constexpr int64_t stepsByDefault = 100; // as the estimators of TensorFlow do
  const RunDirectoryOptions &given = options.directory;
  if (given.path.empty())
    return;
  config.model_dir = given.path;
  config.save_checkpoints_secs = given.saveSeconds.value_or(0);
  config.save_checkpoints_steps = given.saveSeconds ? 0 : given.saveSteps.value_or(stepsByDefault);
  config.keep_checkpoint_max = given.keepMost;
  config.save_summary_steps = given.summarySteps.value_or(stepsByDefault);
  config.max_restarts = given.maxRestarts;
  config.resume_anyway = given.resumeAnyway;
}

/// Kernels take what compiled code may, unless the environment says something else.
static std::vector<std::string> kernelSettings(const std::string &instructions) {
  if (instructions == "native" || std::getenv("ONEDNN_MAX_CPU_ISA"))
    return {};
  return {std::string("ONEDNN_MAX_CPU_ISA=") +
          (instructions == "x86-64-v3" ? "AVX2" : "AVX512_CORE")};
}

worker::RunConfig tutti::configure(const RunOptions &options, std::string workerPath) {
  worker::RunConfig config;
  config.worker = std::move(workerPath);
  config.ranks = options.ranks;
  if (!options.dataset.empty())
    config.datasets = {options.dataset};
  if (!options.evaluate.empty())
    config.evaluation_datasets = {options.evaluate};
  config.evaluate_every = options.evaluateEvery;
  config.bindings = options.bindings;
  config.read = options.read;
  config.steps = options.steps.value_or(0);
  config.epochs = options.steps || options.evaluateOnly ? 0 : options.epochs.value_or(1);
  config.seed = options.seed;
  config.shuffle = options.shuffle;
  config.shuffle_block = options.shuffleBlock;
  config.metrics = options.metrics;
  config.save = options.save;
  config.log_step_count_steps = options.logSteps.value_or(0);
  configureRunDirectory(options, config);
  config.calibrate = options.calibrate;
  config.load = options.load;
  config.trace = options.trace;
  config.trace_first = options.traceFirst;
  config.trace_count = options.traceCount;
  config.threads = options.threads;
  config.environment = kernelSettings(options.instructions);
  config.on_non_finite = options.onNonFinite;
  config.check_replicas = options.checkReplicas;
  config.binds_ranks = !options.noPin;
  config.loads_ahead = !options.noLoadAhead;
  config.grace_period = double(options.graceSeconds);
  config.stall_error = options.stallLimitSeconds;
  config.stall_warning = options.stallWarningSeconds.value_or(config.stall_warning);
  config.backend = options.backend;
  config.reductions = options.reductions;
  config.node = options.node;
  config.ranks_per_node = options.ranksPerNode;
  config.rendezvous = options.rendezvous;
  config.interface = options.interface;
  config.server_token = options.security.token;
  config.server_certificate = options.security.certificate;
  config.server_key = options.security.key;
  config.server_authority = options.security.authority;
  config.server_storage = options.rows.storage;
  config.server_cache_bytes = options.rows.cacheBytes;
  config.server_admit_after = options.rows.admitAfter;
  config.server_evict_after = options.rows.evictAfter;
  return config;
}

/// Ranks load `program`, as long as it lives.
static void addProgram(const execution::CompiledProgram &program, worker::RunConfig &config) {
  config.programs.push_back(program.path());
  worker::ValuePlaces &places = config.values.emplace_back();
  for (const auto &[name, place] : program.values.places())
    places[name] = {place.path, static_cast<int64_t>(place.offset)};
}

/// Servers load what holds tables.
static void addTable(const TableProgram &table, worker::RunConfig &config) {
  worker::TableFiles &files = config.tables.emplace_back();
  files.update = table.update.path();
  if (table.place)
    files.first = {table.place->path, static_cast<int64_t>(table.place->offset)};
}

llvm::Error tutti::addPrograms(const RunOptions &options, const RunPrograms &programs,
                               bool isStartedByOthers, worker::RunConfig &config) {
  for (const execution::CompiledProgram &program : programs.ofRanks)
    addProgram(program, config);
  for (const TableProgram &table : programs.ofTables)
    addTable(table, config);
  config.decides = programs.decides;
  config.instructions = programs.instructions;
  if (programs.ofTables.empty() || !config.servers.empty())
    return llvm::Error::success();
  if (isStartedByOthers)
    return makeError(
        "the program has tables that servers hold, but nobody starts servers: ranks that another "
        "launcher starts are told of them by TF_CONFIG or --role, and -n or --local-cluster start "
        "both here");
  config.servers.resize(options.servers.value_or(1));
  return llvm::Error::success();
}

llvm::Error tutti::checkData(worker::RunConfig &config, const worker::Manifest &manifest,
                             runtime::data::InflatedArrays &inflated, RunFacts &facts) {
  auto training = worker::open_training_data(config, manifest, 0, inflated);
  if (!training)
    return makeError(training.error().message);
  auto evaluation = worker::open_evaluation_data(config, manifest, inflated);
  if (!evaluation)
    return makeError(evaluation.error().message);
  if (*training) {
    facts.samples = (*training)->samples();
    facts.stepsPerEpoch = (*training)->steps_per_epoch();
    facts.dropped = (*training)->dropped_per_epoch();
    facts.repeated = (*training)->repeated_per_step();
  }
  if (*evaluation) {
    facts.evaluated = (*evaluation)->rows();
    facts.evaluationBatch = manifest.evaluation->batch;
    if (manifest.evaluation->takes_whole_batches())
      facts.leftOut = facts.evaluated % facts.evaluationBatch;
  }
  config.inflated = inflated.list();
  facts.hasInputs = !manifest.inputs.empty();
  facts.steps = *worker::count_steps(config, *training ? (*training)->steps_per_epoch() : 1);
  return llvm::Error::success();
}
