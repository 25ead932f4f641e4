// Variables as files have them: whole, whatever part of them a rank holds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_PROGRAM_SAVEDVARIABLES_H
#define TUTTI_RUNTIME_HOST_PROGRAM_SAVEDVARIABLES_H

#include "runtime/host/program/Manifest.h"

namespace tutti::runtime::worker {

/// Whether a file has the mean over the ranks.
bool is_averaged(const Variable &variable);

/// Whether a file has a row for each rank.
bool has_row_per_rank(const Variable &variable);

/// The shape in a file of a run on `ranks` ranks.
std::vector<int64_t> shape_in_file(const Variable &variable, int64_t ranks);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_PROGRAM_SAVEDVARIABLES_H
