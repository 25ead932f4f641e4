// What a rank starts with: the newest checkpoint of its run directory, or a file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/HostExchange.h"
#include "runtime/host/worker/Checkpoints.h"
#include "runtime/host/worker/Session.h"
#include "tutti/collectives.h"

#include <cstdio>

namespace tutti::runtime::worker {

/// Which samples of a step this rank computes: what is drawn for a sample follows from it.
void Session::deal_samples() {
  int32_t mode = is_alone() ? TUTTI_SHARD_NONE : manifest().shard_mode;
  int64_t samples = is_alone() ? manifest().local_batch : manifest().samples_per_step;
  tutti_context_set_neighbours(context.get(), is_alone() ? 1 : manifest().neighbours);
  tutti_context_set_samples(context.get(), mode, samples, manifest().local_batch);
}

/// What all ranks must do alike. Those that meet at the servers alone may evaluate and write what
/// the others do not.
std::string Session::agreement() const {
  const data::BatchLoader *data = loader ? &*loader : nullptr;
  if (is_alone())
    return spell(record_of(config.run, manifest(), data)) + text("steps: ", steps(), "\n");
  return spell(
      agreement_of(config.run, manifest(), data, evaluation_data ? &*evaluation_data : nullptr));
}

/// A mistake that many ranks make is the error of the first of them; the others only know of it.
/// Our launcher chooses itself.
Error Session::first_of_ranks(const Error &error) {
  if (segment || config.run.ranks == 1 || is_alone())
    return error;
  int64_t entry = entry_of(manifest(), HostExchange::start), one = 1;
  int64_t first = error ? config.rank : config.run.ranks;
  const void *source = &first;
  void *destination = &first;
  tutti_all_reduce(context.get(), entry, TUTTI_GROUP_WORLD, TUTTI_MIN, TUTTI_I64, 1, &source,
                   &destination, &one);
  if (Error failed = context_error())
    return failed;
  if (first == config.run.ranks || first == config.rank)
    return error;
  return Error::make(TUTTI_PEER_FAILED, "rank ", first, " failed before the first step");
}

Error Session::open_states() {
  if (config.run.offload.empty())
    return Error::success();
  Result<std::unique_ptr<StateFile>> made = StateFile::create(config.run.offload, manifest());
  if (made)
    states = std::move(*made);
  return made.error();
}

/// After all states may have been looked at.
Error Session::release_states() { return states ? states->release_all() : Error::success(); }

/// A run that has begun goes on, whatever it once started from.
Error Session::resume() {
  trace::Scope scope(trace.recorder(), trace::Kind::phase, "resume");
  Result<int64_t> done = directory->resume(context.get(), buffers);
  if (Error error = first_of_ranks(done.error()))
    return error;
  bool evaluates = only_evaluates(config.run);
  result.steps_before = *done;
  result.steps = evaluates ? 0 : *done;
  bool has_nothing = *done == 0 && evaluates && config.run.load.empty();
  bool is_said_by_first = segment && config.rank > 0 && !is_alone(); // who knows more
  if (has_nothing && is_said_by_first) {
    tutti_barrier(context.get(), entry_of(manifest(), HostExchange::start), TUTTI_GROUP_WORLD);
    return context_error();
  }
  if (has_nothing)
    return first_of_ranks(Error::make(TUTTI_INVALID_ARGUMENT, "'", config.run.model_dir,
                                      "' has no checkpoint to evaluate"));
  return Error::success();
}

Error Session::load() {
  trace::Scope scope(trace.recorder(), trace::Kind::phase, "load variables");
  std::vector<std::string> notes;
  Error error = load_checkpoint(manifest(), buffers, config.rank, config.run.load, notes);
  for (const std::string &note : notes)
    if (config.rank == 0)
      std::fprintf(stderr, "note: checkpoint '%s' %s\n", config.run.load.c_str(), note.c_str());
  return first_of_ranks(error);
}

} // namespace tutti::runtime::worker
