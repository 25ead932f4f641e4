// Looking for checkpoints that are new, and launching an evaluation for each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/launch/FollowedRun.h"

#include "runtime/host/reporting/SummaryWriter.h"
#include "runtime/host/run/StopSignals.h"
#include "runtime/host/rundir/FindCheckpoint.h"

#include <climits>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tutti::runtime::worker {
namespace {

class Follower {
public:
  explicit Follower(const RunConfig &given)
      : config(given), folder(given.model_dir), own(given.model_dir + "/eval") {
    config.progress = "none"; // each launch would say what it evaluates
    config.max_restarts = 0;
  }

  Error begin() {
    std::error_code problem;
    std::filesystem::create_directories(own.path(), problem);
    if (problem)
      return Error::make(TUTTI_SYSTEM_ERROR, "cannot make the folder '", own.path(),
                         "': ", problem.message());
    done = last_told();
    Result<SummaryWriter> opened = SummaryWriter::open(own.path(), /*every=*/1, done, INT64_MAX,
                                                       /*names=*/{}, /*constants=*/{});
    if (!opened)
      return opened.error();
    summaries.emplace(std::move(*opened));
    return Error::success();
  }

  LaunchResult run(const std::function<void(const RankSummary &)> &tell) {
    LaunchResult result;
    while (result.status == 0 && result.interrupted_by == 0) {
      bool is_over = folder.is_finished(); // asked first: no checkpoint comes after it
      if (std::optional<int64_t> step = find_new())
        result = evaluate(*step, tell);
      else if (is_over)
        return close(std::move(result), last_problem());
      else
        result.interrupted_by = pause();
    }
    return close(std::move(result), Error::success());
  }

private:
  LaunchResult close(LaunchResult result, Error error) {
    Error unwritten = summaries->close();
    if (!error)
      error = unwritten;
    if (error && result.status == 0)
      result.status = error.status, result.message = error.message;
    return result;
  }

  /// The step of the last line that an earlier evaluator wrote.
  int64_t last_told() const {
    std::ifstream lines(own.metrics());
    int64_t step = 0;
    for (std::string line; std::getline(lines, line);) {
      auto parsed = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (parsed.is_object() && parsed.contains("step") && parsed["step"].is_number_integer())
        step = std::max(step, parsed["step"].get<int64_t>());
    }
    return step;
  }

  /// The newest checkpoint of which all files are there, if it is newer than what was looked at.
  std::optional<int64_t> find_new() {
    auto steps = folder.parts();
    if (!steps)
      return std::nullopt; // not yet, or not now
    for (auto found = steps->rbegin(); found != steps->rend() && found->first > done; ++found)
      if (is_whole(found->first))
        return found->first;
    return std::nullopt;
  }

  /// One that is not, and will not become so, is told of once. Training removes a step from the
  /// list before its files: so the list is read after these.
  bool is_whole(int64_t step) {
    using rundir::Condition;
    rundir::FoundCheckpoint found =
        rundir::examine(folder, {}, step, &rundir::WholeCheckpoint::verify);
    bool is_lost =
        found.condition == Condition::unfinished && rundir::CheckpointList::read(folder).has(step);
    if (is_lost || found.condition == Condition::unreadable)
      tell_unreadable(step, found.problem);
    return found.condition == Condition::whole;
  }

  void tell_unreadable(int64_t step, const Error &problem) {
    if (step > unreadable)
      std::fprintf(stderr,
                   "dist-run: warning: the checkpoint of step %lld cannot be read: %s\n  it is not "
                   "evaluated\n",
                   static_cast<long long>(step), problem.message.c_str());
    if (step >= unreadable)
      unreadable = step, why = problem;
  }

  /// Once the run is over: its last checkpoint is not to go by in silence.
  Error last_problem() const {
    if (unreadable <= done)
      return Error::success();
    return Error::make(why.status, "the last checkpoint, of step ", unreadable,
                       ", was not evaluated: ", why.message);
  }

  LaunchResult evaluate(int64_t step, const std::function<void(const RankSummary &)> &tell) {
    int64_t epoch = epoch_of(step);
    LaunchResult result = launch(config);
    if (result.interrupted_by != 0)
      return result;
    int asked_by = result.asked_by;            // to end, though this evaluation was over before
    if (result.status != 0 && !is_whole(step)) // training has removed it meanwhile
      result = LaunchResult();
    else if (result.status == 0)
      note(step, epoch, result, tell);
    result.interrupted_by = asked_by;
    return result;
  }

  void note(int64_t step, int64_t epoch, const LaunchResult &result,
            const std::function<void(const RankSummary &)> &tell) {
    const RankSummary &summary = result.ranks.at(0).summary;
    bool is_new = summary.steps_before > done; // a damaged one is not
    done = std::max(step, summary.steps_before);
    if (!is_new)
      return;
    tell(summary);
    summaries->record_evaluation({summary.steps_before, epoch, {}, 0, result.evaluation});
    summaries->flush();
  }

  /// From 1, of the last step.
  int64_t epoch_of(int64_t step) const {
    auto checkpoint = rundir::WholeCheckpoint::open(folder, step);
    return checkpoint ? checkpoint->state().epoch + (checkpoint->state().batch_of_epoch > 0) : 1;
  }

  /// A second; the signal that ended it, if one did.
  static int pause() {
    StopSignals signals;
    return signals.wait(1);
  }

  RunConfig config;
  rundir::Folder folder, own;
  int64_t done = 0;        ///< the step of the newest checkpoint that was looked at
  int64_t unreadable = -1; ///< the newest that cannot be read, and why
  Error why;
  std::optional<SummaryWriter> summaries;
};

} // namespace

LaunchResult follow(const RunConfig &config,
                    const std::function<void(const RankSummary &summary)> &tell) {
  Follower follower(config);
  if (Error error = follower.begin()) {
    LaunchResult failed;
    failed.status = error.status;
    failed.message = "--follow: " + error.message;
    return failed;
  }
  return follower.run(tell);
}

} // namespace tutti::runtime::worker
