// One rank from start to end, in the order that lets mistakes show early: program and data are
// checked before anyone waits for a peer, the plans are compared before anything is computed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/worker/Session.h"

#include "runtime/worker/Checkpoints.h"
#include "runtime/worker/DeclaredGroups.h"
#include "runtime/worker/Evaluation.h"
#include "runtime/worker/FaultSignals.h"
#include "runtime/worker/Report.h"
#include "runtime/worker/RunLog.h"
#include "runtime/worker/Threads.h"
#include "runtime/worker/TrainingData.h"
#include "tutti/collectives.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <unistd.h>

namespace tutti::runtime::worker {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Of this program. What getrusage tells is also of the one that became this one.
int64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  constexpr std::string_view field = "VmHWM:";
  for (std::string line; std::getline(status, line);)
    if (line.compare(0, field.size(), field) == 0)
      return std::atoll(line.c_str() + field.size()) * 1024;
  return 0;
}

static_assert(sizeof(RankSummary) <= shm::report_bytes);

} // namespace

Session::Session(WorkerConfig given)
    : config(std::move(given)), context(nullptr, tutti_context_destroy) {}

Session::~Session() { report_faults_of(nullptr, nullptr); }

Error Session::run() {
  Error error = attach();
  if (!error)
    error = prepare();
  if (!error)
    error = start();
  if (!error)
    error = train();
  if (!error)
    error = finish();
  if (error && segment) // the first of all ranks to fail is the one that the others name
    segment->abort_with_message(config.rank, error.status, error.message.c_str());
  if (error && context) // no effect if the context failed first
    tutti_context_fail(context.get(), error.status, error.message.c_str());
  report();
  if (Error unwritten = context ? trace.write(context.get()) : Error::success();
      unwritten && !error)
    error = unwritten;
  bool has_launcher = segment || config.run.ranks == 1; // ours, which prints the summary
  return error || has_launcher ? error : print_summary();
}

Error Session::attach() {
  if (config.shared_descriptor < 0)
    return Error::success();
  Result<shm::Segment> attached = shm::Segment::attach(dup(config.shared_descriptor));
  if (!attached)
    return attached.error();
  segment.emplace(std::move(*attached));
  if (config.rank >= segment->ranks())
    return Error::make(TUTTI_INVALID_ARGUMENT, "rank ", config.rank, " of a segment for ",
                       segment->ranks());
  segment->slot(config.rank).process.store(getpid());
  report_faults_of(nullptr, &*segment);
  return Error::success();
}

Error Session::prepare() {
  Result<std::string> path = program_of_rank(config.run.programs, config.rank);
  if (!path)
    return path.error();
  Result<Program> loaded = Program::load(*path, config.run.ranks);
  if (!loaded)
    return loaded.error();
  program = std::move(*loaded);
  int64_t share = manifest().shard(config.rank).local_samples();
  if (share != manifest().local_batch)
    return Error::make(TUTTI_BAD_PROGRAM, "'", *path, "' has a local batch of ",
                       manifest().local_batch, ", but rank ", config.rank, " of ", config.run.ranks,
                       " gets ", share, " of ", manifest().samples_per_step, " samples");
  if (Error error = open_data())
    return error;
  Error error = trace.open(config, segment.has_value());
  if (!error)
    error = try_threads(config.run.threads);
  if (!error)
    error = open_context(config, context);
  report_faults_of(context.get(), segment ? &*segment : nullptr);
  if (!error && segment) {
    segment->slot(config.rank).name.store(config.rank);
    segment->slot(config.rank).state.store(shm::rank_joined);
  }
  return error;
}

Error Session::open_data() {
  Result<std::optional<data::Dataset>> evaluation = open_evaluation_data(config.run, manifest());
  if (!evaluation)
    return evaluation.error();
  evaluation_data = std::move(*evaluation);
  Result<std::optional<data::BatchLoader>> opened =
      open_training_data(config.run, manifest(), config.rank);
  if (!opened)
    return opened.error();
  loader = std::move(*opened);
  return Error::success();
}

Error Session::start() {
  tutti_context *c = context.get();
  tutti_context_set_seed(c, config.run.seed);
  tutti_context_set_samples(c, manifest().shard_mode, manifest().samples_per_step,
                            manifest().local_batch);
  for (const PlanEntry &entry : manifest().plan)
    tutti_context_describe_plan_entry(c, entry.id, entry.description.c_str());
  tutti_context_exchange_plan(c, manifest().fingerprint.c_str(), manifest().plan_text().c_str());
  trace.start(c, program);
  if (Error error = create_groups(c, manifest()))
    return error;
  buffers = Buffers::allocate(c, manifest());
  if (Error error = context_error())
    return error;
  if (Error error = buffers.set_hyperparameters(manifest(), config.run.hyperparameters))
    return error;
  {
    trace::Scope scope(trace.recorder(), trace::Kind::phase, "initialize");
    program.initialize(c, buffers.variables.data(), nullptr, buffers.arena);
  }
  if (Error error = context_error())
    return error;
  if (config.run.load.empty())
    return Error::success();
  std::vector<std::string> notes;
  Error error = load_checkpoint(manifest(), buffers, config.rank, config.run.load, notes);
  for (const std::string &note : notes)
    if (config.rank == 0)
      std::fprintf(stderr, "note: checkpoint '%s' %s\n", config.run.load.c_str(), note.c_str());
  return error;
}

