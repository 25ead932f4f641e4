// Choosing, filling, copying, writing and removing checkpoints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/rundir/RunDirectory.h"

#include "runtime/host/program/HostExchange.h"
#include "runtime/host/rundir/Restore.h"
#include "runtime/host/rundir/Retention.h"
#include "tutti/collectives.h"

#include <algorithm>
#include <cstdio>
#include <random>

namespace tutti::runtime::rundir {
namespace {

DataOrder order_of(const worker::RunConfig &config, const worker::Manifest &manifest,
                   const data::BatchLoader *loader) {
  DataOrder order;
  order.seed = config.seed;
  order.is_shuffled = config.shuffle;
  order.samples = loader ? loader->samples() : 0;
  order.batch = std::min(manifest.global_batch, manifest.samples_per_step);
  return order;
}

void tell(const NewestCheckpoint::Skipped &skipped, int64_t step, const Folder &folder,
          bool is_moved) {
  if (skipped.condition == Condition::unfinished)
    return (void)std::fprintf(
        stderr, "note: the checkpoint of step %lld is unfinished and is skipped: %s\n",
        static_cast<long long>(skipped.step), skipped.why.c_str());
  std::string moved = is_moved ? "; its files move to '" + folder.set_aside() + "'" : "";
  std::fprintf(
      stderr,
      "warning: the checkpoint of step %lld cannot be read: %s\n  the run goes on from that "
      "of step %lld%s\n",
      static_cast<long long>(skipped.step), skipped.why.c_str(), static_cast<long long>(step),
      moved.c_str());
}

/// Whole checkpoints of which no file is left: somebody has moved them, or this is not the folder.
void tell_gone(const CheckpointList &list, int64_t step, const Folder &folder) {
  auto first = list.whole().upper_bound(step);
  int64_t count = std::distance(first, list.whole().end());
  if (count == 0)
    return;
  std::string how =
      step < 0 ? "begins at step 0" : text("goes on from the checkpoint of step ", step);
  std::fprintf(stderr,
               "warning: the checkpoint of step %lld%s is listed in '%s' and is no longer in '%s'; "
               "the run %s\n",
               static_cast<long long>(*list.whole().rbegin()),
               count == 1 ? "" : text(", with ", count - 1, " older ones,").c_str(),
               folder.list().c_str(), folder.checkpoints().c_str(), how.c_str());
}

int64_t random_number() {
  std::random_device device;
  return int64_t((uint64_t(device()) << 32 | device()) >> 1);
}

} // namespace

RunDirectory::RunDirectory(const worker::WorkerConfig &given, const worker::Manifest &manifest,
                           const data::BatchLoader *loader)
    : config(given), manifest(manifest), folder(config.run.model_dir),
      state(RunState::of(config.run, manifest, config.rank, order_of(config.run, manifest, loader),
                         worker::record_of(config.run, manifest, loader))),
      steps_per_epoch(loader ? loader->steps_per_epoch() : 1), snapshot(manifest, config.rank) {}

Error RunDirectory::prepare() {
  if (config.rank != 0 || worker::only_evaluates(config.run))
    return Error::success();
  Error error = folder.prepare();
  Result<LeaseTimes> times = error ? error : LeaseTimes::of_environment();
  auto taken = times ? Lease::take(folder, *times) : times.error();
  if (taken)
    lease = std::move(*taken);
  error = taken.error();
  return error ? Error::make(error.status, "the run directory: ", error.message) : error;
}

/// Whether the folder is still that of this run. Workers that do not wait for each other know no
/// number but their own; the first of them has the record.
Error RunDirectory::check_owner() const {
  if (lease || manifest.is_asynchronous())
    return lease ? lease->check() : Error::success();
  return Lease::check(folder, launch);
}

/// Rank 0's word becomes that of all.
void RunDirectory::agree(tutti_context *context, Word &word) const {
  static_assert(sizeof word == 3 * sizeof(int64_t));
  const void *source = &word;
  void *destination = &word;
  int64_t count = 3, entry = entry_of(manifest, worker::HostExchange::start);
  tutti_broadcast(context, entry, TUTTI_GROUP_WORLD, 0, TUTTI_I64, 1, &source, &destination,
                  &count);
}

int64_t RunDirectory::least_of_all(tutti_context *context, worker::HostExchange what,
                                   int64_t number) const {
  const void *source = &number;
  void *destination = &number;
  int64_t one = 1;
  tutti_all_reduce(context, entry_of(manifest, what), TUTTI_GROUP_WORLD, TUTTI_MIN, TUTTI_I64, 1,
                   &source, &destination, &one);
  return number;
}

/// Every rank reads some of the files. The first that is damaged, or INT64_MAX.
int64_t RunDirectory::verify_share(tutti_context *context, int64_t step) const {
  int64_t damaged = INT64_MAX;
  Result<WholeCheckpoint> checkpoint = WholeCheckpoint::open_first(folder, step);
  if (!checkpoint)
    damaged = 0;
  for (int64_t number = config.rank; checkpoint && number < checkpoint->all_files();
       number += manifest.ranks)
    if (damaged == INT64_MAX && checkpoint->verify_file(number))
      damaged = number;
  return least_of_all(context, worker::HostExchange::start, damaged);
}

/// On rank 0, while the others wait for its word.
Error RunDirectory::verify_together(tutti_context *context,
                                    const WholeCheckpoint &checkpoint) const {
  Word word = {checkpoint.state().step, 0, /*is_decided=*/0};
  agree(context, word);
  int64_t damaged = verify_share(context, word.step);
  if (damaged == INT64_MAX)
    return Error::success();
  Error error = checkpoint.verify_file(damaged); // for the reason
  return error ? error
               : Error::make(TUTTI_BAD_DATA, "'", checkpoint.path(), "': file ", damaged,
                             " of the checkpoint cannot be read by another rank");
}

/// The step of the newest checkpoint, or -1.
Result<int64_t> RunDirectory::choose(tutti_context *context) {
  Verify together = [&](const WholeCheckpoint &checkpoint) {
    return verify_together(context, checkpoint);
  };
  Result<NewestCheckpoint> newest =
      manifest.is_asynchronous() ? find_newest(folder) : find_newest(folder, together);
  if (!newest)
    return newest.error();
  int64_t step = newest->checkpoint ? newest->checkpoint->state().step : -1;
  bool writes = !worker::only_evaluates(config.run);
  if (config.rank != 0)
    return step;
  for (const NewestCheckpoint::Skipped &skipped : newest->skipped)
    tell(skipped, step, folder, writes);
  if (newest->skipped.empty())
    tell_gone(CheckpointList::read(folder), step, folder);
  if (Error error = writes ? make_room(*newest) : Error::success())
    return error;
  return step;
}

/// What could not be read stays, under names that this run will not write.
Error RunDirectory::make_room(const NewestCheckpoint &newest) {
  for (const NewestCheckpoint::Skipped &skipped : newest.skipped)
    if (skipped.condition == Condition::unreadable)
      if (Error error = rundir::set_aside(folder, skipped.step))
        return error;
  auto steps = folder.parts();
  if (!steps)
    return steps.error();
  std::set<int64_t> older;
  for (const auto &[step, parts] : *steps)
    if (newest.checkpoint && step <= newest.checkpoint->state().step)
      older.insert(step);
  folder.forget_finished();
  list = CheckpointList::read(folder);
  return list.restrict_to(folder, older);
}

Result<int64_t> RunDirectory::resume(tutti_context *context, const worker::Buffers &buffers) {
  constexpr int64_t failed = -2; // -1: there is none
  Word word;
  Error error;
  bool chooses = config.rank == 0 || (manifest.is_asynchronous() && !manifest.variables.empty());
  if (chooses) {
    Result<int64_t> chosen = choose(context);
    word = {chosen ? *chosen : failed, lease ? lease->number() : random_number()};
    error = chosen.error();
  }
  agree(context, word);
  for (; !word.is_decided && tutti_context_status(context) == TUTTI_OK; agree(context, word))
    verify_share(context, word.step);
  if (error)
    return error;
  launch = word.launch;
  state.launch = text(launch);
  if (word.step < 0 || tutti_context_status(context) != TUTTI_OK)
    return int64_t(0);
  if (Error failure = fill(context, word.step, buffers))
    return failure;
  saved_step = word.step;
  saved_at = Clock::now();
  return word.step;
}

/// What ranks compute together waits until each has what it needs for it.
Error RunDirectory::fill(tutti_context *context, int64_t step, const worker::Buffers &buffers) {
  Result<WholeCheckpoint> checkpoint = WholeCheckpoint::open_first(folder, step);
  Result<FileMeans> means =
      checkpoint ? fill_own(*checkpoint, buffers, context) : Result<FileMeans>(checkpoint.error());
  bool can_all = least_of_all(context, worker::HostExchange::start, means ? 1 : 0) == 1;
  if (!means || !can_all) // another rank says why
    return means.error();
  return means->take(context, entry_of(manifest, worker::HostExchange::start));
}

/// What this rank fills by itself; returns what it does not.
Result<FileMeans> RunDirectory::fill_own(const WholeCheckpoint &checkpoint,
                                         const worker::Buffers &buffers, tutti_context *context) {
  const RunState &saved = checkpoint.state();
  std::vector<std::string> notes;
  std::vector<Averaged> averaged;
  if (Error error = restore(checkpoint, manifest, buffers, config.rank, notes, averaged))
    return error;
  bool draws_others = !manifest.tables.empty() && saved.data.seed != state.data.seed;
  if (worker::only_evaluates(config.run) && draws_others)
    return Error::make(TUTTI_INVALID_ARGUMENT, "'", checkpoint.path(),
                       "': it was made with --seed ", saved.data.seed, ", this run has ",
                       state.data.seed, ": rows of tables that no step has used may depend on it");
  bool trains = !worker::only_evaluates(config.run);
  if (Error error = trains ? worker::check_same_run(saved.record, saved.is_record_partial,
                                                    state.record, config.run.resume_anyway, notes)
                           : Error::success())
    return Error::make(error.status, "'", checkpoint.path(), "': ", error.message);
  state.best = saved.best;
  for (const std::string &note : notes)
    if (config.rank == 0)
      std::fprintf(stderr, "note: checkpoint '%s' %s\n", checkpoint.path().c_str(), note.c_str());
  return FileMeans::open(checkpoint, std::move(averaged), tutti_context_rank(context),
                         tutti_context_size(context));
}

bool RunDirectory::is_time() const {
  std::chrono::duration<double> since = Clock::now() - saved_at;
  return config.rank == 0 && config.run.save_checkpoints_secs > 0 &&
         since.count() >= double(config.run.save_checkpoints_secs);
}

bool RunDirectory::is_due(int64_t steps_done) const {
  int64_t every = config.run.save_checkpoints_steps;
  return every > 0 && steps_done % every == 0;
}

/// The lowest rank that could not write its part of the last checkpoint, or the number of ranks.
int64_t RunDirectory::first_failed(tutti_context *context) const {
  return least_of_all(context, worker::HostExchange::checkpoint,
                      problem ? config.rank : manifest.ranks);
}

/// The step of the last checkpoint, if each rank wrote a file of it and all have; else -1.
int64_t RunDirectory::confirm(tutti_context *context) {
  int64_t step = std::exchange(unconfirmed, -1);
  bool is_there = step >= 0 && first_failed(context) == manifest.ranks &&
                  tutti_context_status(context) == TUTTI_OK;
  return is_there ? step : -1;
}

Error RunDirectory::save(tutti_context *context, const worker::Buffers &buffers,
                         int64_t steps_done) {
  saved_at = Clock::now();
  if (saved_step == steps_done)
    return Error::success();
  writer.wait();
  int64_t whole = confirm(context);
  saved_step = steps_done;
  if (state.files > 1 && !manifest.is_asynchronous())
    unconfirmed = steps_done;
  if (snapshot.is_empty() && !tables)
    return Error::success();
  if (Error error = check_owner())
    return error;
  problem = tables ? tables->begin(steps_done, state.launch) : Error::success();
  if (problem) {
    warn(problem.message + "; training goes on without this checkpoint");
    return Error::success();
  }
  snapshot.take(buffers);
  state.move_to(steps_done, steps_per_epoch);
  writer.start([this, whole, now = state] { write(now, whole); });
  return Error::success();
}

/// On the thread of the writer. `whole`: the step of a checkpoint that all ranks have written.
void RunDirectory::write(const RunState &now, int64_t whole) {
  PartName name = {now.step, now.rank, now.ranks};
  problem = snapshot.write(folder.part(name), now);
  if (Error error = tables ? tables->finish(now.step) : Error::success(); error && !problem)
    problem = error;
  if (problem)
    return warn(problem.message + "; training goes on without this checkpoint");
  if (now.rank != 0)
    return;
  if (now.files == 1)
    whole = now.step;
  Error error = whole >= 0 ? list.add(folder, whole) : Error::success();
  if (!error && config.run.keep_checkpoint_max > 0)
    error = remove_old(folder, list, now.step, config.run.keep_checkpoint_max, now.best.step);
  if (error)
    warn(error.message);
}

void RunDirectory::warn(const std::string &what) const {
  std::fprintf(stderr, "warning: rank %lld: checkpoint: %s\n", static_cast<long long>(config.rank),
               what.c_str());
}

Error RunDirectory::finish(tutti_context *context, const worker::Buffers &buffers,
                           int64_t steps_done, bool is_early) {
  Error lost = steps_done > 0 ? save(context, buffers, steps_done) : Error::success();
  writer.wait();
  if (lost || (lost = check_owner()))
    problem = lost;
  int64_t failed = first_failed(context);
  if (tutti_context_status(context) != TUTTI_OK)
    return {tutti_context_status(context), tutti_context_message(context)};
  if (problem)
    return Error::make(problem.status, "the last checkpoint: ", problem.message);
  if (failed < manifest.ranks)
    return Error::make(TUTTI_SYSTEM_ERROR, "the last checkpoint: rank ", failed,
                       " could not write its part");
  if (config.rank != 0 || steps_done == 0)
    return Error::success();
  Error error = manifest.is_asynchronous() && state.files > 1 ? Error::success()
                                                              : list.add(folder, steps_done);
  if (!error && config.run.keep_checkpoint_max > 0)
    error = remove_old(folder, list, steps_done, config.run.keep_checkpoint_max, state.best.step);
  if (error)
    return error;
  bool is_last = is_early || steps_done >= *worker::count_steps(config.run, steps_per_epoch);
  return is_last ? folder.tell_finished(steps_done) : Error::success();
}

} // namespace tutti::runtime::rundir
