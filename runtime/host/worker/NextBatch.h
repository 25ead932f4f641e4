// The batch of a step, and those that come after it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_WORKER_NEXTBATCH_H
#define TUTTI_RUNTIME_HOST_WORKER_NEXTBATCH_H

#include "runtime/host/data/BatchLoader.h"
#include "runtime/host/program/Buffers.h"
#include "runtime/host/program/Program.h"
#include "runtime/support/system/BackgroundJob.h"

namespace tutti::runtime::worker {

/// Fills the inputs of a program. A batch that is worth it is loaded on a thread of its own while
/// the step before it runs. If the program has a @prefetch, that is told of the next step's batch.
/// Steps may begin anywhere, and end at any time. Used by one thread.
class NextBatch {
public:
  /// All are the caller's, and outlive this object. `buffers` are those of `program`. Nobody else
  /// loads with `loader`. `may_load_beside`: steps; otherwise each batch is loaded when it is
  /// needed.
  NextBatch(tutti_context *context, const Program &program, data::BatchLoader &loader,
            Buffers &buffers, bool may_load_beside);

  /// The batch of `step`, which is that of the context, to the inputs; asks ahead for the rows of
  /// the next one, and has the one after what is there loaded, if they are below `steps`. What goes
  /// wrong there is in the context.
  void load(int64_t step, int64_t steps);
  /// How long batches were loaded beside steps, so far.
  double seconds_beside();

private:
  /// Inputs, of the same sizes as those of the buffers.
  struct Batch {
    std::vector<void *> inputs; ///< none yet
    int64_t step = -1;          ///< that they are of; -1: of none
  };

  void fetch(int64_t step, std::vector<void *> &inputs);
  bool has_memory(Batch &batch);
  void load_beside(int64_t step);

  tutti_context *context;
  const Program &program;
  data::BatchLoader &loader;
  Buffers &buffers;
  bool loads_beside; ///< the steps
  Batch prefetched, ahead;
  double seconds = 0;   ///< of the thread
  Error of_thread;      ///< what was wrong with its batch
  BackgroundJob thread; ///< last, so that it ends before what it uses
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_WORKER_NEXTBATCH_H
