// From the files of a checkpoint to what one rank of a run holds, whatever ranks wrote them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUNDIR_RESTORE_H
#define TUTTI_RUNTIME_HOST_RUNDIR_RESTORE_H

#include "runtime/host/program/Buffers.h"
#include "runtime/host/rundir/FileMeans.h"

namespace tutti::runtime::rundir {

/// Fills the variables of rank `rank`, bit for bit where that has a meaning:
/// - what all ranks hold alike, or hold parts of, fits any number of ranks: parts are cut anew;
/// - what each rank had of its own goes to as many ranks as there were. For another number, a
///   variable of the model becomes the mean of what the ranks had: it is not filled, but told in
///   `out_averaged`, in the same order on all ranks, which take the means together. States of
///   optimizers, and what a rank had not sent yet, start anew. `out_notes` says so.
/// A checkpoint of another program is an error that names the first variable that differs; nothing
/// is written then.
Error restore(const WholeCheckpoint &checkpoint, const worker::Manifest &manifest,
              const worker::Buffers &buffers, int64_t rank, std::vector<std::string> &out_notes,
              std::vector<Averaged> &out_averaged);

} // namespace tutti::runtime::rundir

#endif // TUTTI_RUNTIME_HOST_RUNDIR_RESTORE_H
