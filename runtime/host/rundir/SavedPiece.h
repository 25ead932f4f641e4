// What one file of a checkpoint has of a variable.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUNDIR_SAVEDPIECE_H
#define TUTTI_RUNTIME_HOST_RUNDIR_SAVEDPIECE_H

#include "runtime/host/rundir/WholeCheckpoint.h"

#include <string_view>

namespace tutti::runtime::rundir {

/// Elements of a variable's type as bytes.
int64_t bytes_of(int32_t type, const std::vector<int64_t> &shape);

/// The shape of what all ranks together have, not of a rank's part.
const std::vector<int64_t> &whole_of(const worker::Variable &variable);

/// That it is of another program; the caller adds which file.
Error of_another_program(const std::string &what);

/// The bytes of `variable` in the file of rank `file`, which was saved as `how` says. Its elements
/// fit the variable's type and shape, else that is an error that does not name the checkpoint.
Result<std::string_view> saved_piece(const WholeCheckpoint &checkpoint,
                                     const worker::Variable &variable, const SavedPlacement &how,
                                     int64_t file);

} // namespace tutti::runtime::rundir

#endif // TUTTI_RUNTIME_HOST_RUNDIR_SAVEDPIECE_H
