// The launcher: makes the shared memory, starts the ranks, and watches them until the last has
// ended.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/launch/Launch.h"

#include "runtime/engine/backends/shm/segment/Segment.h"
#include "runtime/host/calibration/Calibration.h"
#include "runtime/host/launch/Cores.h"
#include "runtime/host/launch/LocalServers.h"
#include "runtime/host/launch/RankProcess.h"
#include "runtime/host/program/Manifest.h"
#include "runtime/host/reporting/RunTrace.h"
#include "runtime/host/run/StopSignals.h"
#include "runtime/host/rundir/FindCheckpoint.h"
#include "runtime/support/system/ControlGroup.h"
#include "runtime/support/system/ScratchFolder.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <poll.h>
#include <set>

namespace tutti::runtime::worker {
namespace {

using Clock = std::chrono::steady_clock;

using Seconds = std::chrono::duration<double>;

/// How long ranks have to end by themselves once the run is to stop.
constexpr Seconds to_end(2);

class Launcher {
public:
  explicit Launcher(const RunConfig &given) : config(given) {
    if (config.threads == 0)
      config.threads =
          std::max<int64_t>(1, usable_processors() / std::max<int64_t>(1, config.ranks));
  }

  LaunchResult run(StopSignals &signals) {
    Error error = prepare();
    if (!error) {
      error = start();
      if (error) // ranks that did start are told, and waited for as in any other failure
        segment->abort({shm::AbortKind::interrupted, 0, SIGTERM});
      watch(signals);
    }
    Error untold = trace ? trace->merge(program_name) : Error::success();
    collect(error);
    if (result.untold.empty())
      result.untold = untold.message;
    return std::move(result);
  }

  /// Whether the programs fit the run, and whether its ranks can have the memory that they share.
  Error lay_out() {
    if (Error error = check(config))
      return error;
    int64_t bytes = config.calibrate.empty() ? 0 : calibration_bytes;
    for (const std::string &program : config.programs) {
      Result<Manifest> manifest = Manifest::read(program);
      if (!manifest)
        return manifest.error();
      if (manifest->ranks != config.ranks)
        return Error::make(TUTTI_BAD_PROGRAM, "'", program, "' is compiled for ", manifest->ranks,
                           " ranks, this run has ", config.ranks);
      bytes = std::max(bytes, manifest->memory_bytes());
      program_name = manifest->program;
      is_asynchronous = manifest->is_asynchronous();
      tables = manifest->tables;
      if (manifest->evaluation && metric_names.empty())
        for (const Tensor &metric : manifest->evaluation->metrics)
          metric_names.push_back(metric.name);
    }
    // A single rank has its own memory, as have ranks on another backend; the segment then only
    // carries their reports.
    bool is_shared = config.ranks > 1 && config.backend != "gloo";
    Result<shm::Segment> made = shm::Segment::create(config.ranks, is_shared ? bytes : 0);
    if (!made)
      return made.error();
    segment.emplace(std::move(*made));
    return Error::success();
  }

private:
  Error prepare() {
    if (Error error = lay_out())
      return error;
    if (!config.trace.empty()) {
      Result<TraceParts> parts = TraceParts::create(config);
      if (!parts)
        return parts.error();
      trace.emplace(std::move(*parts));
    }
    if (Error error = config.servers.empty() ? Error::success() : servers.place(config, tables))
      return error;
    return config.backend == "gloo" && config.rendezvous.empty() ? make_rendezvous()
                                                                 : Error::success();
  }

  /// Ranks that all start here meet in a folder of their own, over the loopback device.
  Error make_rendezvous() {
    Result<ScratchFolder> made = ScratchFolder::make();
    if (!made)
      return made.error();
    rendezvous = std::move(*made);
    config.rendezvous = rendezvous.path();
    if (config.interface.empty())
      config.interface = "lo";
    return Error::success();
  }

  /// Of servers and ranks.
  std::vector<std::string> environment() const {
    std::vector<std::string> settings = config.environment;
    settings.push_back(text("OMP_NUM_THREADS=", config.threads));
    // Threads that spin for work while other ranks want their processor cost more than they gain.
    if (config.ranks * config.threads > usable_processors())
      settings.push_back("OMP_WAIT_POLICY=passive");
    return settings;
  }

  /// Each rank gets cores of its own where that can be; one that is alone has them anyway.
  void choose_cores() {
    if (config.ranks == 1 || !config.calibrate.empty()) // those count the processors of a rank
      return;
    Cores cores = Cores::of_machine();
    std::string why_not = config.binds_ranks ? cores.why_not(config.ranks) : "--no-pin";
    if (!why_not.empty()) {
      result.binding = "shared by all ranks: " + why_not;
      return;
    }
    processors = cores.divide(config.ranks);
    for (const Processors &own : processors)
      result.binding += (result.binding.empty() ? "processors " : " | ") + spell(own);
  }

