// What the command line says of data: which array an input gets, how files are read, in which
// order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_DATAOPTIONS_H
#define TUTTI_TOOLS_DISTRUN_DATAOPTIONS_H

#include "tools/dist-run/Options.h"

namespace tutti {

// Each throws a CLI::ValidationError that says what was expected.

/// INPUT=ARRAY.
void addBinding(const std::string &pair, RunOptions &options);
/// The keys of --read.
void parseReadKeys(const std::string &keys, RunOptions &options);
/// true, false, or block:N.
void parseShuffling(const std::string &how, RunOptions &options);

/// What readers of files are told beside their keys, once all flags are known.
void completeReadOptions(RunOptions &options);

/// Those keys of --read that no data of this run are read by.
std::vector<std::string> idleReadKeys(const RunOptions &options);

/// Whether --dataset tells which numbers the words or classes of --evaluate have.
bool evaluatesByTrainingWords(const RunOptions &options);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_DATAOPTIONS_H
