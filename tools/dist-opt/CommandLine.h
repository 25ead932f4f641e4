// What dist-opt does with its arguments before LLVM's parser sees them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTOPT_COMMANDLINE_H
#define TUTTI_TOOLS_DISTOPT_COMMANDLINE_H

#include "lib/options/KeyText.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace tutti {

/// The arguments, with `--train "KEY=VALUE ..."` in two words joined to one: LLVM's parser would
/// take the second for another input. So it is with every pass and pipeline. A word that names a
/// file is left alone.
std::vector<std::string> joinKeys(llvm::ArrayRef<const char *> arguments);

/// The keys that the last `--NAME=KEYS` gives, empty ones for `--NAME`; none without either.
std::optional<std::string> keysOf(llvm::ArrayRef<std::string> arguments, llvm::StringRef name);

/// Complains about keys that no pass of the command line has.
llvm::LogicalResult checkKeys(llvm::ArrayRef<std::string> arguments, options::Complain complain);

/// Answers --help and --help-NAME on standard output. The status to exit with, or none if nobody
/// asked.
std::optional<int> answerHelp(llvm::ArrayRef<std::string> arguments);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTOPT_COMMANDLINE_H