  Error start() {
    choose_cores();
    if (Error error = servers.start(config, environment()))
      return error;
    for (int64_t rank = 0; rank < config.ranks; ++rank) {
      Result<RankProcess> process = start_rank(rank);
      if (!process)
        return process.error();
      processes.push_back(std::move(*process));
    }
    return Error::success();
  }

  Result<RankProcess> start_rank(int64_t rank) {
    WorkerConfig own = {config, rank, segment->descriptor(), trace ? trace->descriptor(rank) : -1};
    own.row_queues = servers.queue_descriptors();
    std::vector<int> inherited = inherited_descriptors(config);
    inherited.insert(inherited.end(), own.row_queues.begin(), own.row_queues.end());
    inherited.push_back(own.shared_descriptor);
    if (own.trace_descriptor >= 0)
      inherited.push_back(own.trace_descriptor);
    segment->slot(rank).state.store(shm::rank_absent);
    Result<RankProcess> started =
        RankProcess::start(config.worker, to_json(own), inherited, environment(),
                           processors.empty() ? Processors() : processors[size_t(rank)]);
    if (started)
      segment->slot(rank).process.store(int32_t(started->process()));
    return started;
  }

  /// Whether a rank runs or is to start again. Ranks are counted before their ends are noted: one
  /// that ends meanwhile still counts, and is noted the next time.
  bool goes_on() {
    bool runs = count_running() > 0;
    note_ends();
    return runs || !due.empty();
  }

  void note_ends() {
    for (size_t rank = 0; rank < processes.size(); ++rank)
      if (processes[rank].has_ended())
        note_end(rank);
  }

  void watch(StopSignals &signals) {
    while (goes_on()) {
      wait_for_something(signals);
      if (int signal = signals.take())
        interrupt(signal);
      start_due();
      servers.tell_losses();
      note_ends();
      if (std::optional<shm::Abort> ended = servers.find_ended())
        segment->abort(*ended);
      end_late_ranks();
      kill_after_end();
    }
  }

  /// Of the grace period, what is kept for ranks to end by themselves.
  Seconds time_to_end() const { return std::min(to_end, Seconds(config.grace_period) / 5); }

  /// The time that a signal leaves is over before the ranks are.
  void end_late_ranks() {
    bool is_late = asked_to_stop && segment->aborted().kind == shm::AbortKind::none &&
                   Clock::now() - *asked_to_stop > Seconds(config.grace_period) - time_to_end();
    if (!is_late)
      return;
    late = describe_late();
    segment->abort({shm::AbortKind::interrupted, 0, result.interrupted_by});
  }

  std::string describe_late() {
    std::string ranks;
    for (size_t rank = 0; rank < processes.size(); ++rank)
      if (!processes[rank].has_ended())
        ranks += text(ranks.empty() ? "rank " : ", rank ", rank, " in step ",
                      segment->slot(int64_t(rank)).step.load() + 1);
    return text(spell_signal(result.interrupted_by), ": ", config.grace_period,
                " s (--grace-period) were not enough to finish the step and save: ", ranks,
                "; what is left is ", rundir::CheckpointList::describe_last(config.model_dir));
  }

  /// Ranks that train end together, by themselves; a run that does not train has nothing to finish.
  void interrupt(int signal) {
    result.asked_by = signal;
    bool is_first = result.interrupted_by == 0;
    if (!is_first && is_repeated_by_system(signal))
      return;
    result.interrupted_by = signal;
    if (!is_first || !all_train())
      return (void)segment->abort({shm::AbortKind::interrupted, 0, signal});
    segment->control().stop_signal.store(uint32_t(signal));
    asked_to_stop = Clock::now();
    announce_stop(signal);
  }

  bool all_train() const {
    for (int64_t rank = 0; rank < config.ranks; ++rank) {
      uint32_t state = segment->slot(rank).state.load();
      if (state != shm::rank_training && state != shm::rank_finished)
        return false;
    }
    return config.calibrate.empty();
  }

  int64_t count_running() {
    return std::count_if(processes.begin(), processes.end(),
                         [](RankProcess &process) { return !process.has_ended(); });
  }

  void wait_for_something(const StopSignals &signals) {
    std::vector<pollfd> watched = {{signals.descriptor(), POLLIN, 0}};
    for (RankProcess &process : processes)
      if (!process.has_ended())
        watched.push_back({process.watch_descriptor(), POLLIN, 0});
    for (int descriptor : servers.watch_descriptors())
      watched.push_back({descriptor, POLLIN, 0});
    // Also wakes regularly: a rank may have stopped the run without ending.
    constexpr int milliseconds = 100;
    poll(watched.data(), watched.size(), milliseconds);
  }

