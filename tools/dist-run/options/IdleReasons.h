// Why options that were given have no effect on a run, or less than was asked for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_OPTIONS_IDLEREASONS_H
#define TUTTI_TOOLS_DISTRUN_OPTIONS_IDLEREASONS_H

#include "runtime/host/run/TrainingData.h"
#include "tools/dist-run/StartTimes.h"
#include "tools/dist-run/options/Options.h"

#include "llvm/ADT/Twine.h"

namespace tutti {

/// What decides whether an option has an effect, beside the options themselves.
struct RunFacts {
  bool hasTables = false;          ///< that servers hold
  bool hasStatesInFiles = false;   ///< some of those of the optimizer are not small
  bool usesSeed = false;           ///< some operation is random, without a seed of its own
  std::string drawsInEvaluation;   ///< the first operation of @evaluate that draws for its samples
  bool hasInputs = true;           ///< the step reads data
  runtime::worker::DataFacts data; ///< of --dataset and --evaluate
  bool hasTerminal = false;        ///< progress is one line that changes, not a log
  StartTimes start;                ///< for the trace
  std::optional<std::string> keys; ///< of --distribute, as a search has chosen them
  std::string choice;              ///< how it came to that, a table
  std::string launcher;            ///< that started the ranks, if dist-run does not do so itself

  /// The steps of a run that ends.
  int64_t lastStep() const { return data.steps.value_or(INT64_MAX); }
};

/// What an option that was given does instead of what it says, and why: "has no effect: REASON".
/// Empty if it has its effect.
using IdleReason = std::string (*)(const RunOptions &, const RunFacts &);

/// "has no effect: `reason`", if `isIdle`.
std::string noEffect(bool isIdle, const llvm::Twine &reason);

/// Whether the machine is measured, and nothing trained.
bool isCalibration(const RunOptions &options);
/// Whether that is not so, and nothing is trained all the same.
bool isEvaluation(const RunOptions &options);

// The reasons of several options.
std::string calibrates(const RunOptions &options, const RunFacts &facts);
std::string onlyEvaluates(const RunOptions &options, const RunFacts &facts);
std::string isAlone(const RunOptions &options, const RunFacts &facts);
std::string takesNoInputs(const RunOptions &options, const RunFacts &facts);
std::string hasNoTables(const RunOptions &options, const RunFacts &facts);

/// One line for each option that was given in vain: which, and why.
std::vector<std::string> findIdleOptions(const RunOptions &options, const RunFacts &facts);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_OPTIONS_IDLEREASONS_H
