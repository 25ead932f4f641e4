// One rank from start to end, in the order that lets mistakes show early: program and data are
// checked before anyone waits for a peer, the plans are compared before anything is computed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/Session.h"

#include "runtime/host/program/DeclaredGroups.h"
#include "runtime/host/program/HostExchange.h"
#include "runtime/host/reporting/RunLog.h"
#include "runtime/host/run/FaultSignals.h"
#include "runtime/host/run/Report.h"
#include "runtime/host/run/TrainingData.h"
#include "runtime/host/worker/Absence.h"
#include "runtime/host/worker/Checkpoints.h"
#include "runtime/host/worker/Servers.h"
#include "runtime/host/worker/Threads.h"
#include "runtime/host/worker/evaluation/Evaluation.h"
#include "runtime/output/OutputFile.h"
#include "runtime/output/StandardStreams.h"
#include "tutti/collectives.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace tutti::runtime::worker {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Those that wait for this rank, at its start, why it does not come.
constexpr double seconds_to_tell = 3;

static_assert(sizeof(RankSummary) <= shm::report_bytes);

/// Asynchronous workers have a world each, of which they are the only rank.
WorkerConfig alone(WorkerConfig config) {
  config.rank = 0;
  config.run.ranks = 1;
  return config;
}

/// Then nothing else tells one worker's random numbers from another's.
uint64_t seed_of(const WorkerConfig &config) {
  constexpr uint64_t odd = 0x9E3779B97F4A7C15u;
  return config.run.seed + odd * uint64_t(config.rank);
}

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
    error = save();
  if (!error)
    error = export_model();
  if (!error)
    error = evaluate_saved();
  if (!error)
    result.is_complete = 1;
  if (error)
    error.message += keep_flight(error);
  if (error && segment) // the first of all ranks to fail is the one that the others name
    segment->abort_with_message(config.rank, error.status, error.message.c_str());
  if (error && context) // no effect if the context failed first
    tutti_context_fail(context.get(), error.status, error.message.c_str());
  if (rows)
    rows->leave(error);
  else if (error && !segment) // no launcher of ours ends those that wait for this rank
    context || is_alone() ? tell_servers(config, error.message, seconds_to_tell)
                          : tell_absence(config, error.message, seconds_to_tell);
  report();
  if (context)
    tell_later(trace.write(context.get()));
  hand_over_report();
  if (error || segment) // our launcher prints the summary, and pending errors
    return error;
  bool is_of_cluster = config.run.ranks > 1 || rows; // others by hand are not told of
  if (is_of_cluster)
    error = is_alone() || config.run.ranks == 1 ? print_own_summary() : print_summary();
  bool is_untold = config.rank == 0 && result.untold[0] != 0;
  return error || !is_untold ? error : Error::make(TUTTI_SYSTEM_ERROR, result.untold);
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

/// Those that come later than this rank has begun.
void Session::answer_others_of_node() {
  if (config.arrays_descriptor >= 0)
    arrays_of_node.emplace(LocalSocket::adopt(config.arrays_descriptor), config.run.inflated);
}

Error Session::prepare() {
  answer_others_of_node();
  Result<size_t> chosen = program_of_rank(config.run.programs, config.rank);
  if (!chosen)
    return chosen.error();
  const std::string &path = config.run.programs[*chosen];
  const std::vector<ValuePlaces> &places = config.run.values;
  std::optional<RunTrace::Phase> phase(std::in_place, trace, "load the program");
  Result<Program> loaded = Program::load(
      path, *chosen < places.size() ? places[*chosen] : ValuePlaces(), config.run.ranks);
  phase.reset();
  if (!loaded)
    return loaded.error();
  program = std::move(*loaded);
  int64_t share = manifest().shard(config.rank).local_samples();
  if (share != manifest().local_batch)
    return Error::make(TUTTI_BAD_PROGRAM, "'", path, "' has a local batch of ",
                       manifest().local_batch, ", but rank ", config.rank, " of ", config.run.ranks,
                       " gets ", share, " of ", manifest().samples_per_step, " samples");
  phase.emplace(trace, "open the data");
  if (Error error = open_data())
    return error;
  phase.reset();
  Error error = open_outputs();
  if (!error)
    error = try_threads(config.run.threads);
  phase.emplace(trace, "rendezvous");
  if (!error)
    error = open_context(is_alone() ? alone(config) : config, context);
  phase.reset();
  report_faults_of(context.get(), segment ? &*segment : nullptr);
  if (!error && !manifest().tables.empty())
    error = join_servers();
  if (!error && segment) {
    segment->slot(config.rank).name.store(config.rank);
    segment->slot(config.rank).state.store(shm::rank_joined);
  }
  return error;
}