  /// A rank that ended without finishing stops the others, unless they stop already, or do without
  /// it.
  void note_end(size_t rank) {
    const RankProcess &process = processes[rank];
    if (process.signal() != 0 && is_dispensable(rank))
      return replace(rank);
    if (process.signal() != 0)
      segment->abort({shm::AbortKind::killed, int32_t(rank), process.signal()});
    else if (process.exit_status() != 0 || summary_of(rank).is_complete == 0)
      segment->abort({shm::AbortKind::exited, int32_t(rank), process.exit_status()});
  }

  /// Asynchronous workers train without each other; the first also saves.
  bool is_dispensable(size_t rank) const {
    bool has_trained = segment->slot(int64_t(rank)).state.load() == shm::rank_training;
    return is_asynchronous && rank > 0 && (has_trained || replaced.count(rank) > 0) &&
           segment->aborted().kind == shm::AbortKind::none;
  }

  /// One that may start again goes on where its pushes end. The others do not wait.
  void replace(size_t rank) {
    if (lost.count(rank) > 0 || due.count(rank) > 0)
      return;
    shm::Abort loss = {shm::AbortKind::killed, int32_t(rank), processes[rank].signal()};
    std::string what = segment->text_of(loss);
    Restarts &restarts = replaced.emplace(rank, config.max_restarts).first->second;
    Restarts::Decision next = restarts.after(failure_of(loss), step_of(int64_t(rank)));
    if (!next.goes_on || result.interrupted_by != 0)
      return lose(rank, what + next.why_not);
    due[rank] = Clock::now() + std::chrono::seconds(next.seconds);
    std::fprintf(stderr,
                 "dist-run: warning: %s; it starts again in %" PRId64 " s, the other workers go on "
                 "(restart %" PRId64 " of %" PRId64 ")\n",
                 what.c_str(), next.seconds, next.number, config.max_restarts);
  }

  void lose(size_t rank, const std::string &what) {
    lost.insert(rank);
    servers.give_up(rank);
    std::fprintf(stderr, "dist-run: warning: %s; the other workers go on\n", what.c_str());
  }

  /// Workers whose pause is over. Nobody is started for a run that ends.
  void start_due() {
    bool is_over = result.interrupted_by != 0 || segment->aborted().kind != shm::AbortKind::none;
    for (auto next = due.begin(); next != due.end();) {
      auto [rank, time] = *next;
      if (!is_over && Clock::now() < time) {
        ++next;
        continue;
      }
      next = due.erase(next);
      Result<RankProcess> again =
          is_over ? Error::make(TUTTI_INTERRUPTED, text("rank ", rank, " has died"))
                  : start_rank(int64_t(rank));
      if (!again) {
        lose(rank, again.error().message);
        continue;
      }
      processes[rank] = std::move(*again);
    }
  }

  int64_t step_of(int64_t rank) const { return segment->slot(rank).step.load(); }

  /// The same for every process that fails so.
  Failure failure_of(const shm::Abort &abort) const {
    bool is_server =
        abort.kind == shm::AbortKind::server_killed || abort.kind == shm::AbortKind::server_exited;
    return {text(int(abort.kind), " ", abort.detail), step_of(is_server ? 0 : abort.rank)};
  }

  void kill_after_end() {
    if (segment->aborted().kind == shm::AbortKind::none)
      return;
    if (!stop_time)
      stop_time = Clock::now();
    if (Clock::now() - *stop_time > (late.empty() ? to_end : time_to_end()))
      for (RankProcess &process : processes)
        process.kill();
  }

  RankSummary summary_of(size_t rank) const {
    RankSummary summary;
    std::memcpy(&summary, segment->slot(int64_t(rank)).report, sizeof summary);
    return summary;
  }

  /// What is wrong with program, data or machine would come again; so would the end of a process
  /// that never was a rank.
  bool may_go_on(const shm::Abort &abort) const {
    switch (abort.kind) {
    case shm::AbortKind::killed:
    case shm::AbortKind::vanished:
      return result.interrupted_by == 0;
    case shm::AbortKind::exited:
      return result.interrupted_by == 0 &&
             segment->slot(abort.rank).state.load() != shm::rank_absent;
    case shm::AbortKind::server_killed:
      return result.interrupted_by == 0;
    case shm::AbortKind::server_exited: // ranks join once servers have answered
      return result.interrupted_by == 0 && segment->slot(0).state.load() != shm::rank_absent;
    case shm::AbortKind::failed:
      return result.interrupted_by == 0 &&
             (abort.detail == TUTTI_RANK_DIED || abort.detail == TUTTI_STALLED);
    default:
      return false;
    }
  }

