// Checkpoints of all ranks together: one file that holds every variable as a whole, whatever part
// of it a rank has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_WORKER_CHECKPOINTS_H
#define TUTTI_RUNTIME_HOST_WORKER_CHECKPOINTS_H

#include "runtime/host/checkpoint/Frame.h"
#include "runtime/host/program/Buffers.h"

#include <functional>
#include <string>

namespace tutti::runtime::worker {

// Variables in the file:
// - replicated ones as they are, on rank 0;
// - sharded ones whole, without the zeros that fill the last part up, so that the file is that of a
//   run on one device and fits any number of ranks;
// - of those that are each rank's own, floating-point variables of the model as their mean over the
//   ranks; states of the optimizer, and whatever has no mean, with one row more for each rank,
//   [ranks, shape...].

/// Reads rows `first` to `first + count` of a table, with their states, to `out`.
using TableReader = std::function<Error(int64_t table, int64_t first, int64_t count, char *out)>;

/// Saves the variables that the ranks hold to `path`, on rank 0, and after them the tables that
/// servers hold, each followed by its optimizer's states. All ranks call it at the same point. Rank
/// 0 needs memory for the largest variable that is gathered, and for the largest table.
Error save_checkpoint(tutti_context *context, const Manifest &manifest, const Buffers &buffers,
                      int64_t rank, const std::string &path,
                      const TableReader &read_table = nullptr);

/// Writes the variables and tables that `frame` has slots for, in the form that they have in a
/// checkpoint, and all that is around them, on rank 0. All ranks call it at the same point with the
/// same slots.
Error export_variables(tutti_context *context, const Manifest &manifest, const Buffers &buffers,
                       int64_t rank, const checkpoint::Frame &frame,
                       const TableReader &read_table = nullptr);

/// Fills what this rank holds from the file at `path`, which may have tables of servers, too. No
/// rank waits for another. A variable with a row for each rank may also be there in its own shape,
/// and is the same on all ranks then; if it is not there, or has another number of rows, it stays
/// as it is: such states belong to the ranks that saved them. `out_notes`: what a user should be
/// told.
Error load_checkpoint(const Manifest &manifest, const Buffers &buffers, int64_t rank,
                      const std::string &path, std::vector<std::string> &out_notes);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_WORKER_CHECKPOINTS_H
