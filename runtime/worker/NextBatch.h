// The batch of a step, and the rows of tables that the next one will need.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_WORKER_NEXTBATCH_H
#define TUTTI_RUNTIME_WORKER_NEXTBATCH_H

#include "runtime/data/BatchLoader.h"
#include "runtime/program/Buffers.h"
#include "runtime/program/Program.h"

#include <optional>

namespace tutti::runtime::worker {

/// Fills the inputs of a program. If it has a @prefetch, the next step's batch is loaded one step
/// early, and @prefetch is told of it. Steps may begin anywhere, and end at any time.
class NextBatch {
public:
  /// All are the caller's, and outlive this object. `buffers` are those of `program`.
  NextBatch(tutti_context *context, const Program &program, data::BatchLoader &loader,
            Buffers &buffers)
      : context(context), program(program), loader(loader), buffers(buffers) {}

  /// The batch of `step`, which is that of the context, to the inputs; and asks ahead for the rows
  /// of the next one if that is below `steps`. What goes wrong there is in the context.
  void load(int64_t step, int64_t steps);

private:
  void look_ahead(int64_t next);

  tutti_context *context;
  const Program &program;
  data::BatchLoader &loader;
  Buffers &buffers;
  std::vector<void *> other; ///< inputs, of the same sizes as those of the buffers
  int64_t in_other = -1;     ///< the step whose batch they have; -1: none
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_WORKER_NEXTBATCH_H
