// The launcher: makes the shared memory, starts the ranks, and watches them until the last has
// ended.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch/Launch.h"

#include "runtime/backends/shm/Segment.h"
#include "runtime/calibration/Calibration.h"
#include "runtime/launch/RankProcess.h"
#include "runtime/program/Manifest.h"
#include "runtime/reporting/RunTrace.h"
#include "runtime/run/StopSignals.h"
#include "runtime/rundir/WholeCheckpoint.h"
#include "runtime/servers/shm/Mailbox.h"
#include "runtime/servers/storage/StorageChoice.h"
#include "runtime/support/ScratchFolder.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <poll.h>
#include <sched.h>
#include <set>

namespace tutti::runtime::worker {
namespace {

using Clock = std::chrono::steady_clock;

/// How long ranks have to end by themselves once the run is to stop.
constexpr std::chrono::milliseconds grace(2000);

int64_t processors() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

class Launcher {
public:
  explicit Launcher(const RunConfig &given) : config(given) {
    if (config.threads == 0)
      config.threads = std::max<int64_t>(1, processors() / std::max<int64_t>(1, config.ranks));
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

private:
  Error prepare() {
    if (Error error = check(config))
      return error;
    int64_t bytes = config.calibrate.empty() ? 0 : 2 * calibration_bytes;
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
    if (!config.trace.empty()) {
      Result<TraceParts> parts = TraceParts::create(config);
      if (!parts)
        return parts.error();
      trace.emplace(std::move(*parts));
    }
    // A single rank has its own memory, as have ranks on another backend; the segment then only
    // carries their reports.
    bool is_shared = config.ranks > 1 && config.backend != "gloo";
    Result<shm::Segment> made = shm::Segment::create(config.ranks, is_shared ? bytes : 0);
    if (!made)
      return made.error();
    segment.emplace(std::move(*made));
    if (Error error = config.servers.empty() ? Error::success() : place_servers())
      return error;
    return config.backend == "gloo" && config.rendezvous.empty() ? make_rendezvous()
                                                                 : Error::success();
  }

  /// Servers of this machine are greeted at sockets in a folder of their own. Rows go through
  /// mailboxes.
  Error place_servers() {
    Result<ScratchFolder> made = ScratchFolder::make();
    if (!made)
      return made.error();
    sockets = std::move(*made);
    for (size_t number = 0; number < config.servers.size(); ++number) {
      config.servers[number] = text("unix:", sockets.path(), "/server-", number);
      Result<servers::MailboxFile> file = servers::MailboxFile::create(tables, config.ranks);
      if (!file)
        return file.error();
      mailboxes.push_back(std::move(*file));
    }
    return place_rows();
  }

  /// Rows on disk are in a folder of this run, which goes with it, however servers end.
  Error place_rows() {
    Result<servers::StorageChoice> choice = servers::StorageChoice::parse(config.server_storage);
    if (!choice)
      return choice.error();
    if (choice->folder.empty())
      return Error::success();
    Result<ScratchFolder> made = ScratchFolder::make_in(choice->folder);
    if (!made)
      return Error::make(made.error().status, "rows of servers: ", made.error().message);
    rows = std::move(*made);
    choice->folder = rows.path();
    config.server_storage = choice->text();
    return Error::success();
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
    std::vector<std::string> settings = {text("OMP_NUM_THREADS=", config.threads)};
    // Threads that spin for work while other ranks want their processor cost more than they gain.
    if (config.ranks * config.threads > processors())
      settings.push_back("OMP_WAIT_POLICY=passive");
    return settings;
  }

  Error start() {
    for (size_t number = 0; number < config.servers.size(); ++number) {
      WorkerConfig own = {config};
      own.server = int64_t(number);
      own.mailboxes = {mailboxes[number].descriptor()};
      Result<RankProcess> process =
          RankProcess::start(config.worker, to_json(own), own.mailboxes, environment());
      if (!process)
        return process.error();
      servers.push_back(std::move(*process));
    }
    for (int64_t rank = 0; rank < config.ranks; ++rank) {
      Result<RankProcess> process = start_rank(rank);
      if (!process)
        return process.error();
      processes.push_back(std::move(*process));
    }
    return Error::success();
  }

  Result<RankProcess> start_rank(int64_t rank) const {
    WorkerConfig own = {config, rank, segment->descriptor(), trace ? trace->descriptor(rank) : -1};
    for (const servers::MailboxFile &file : mailboxes)
      own.mailboxes.push_back(file.descriptor());
    std::vector<int> inherited = own.mailboxes;
    inherited.push_back(own.shared_descriptor);
    if (own.trace_descriptor >= 0)
      inherited.push_back(own.trace_descriptor);
    return RankProcess::start(config.worker, to_json(own), inherited, environment());
  }

  void watch(StopSignals &signals) {
    while (count_running() > 0) {
      wait_for_something(signals);
      if (int signal = signals.take())
        interrupt(signal);
      for (size_t rank = 0; rank < processes.size(); ++rank)
        if (processes[rank].has_ended())
          note_end(rank);
      for (size_t number = 0; number < servers.size(); ++number)
        if (servers[number].has_ended())
          segment->abort(end_of_server(number));
      kill_after_grace();
    }
  }

  /// Ranks that train end together, by themselves; a run that does not train has nothing to finish.
  void interrupt(int signal) {
    bool is_first = result.interrupted_by == 0;
    result.interrupted_by = signal;
    if (!is_first || !all_train())
      return (void)segment->abort({shm::AbortKind::interrupted, 0, signal});
    segment->control().stop_signal.store(uint32_t(signal));
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
    for (RankProcess &server : servers)
      if (!server.has_ended())
        watched.push_back({server.watch_descriptor(), POLLIN, 0});
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
    if (lost.count(rank) > 0)
      return;
    shm::Abort loss = {shm::AbortKind::killed, int32_t(rank), processes[rank].signal()};
    std::string what = segment->text_of(loss);
    bool may_start = replacements < config.max_restarts && result.interrupted_by == 0;
    if (may_start)
      ++replacements, replaced.insert(rank);
    Result<RankProcess> again =
        may_start ? start_rank(int64_t(rank)) : Error::make(TUTTI_RANK_DIED, what);
    if (again) {
      segment->slot(int64_t(rank)).state.store(shm::rank_absent);
      processes[rank] = std::move(*again);
      std::fprintf(stderr,
                   "dist-run: warning: %s; it starts again, the other workers go on "
                   "(restart %" PRId64 " of %" PRId64 ")\n",
                   what.c_str(), replacements, config.max_restarts);
      return;
    }
    lost.insert(rank);
    std::fprintf(stderr, "dist-run: warning: %s; the other workers go on\n", what.c_str());
  }

  /// Servers end when this launcher ends them, and not before.
  shm::Abort end_of_server(size_t number) const {
    const RankProcess &server = servers[number];
    return server.signal() != 0
               ? shm::Abort{shm::AbortKind::server_killed, int32_t(number), server.signal()}
               : shm::Abort{shm::AbortKind::server_exited, int32_t(number), server.exit_status()};
  }

  void kill_after_grace() {
    if (segment->aborted().kind == shm::AbortKind::none)
      return;
    if (!stop_time)
      stop_time = Clock::now();
    if (Clock::now() - *stop_time > grace)
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
    for (RankProcess &server : servers)
      watched.push_back({server.watch_descriptor(), POLLIN, 0});
    constexpr int milliseconds = 200;
    if (!watched.empty())
      poll(watched.data(), watched.size(), milliseconds);
    for (size_t number = 0; number < servers.size(); ++number)
      if (servers[number].has_ended())
        return end_of_server(number);
    return std::nullopt;
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
      result.message = segment->abort_text();
      result.may_go_on = may_go_on(abort);
      if (std::optional<shm::Abort> ended = is_interrupted ? std::nullopt : find_ended_server()) {
        result.status = TUTTI_RANK_DIED;
        result.message = segment->text_of(*ended);
        result.may_go_on = may_go_on(*ended);
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
  ScratchFolder rendezvous, sockets, rows;
  std::vector<ServedTable> tables;
  std::vector<servers::MailboxFile> mailboxes; ///< by server
  std::vector<std::string> metric_names;
  std::string program_name;
  bool is_asynchronous = false;
  std::set<size_t> lost, replaced; ///< ranks without which the run went on, and that came back
  int64_t replacements = 0;
  std::optional<TraceParts> trace;
  std::optional<shm::Segment> segment;
  std::vector<RankProcess> servers; ///< of tables; they outlive the ranks
  std::vector<RankProcess> processes;
  std::optional<Clock::time_point> stop_time;
  LaunchResult result;
};

/// "the checkpoint of step 300", as the ranks will find it.
std::string newest_checkpoint(const RunConfig &config) {
  std::vector<std::string> notes; // rank 0 says them
  auto found = rundir::find_newest(rundir::Folder(config.model_dir), notes);
  bool is_there = found && *found;
  return is_there ? text("the checkpoint of step ", (*found)->state().step) : "the beginning";
}

} // namespace

LaunchResult launch(const RunConfig &config) {
  static std::mutex one_at_a_time; // signals belong to the process
  std::lock_guard<std::mutex> lock(one_at_a_time);
  StopSignals signals;
  for (int64_t restart = 1;; ++restart) {
    LaunchResult result = Launcher(config).run(signals);
    if (result.may_go_on && config.max_restarts > 0 && restart > config.max_restarts)
      result.message += text(", after ", config.max_restarts, " restarts");
    if (!result.may_go_on || restart > config.max_restarts)
      return result;
    std::fprintf(stderr, "dist-run: %s; restart %" PRId64 " of %" PRId64 ", from %s\n",
                 result.message.c_str(), restart, config.max_restarts,
                 newest_checkpoint(config).c_str());
  }
}

} // namespace tutti::runtime::worker