  /// How a server ended by itself, if one did. A worker may have said that it does not answer
  /// before its end can be seen here.
  std::optional<shm::Abort> find_ended_server() {
    std::vector<pollfd> watched;
    for (int descriptor : servers.watch_descriptors())
      watched.push_back({descriptor, POLLIN, 0});
    constexpr int milliseconds = 200;
    if (!watched.empty() && !servers.find_ended())
      poll(watched.data(), watched.size(), milliseconds);
    return servers.find_ended();
  }

  void collect(const Error &error) {
    for (size_t rank = 0; rank < processes.size(); ++rank)
      result.ranks.push_back({processes[rank].process(), processes[rank].exit_status(),
                              processes[rank].signal(), summary_of(rank)});
    if (error) {
      result.status = error.status;
      result.message = error.message;
      return;
    }
    shm::Abort abort = segment->aborted();
    bool is_interrupted = abort.kind == shm::AbortKind::interrupted;
    bool has_failed = abort.kind == shm::AbortKind::failed;
    if (abort.kind != shm::AbortKind::none) {
      result.status = is_interrupted ? int32_t(TUTTI_INTERRUPTED)
                      : has_failed   ? abort.detail
                                     : int32_t(TUTTI_RANK_DIED);
      result.message = late.empty() ? segment->abort_text() : late;
      result.may_go_on = may_go_on(abort);
      result.failure = failure_of(abort);
      if (std::optional<shm::Abort> ended = is_interrupted ? std::nullopt : find_ended_server()) {
        result.status = TUTTI_RANK_DIED;
        result.message = segment->text_of(*ended);
        result.may_go_on = may_go_on(*ended);
        result.failure = failure_of(*ended);
      }
      return;
    }
    const RankSummary &first = result.ranks[0].summary;
    result.interrupted_by = int(first.interrupted_by);
    for (const RankResult &rank : result.ranks)
      if (result.untold.empty())
        result.untold = rank.summary.untold;
    for (int64_t m = 0; m < first.evaluation_metrics; ++m)
      result.evaluation.push_back({metric_names[m], first.evaluation[m]});
  }

  RunConfig config;
  ScratchFolder rendezvous;
  std::vector<ServedTable> tables;
  std::vector<std::string> metric_names;
  std::string program_name;
  bool is_asynchronous = false;
  std::set<size_t> lost;                   ///< ranks without which the run goes on
  std::map<size_t, Restarts> replaced;     ///< of those that came back
  std::map<size_t, Clock::time_point> due; ///< when those start that are to come back
  std::optional<TraceParts> trace;
  std::optional<shm::Segment> segment;
  std::vector<Processors> processors; ///< of each rank; empty: those of this process
  LocalServers servers;               ///< of tables; they outlive the ranks
  std::vector<RankProcess> processes;
  std::optional<Clock::time_point> asked_to_stop, stop_time;
  std::string late; ///< what is said of ranks that did not end in time
  LaunchResult result;
};

/// The step of the newest checkpoint, as the ranks will find it; 0: there is none.
int64_t newest_checkpoint(const RunConfig &config) {
  auto found = rundir::find_newest(rundir::Folder(config.model_dir)); // rank 0 says what is wrong
  return found && found->checkpoint ? found->checkpoint->state().step : 0;
}

} // namespace

Error check_launch(const RunConfig &config) { return Launcher(config).lay_out(); }

LaunchResult launch(const RunConfig &config) {
  static std::mutex one_at_a_time; // signals belong to the process
  std::lock_guard<std::mutex> lock(one_at_a_time);
  StopSignals signals;
  for (Restarts restarts(config.max_restarts);;) {
    LaunchResult result = Launcher(config).run(signals);
    if (int signal = signals.take())
      result.asked_by = signal;
    if (!result.may_go_on || config.max_restarts == 0)
      return result;
    int64_t reached = newest_checkpoint(config);
    Restarts::Decision next = restarts.after(result.failure, reached);
    if (!next.goes_on) {
      result.message += next.why_not;
      return result;
    }
    std::string from = reached > 0 ? text("the checkpoint of step ", reached) : "the beginning";
    std::fprintf(
        stderr, "dist-run: %s; restart %" PRId64 " of %" PRId64 ", from %s, in %" PRId64 " s\n",
        result.message.c_str(), next.number, config.max_restarts, from.c_str(), next.seconds);
    if (int signal = signals.wait(double(next.seconds))) {
      result.interrupted_by = signal;
      return result;
    }
  }
}

} // namespace tutti::runtime::worker
