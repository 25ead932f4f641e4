// Options of dist-run that were given and have no effect on the run, or less than was asked for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_IDLEOPTIONS_H
#define TUTTI_TOOLS_DISTRUN_IDLEOPTIONS_H

#include "tools/dist-run/Options.h"

#include <string>
#include <vector>

namespace tutti {

/// What decides whether an option has an effect, beside the options themselves.
struct RunFacts {
  bool hasTables = false;        ///< that servers hold
  bool usesSeed = false;         ///< some operation is random, without a seed of its own
  std::string drawsInEvaluation; ///< the first operation of @evaluate that draws for its samples
  bool hasInputs = true;         ///< the step reads data
  std::optional<int64_t> steps;  ///< of the whole run
  /// Samples of --dataset, steps in which an epoch takes them, those of an epoch that it leaves
  /// out, and those of a step that several ranks have.
  int64_t samples = 0, stepsPerEpoch = 0, dropped = 0, repeated = 0;
  /// Samples of --evaluate, how many the program takes at once, and those that fill no batch, if
  /// they cannot be evaluated.
  int64_t evaluated = 0, evaluationBatch = 0, leftOut = 0;
  bool hasTerminal = false; ///< progress is one line that changes, not a log
  std::string launcher;     ///< that started the ranks, if dist-run does not do so itself
};

/// One line for each option that was given in vain: which, and why.
std::vector<std::string> findIdleOptions(const RunOptions &options, const RunFacts &facts);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_IDLEOPTIONS_H