/// A rank that cannot write its outputs says so before anything is computed.
Error Session::open_outputs() {
  if (!config.run.model_dir.empty())
    directory.emplace(config, manifest(), loader ? &*loader : nullptr);
  if (Error error = directory ? directory->prepare() : Error::success())
    return error;
  if (config.rank == 0 && !config.run.save.empty())
    if (Error error = output::OutputFile::check(config.run.save))
      return Error::make(error.status, "the checkpoint: ", error.message);
  for (const checkpoint::Frame &frame : config.run.exports)
    if (config.rank == 0)
      if (Error error = output::OutputFile::check(frame.target))
        return Error::make(error.status, "the exported model: ", error.message);
  if (Error error = open_states())
    return error;
  if (Error error = trace.open(config))
    return error;
  int64_t per_epoch = loader ? loader->steps_per_epoch() : steps();
  Result<RunLog> opened = RunLog::open(config, manifest(), steps(), per_epoch);
  if (!opened)
    return opened.error();
  log.emplace(std::move(*opened));
  return Error::success();
}

Error Session::open_data() {
  data::InflatedArrays inflated(config.run.inflated);
  Result<std::optional<data::RowGatherer>> evaluation =
      open_evaluation_data(config.run, manifest(), inflated);
  if (!evaluation)
    return evaluation.error();
  evaluation_data = std::move(*evaluation);
  Result<std::optional<data::BatchLoader>> opened =
      open_training_data(config.run, manifest(), config.rank, inflated);
  if (!opened)
    return opened.error();
  loader = std::move(*opened);
  if (!evaluation_data)
    program.manifest.evaluation.reset();
  Result<std::optional<BestEvaluation>> compared = BestEvaluation::create(config.run, manifest());
  if (compared)
    best = std::move(*compared);
  return compared.error();
}

Error Session::start() {
  tutti_context *c = context.get();
  tutti_context_set_seed(c, is_alone() ? seed_of(config) : config.run.seed);
  deal_samples();
  for (const PlanEntry &entry : manifest().plan)
    tutti_context_describe_plan_entry(c, entry.id, entry.description.c_str());
  describe_host_exchanges(c, manifest());
  tutti_context_describe_run(c, agreement().c_str());
  {
    RunTrace::Phase phase(trace, "compare plans");
    tutti_context_exchange_plan(c, manifest().fingerprint.c_str(), manifest().plan_text().c_str());
  }
  arrays_of_node.reset(); // all have what they need
  trace.start(c, program);
  if (Error error = create_groups(c, manifest()))
    return error;
  {
    trace::Scope scope(trace.recorder(), trace::Kind::phase, "allocate");
    buffers = Buffers::allocate(c, manifest(), states.get());
    tutti_context_set_states(c, states ? states->service() : nullptr);
  }
  if (loader)
    next_batch.emplace(c, program, *loader, buffers, config.run.loads_ahead);
  if (Error error = context_error())
    return error;
  if (Error error = buffers.set_hyperparameters(manifest(), config.run.hyperparameters))
    return error;
  {
    trace::Scope scope(trace.recorder(), trace::Kind::phase, "initialize");
    program.initialize(c, buffers.variables.data(), nullptr, buffers.arena);
    program.values.let_go_of_initial();
  }
  if (states)
    states->expect_all();
  if (Error error = context_error())
    return error;
  if (Error error = directory ? resume() : Error::success())
    return error;
  if (only_evaluates(config.run))
    best.reset(); // the newest checkpoint is evaluated
  if (best)
    best->resume(directory->best());
  if (directory)
    directory->set_best(best ? best->state() : rundir::BestStep());
  bool goes_on = result.steps_before > 0;
  if (goes_on && config.rank == 0 && !config.run.load.empty())
    std::fprintf(stderr, "note: --load is not read: the run goes on from '%s'\n",
                 config.run.model_dir.c_str());
  if (Error error = config.run.load.empty() || goes_on ? Error::success() : load())
    return error;
  if (Error error = release_states())
    return error;
  return load_tables(goes_on);
}

int64_t Session::steps() const {
  return *count_steps(config.run, loader ? loader->steps_per_epoch() : 1); // checked with the data
}

Error Session::train() {
  takes_signals.emplace();
  stop.emplace(context.get(), segment ? &*segment : nullptr,
               entry_of(manifest(), HostExchange::stop));
  watch.emplace(context.get(), config, manifest(), buffers,
                entry_of(manifest(), HostExchange::finite));
  replicas.emplace(context.get(), manifest(), buffers, config.run.check_replicas,
                   entry_of(manifest(), HostExchange::replicas));
  if (segment)
    segment->slot(config.rank).state.store(shm::rank_training);
  else
    deadline.emplace(
        config.run.grace_period, [this] { return stop->own_signal(); },
        [this] { return describe_late(); });
  if (directory)
    stop->also_ask(StopAgreement::checkpoint, [this] { return directory->is_time(); });
  stop->also_ask(StopAgreement::alarm, [this] { return watch->is_alarmed(); });
  result.steps_wanted = steps();
  if (directory && config.rank == 0)
    rundir::Folder(config.run.model_dir).forget_flight();
  StepTimes times;
  if (Error error = log->begin(manifest(), loader ? loader->samples() : 0,
                               tutti_context_group_backend(context.get(), TUTTI_GROUP_WORLD),
                               result.steps_before))
    return error;
  auto begin = Clock::now();
  Error error = run_steps(times);
  result.run_seconds = seconds_since(begin);
  result.first_step_seconds = times.first();
  result.median_step_seconds = times.quantile(0.5);
  result.p95_step_seconds = times.quantile(0.95);
  if (!error) // before anybody reads tables to save them
    tell_later(record_servers(config, manifest(), result, *log));
  tell_later(log->close());
  return error ? error : context_error();
}

