// The run directory as one rank takes part in it: going on from a checkpoint, and writing them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUNDIR_RUNDIRECTORY_H
#define TUTTI_RUNTIME_HOST_RUNDIR_RUNDIRECTORY_H

#include "runtime/host/data/BatchLoader.h"
#include "runtime/host/program/HostExchange.h"
#include "runtime/host/rundir/FileMeans.h"
#include "runtime/host/rundir/FindCheckpoint.h"
#include "runtime/host/rundir/Snapshot.h"
#include "runtime/host/rundir/folder/Lease.h"
#include "runtime/support/system/BackgroundJob.h"
#include "tutti/context.h"

#include <chrono>
#include <functional>

namespace tutti::runtime::rundir {

/// How servers that hold tables take part in checkpoints: each writes its rows in a file of its
/// own.
struct TableParts {
  /// They are to write what they hold after `step` steps, which is not copied when this returns
  /// but will not change any more.
  std::function<Error(int64_t step, const std::string &launch)> begin;
  /// Until they have, or could not.
  std::function<Error(int64_t step)> finish;
};

/// Every rank has one. A checkpoint is a copy of the variables at the boundary of two steps, which
/// a thread writes while the next steps run; the next checkpoint waits for it. One that cannot be
/// written is a warning, and the error of the run if it was the last.
class RunDirectory {
public:
  /// `loader` may be null: the step has no inputs. All must outlive this object.
  RunDirectory(const worker::WorkerConfig &config, const worker::Manifest &manifest,
               const data::BatchLoader *loader);

  /// Of the servers that rank 0 speaks for.
  void set_table_parts(TableParts parts) { tables = std::move(parts); }

  /// Makes the folders, on rank 0; fails if nothing can be written there,
  /// or another run writes there.
  Error prepare();
  /// Fills the variables from the newest checkpoint that is whole, which rank 0 chooses, or each
  /// rank of those that do not wait for each other. The steps that are done then: 0 if there is
  /// none. Newer ones that cannot be read are set aside; if none can, that is an error. Collective;
  /// an error may be this rank's alone.
  Result<int64_t> resume(tutti_context *context, const worker::Buffers &buffers);

  /// By the clock, on rank 0: whether the next checkpoint is due, if that goes by seconds. All
  /// ranks have to agree on the step.
  bool is_time() const;
  /// Whether it is due after `steps_done` steps, by their number: the same on all ranks.
  bool is_due(int64_t steps_done) const;
  /// Takes a checkpoint after `steps_done` steps. Called by all ranks after the same step;
  /// collective where each writes a file. The error says that another run has the folder now.
  Error save(tutti_context *context, const worker::Buffers &buffers, int64_t steps_done);
  /// What later checkpoints say of the best step, whose own checkpoint stays.
  void set_best(BestStep best) { state.best = std::move(best); }
  /// What the checkpoint that the run went on from says of it.
  const BestStep &best() const { return state.best; }
  /// Fills the variables from the checkpoint of `step`, which this run has taken and finished.
  /// Collective; an error may be this rank's alone.
  Error go_back(tutti_context *context, const worker::Buffers &buffers, int64_t step) {
    return fill(context, step, buffers);
  }
  /// Waits until what this rank has saved is on file.
  void settle() { writer.wait(); }
  /// The step of the last checkpoint that was taken, or that the run went on from; -1: none.
  int64_t last_saved() const { return saved_step; }
  /// Takes the last checkpoint unless it is there, and waits until all ranks have written theirs.
  /// The run is finished once all its steps are done, or if `is_early`, as no more are wanted.
  /// Collective. What could not be written, on any rank, is the error.
  Error finish(tutti_context *context, const worker::Buffers &buffers, int64_t steps_done,
               bool is_early);

private:
  using Clock = std::chrono::steady_clock;

  Error fill(tutti_context *context, int64_t step, const worker::Buffers &buffers);
  Result<FileMeans> fill_own(const WholeCheckpoint &checkpoint, const worker::Buffers &buffers,
                             tutti_context *context);
  Result<int64_t> choose(tutti_context *context);
  Error make_room(const NewestCheckpoint &newest);
  /// What rank 0 tells all while it chooses.
  struct Word {
    int64_t step = -1, launch = 0;
    int64_t is_decided = 1; ///< else all look at the bytes of the checkpoint of `step`
  };
  void agree(tutti_context *context, Word &word) const;
  Error verify_together(tutti_context *context, const WholeCheckpoint &checkpoint) const;
  int64_t verify_share(tutti_context *context, int64_t step) const;
  int64_t least_of_all(tutti_context *context, worker::HostExchange what, int64_t number) const;
  int64_t first_failed(tutti_context *context) const;
  int64_t confirm(tutti_context *context);
  void write(const RunState &now, int64_t whole);
  Error check_owner() const;
  void warn(const std::string &what) const;

  const worker::WorkerConfig &config;
  const worker::Manifest &manifest;
  Folder folder;
  std::unique_ptr<Lease> lease; ///< of rank 0
  RunState state;               ///< of the launch; its step is that of the last checkpoint
  int64_t launch = 0;           ///< the number of rank 0's lease
  int64_t steps_per_epoch = 1;
  Snapshot snapshot;
  std::optional<TableParts> tables; ///< of rank 0, if servers hold any
  CheckpointList list;              ///< of rank 0; the writer's while it runs
  int64_t saved_step = -1;
  int64_t unconfirmed = -1; ///< the step of a checkpoint of which other ranks write files
  Clock::time_point saved_at = Clock::now();
  Error problem;        ///< of the last checkpoint; the writer's while it runs
  BackgroundJob writer; ///< last, so that it ends before what it uses
};

} // namespace tutti::runtime::rundir

#endif // TUTTI_RUNTIME_HOST_RUNDIR_RUNDIRECTORY_H