int64_t Session::steps() const {
  return *count_steps(config.run, loader ? loader->steps_per_epoch() : 1); // checked with the data
}

Error Session::train() {
  int64_t per_epoch = loader ? loader->steps_per_epoch() : steps();
  Result<RunLog> log = RunLog::open(config, manifest(), steps(), per_epoch);
  if (!log)
    return log.error();
  auto begin = Clock::now();
  Error error;
  for (int64_t step = 0; step < steps() && !error; ++step) {
    auto step_begin = Clock::now();
    error = one_step(step);
    if (error)
      break;
    result.steps = step + 1;
    log->record(step, seconds_since(step_begin), buffers.results.data(), result);
  }
  result.run_seconds = seconds_since(begin);
  Error written = log->close();
  return error ? error : written;
}

Error Session::one_step(int64_t step) {
  if (Error error = stopped_by_others())
    return error;
  tutti_context *c = context.get();
  tutti_context_set_step(c, step);
  if (segment) // what the launcher says of a rank that dies; not every backend tells it
    segment->slot(config.rank).step.store(step);
  trace::StepScope whole(trace.recorder(), step);
  auto begin = Clock::now();
  if (loader) {
    trace::Scope scope(trace.recorder(), trace::Kind::phase, "load data");
    loader->load(step, buffers.inputs.data());
  }
  auto loaded = Clock::now();
  result.data_seconds += std::chrono::duration<double>(loaded - begin).count();
  tutti_counters before, after;
  tutti_context_counters(c, &before);
  trace::Scope running(trace.recorder(), trace::Kind::phase, "run @step");
  program.step(c, buffers.variables.data(), buffers.inputs.data(), buffers.results.data(),
               buffers.arena);
  running.end();
  tutti_context_counters(c, &after);
  double communication = after.communication_seconds - before.communication_seconds;
  result.communication_seconds += communication;
  result.compute_seconds += seconds_since(loaded) - communication;
  result.bytes_moved += after.bytes - before.bytes;
  result.staged_bytes += after.staged_bytes - before.staged_bytes;
  result.collectives += after.collectives - before.collectives;
  return context_error();
}

Error Session::finish() {
  trace::Scope evaluating(evaluation_data ? trace.recorder() : nullptr, trace::Kind::phase,
                          "evaluate");
  if (evaluation_data)
    if (Error error = evaluate(context.get(), program, buffers, *evaluation_data, result))
      return error;
  evaluating.end();
  bool is_saver = !config.run.save.empty() && config.rank == 0;
  trace::Scope saving(is_saver ? trace.recorder() : nullptr, trace::Kind::phase, "save");
  if (!config.run.save.empty())
    if (Error error =
            save_checkpoint(context.get(), manifest(), buffers, config.rank, config.run.save))
      return error;
  result.is_complete = 1;
  return Error::success();
}

/// Ranks that do not wait for anyone, a single one above all, notice here that the run is to stop.
Error Session::stopped_by_others() const {
  if (!segment || segment->aborted().kind == shm::AbortKind::none)
    return Error::success();
  bool is_interrupted = segment->aborted().kind == shm::AbortKind::interrupted;
  return Error::make(is_interrupted ? TUTTI_INTERRUPTED : TUTTI_PEER_FAILED, segment->abort_text());
}

Error Session::context_error() const {
  return {tutti_context_status(context.get()), tutti_context_message(context.get())};
}

void Session::report() {
  result.peak_bytes = peak_memory();
  result.samples_per_step = manifest().samples_per_step;
  if (loader) {
    result.steps_per_epoch = loader->steps_per_epoch();
    result.dropped_per_epoch = loader->dropped_per_epoch();
    result.repeated_per_step = loader->repeated_per_step();
  }
  if (context) {
    tutti_counters counters;
    tutti_context_counters(context.get(), &counters);
    result.planned_bytes = counters.allocated_bytes;
  }
  if (segment)
    std::memcpy(segment->slot(config.rank).report, &result, sizeof result);
}

/// Under a launcher of others: rank 0 collects what all have to report, and tells it.
Error Session::print_summary() {
  std::vector<RankSummary> all(size_t(config.run.ranks));
  const void *own = &result;
  void *gathered = all.data();
  int64_t bytes = sizeof result, behind_plan = int64_t(manifest().plan.size()) + 1;
  tutti_gather(context.get(), behind_plan, TUTTI_GROUP_WORLD, 0, TUTTI_U8, 1, &own, &gathered,
               &bytes);
  if (config.rank == 0 && !context_error())
    std::fputs(summary_text(manifest(), all).c_str(), stdout);
  return context_error();
}

} // namespace tutti::runtime::worker