Error Session::run_steps(StepTimes &times) {
  for (int64_t step = result.steps_before; step < steps(); ++step) {
    Result<bool> stopped = is_stopped(step);
    if (!stopped)
      return stopped.error();
    if (*stopped)
      break;
    auto begin = Clock::now();
    if (Error error = one_step(step))
      return error;
    result.steps = step + 1;
    double seconds = seconds_since(begin);
    times.record(seconds);
    if (Error error = after_step(step + 1, seconds))
      return error;
  }
  bool has_steps = result.steps > result.steps_before && !context_error();
  if (Error error = has_steps ? check_numbers(result.steps) : Error::success())
    return error;
  return release_states();
}

/// All that is due once so many steps are done.
Error Session::after_step(int64_t steps_done, double seconds) {
  bool is_due = is_evaluation_due(steps_done);
  if (Error error = is_due ? evaluate_now() : Error::success())
    return error;
  log->record(steps_done - 1, seconds, buffers.results.data(), result, is_due);
  watch->see(steps_done, result.last_loss);
  bool is_compared = replicas->is_due(steps_done);
  if (is_compared)
    if (Error error = replicas->compare(steps_done))
      return error;
  bool is_saved = (is_due && is_best(steps_done)) || (directory && directory->is_due(steps_done));
  if (is_saved)
    if (Error error = take_checkpoint(steps_done))
      return error;
  return is_compared || is_saved ? release_states() : Error::success();
}

/// Whether the evaluation that was just made is the best so far.
bool Session::is_best(int64_t steps_done) {
  bool is_better = best && best->see(steps_done, result.evaluation);
  if (best)
    directory->set_best(best->state());
  return is_better;
}

/// Whether the run still computes with numbers. All files of earlier checkpoints are whole before
/// the ranks end because it does not.
Error Session::check_numbers(int64_t steps_done) {
  if (directory)
    directory->settle();
  return watch->look(steps_done, directory ? directory->last_saved() : -1);
}

/// What is told of a step is on file before a checkpoint says that it is done. None is taken of
/// variables that are no numbers.
Error Session::take_checkpoint(int64_t steps_done) {
  if (Error error = check_numbers(steps_done))
    return error;
  trace::Scope saving(trace.recorder(), trace::Kind::phase, "checkpoint");
  log->flush();
  return directory->save(context.get(), buffers, steps_done);
}

/// All ranks get the same answer.
Result<bool> Session::is_stopped(int64_t step) {
  result.interrupted_by = stop->signal_before(step);
  if (stop->is_answered(StopAgreement::alarm))
    if (Error error = check_numbers(step))
      return error;
  if (directory && stop->is_answered(StopAgreement::checkpoint))
    if (Error error = take_checkpoint(step))
      return error;
  bool is_new = result.interrupted_by != 0 && !segment && config.rank == 0;
  if (is_new) // our own launcher says it itself
    announce_stop(int(result.interrupted_by));
  result.is_early = best && best->is_over();
  return result.interrupted_by != 0 || result.is_early ||
         tutti_context_status(context.get()) != TUTTI_OK;
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
  if (next_batch) {
    trace::Scope scope(trace.recorder(), trace::Kind::phase, "load data");
    next_batch->load(step, result.steps_wanted);
  }
  if (Error error = context_error())
    return error;
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

bool Session::is_evaluation_due(int64_t steps_done) const {
  return config.run.evaluate_every > 0 && steps_done % config.run.evaluate_every == 0;
}

/// Asynchronous workers leave it to the first of them, which has all samples then.
Error Session::evaluate_now() {
  if (is_alone() && config.rank > 0)
    return Error::success();
  trace::Scope evaluating(trace.recorder(), trace::Kind::phase, "evaluate");
  evaluated_step = result.steps;
  tutti_context_set_step(context.get(), result.steps); // tables are those of all steps so far
  const Manifest::Evaluation &what = *manifest().evaluation;
  if (what.takes_whole_batches()) // on every rank
    tutti_context_set_samples(context.get(), TUTTI_SHARD_NONE, what.batch, what.batch);
  Error error = evaluate(context.get(), program, buffers, *evaluation_data, result);
  deal_samples();
  return error;
}

/// A failure of metrics or trace fails the run, but only once all else is done.
void Session::tell_later(const Error &error) {
  if (error && result.untold[0] == 0)
    std::snprintf(result.untold, sizeof result.untold, "%s", error.message.c_str());
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

} // namespace tutti::runtime::worker
