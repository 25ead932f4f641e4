// Files that are still being written: their names, and what becomes of those whose writer died.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_OUTPUT_UNFINISHED_H
#define TUTTI_RUNTIME_OUTPUT_UNFINISHED_H

#include "runtime/output/Place.h"

namespace tutti::runtime::output {

/// A new file ".tutti-<this process>-<16 random digits>.part" in `folder`. Its name tells others
/// who writes it (ProcessMark). Sets errno if there is none.
Descriptor create_unfinished(int folder, mode_t mode, std::string &out_name);

/// Removes files of this user from `folder` that a writer of this machine left when it was killed,
/// or that one of another has not touched for a day.
void remove_abandoned(int folder);

} // namespace tutti::runtime::output

#endif // TUTTI_RUNTIME_OUTPUT_UNFINISHED_H
