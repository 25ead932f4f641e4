// An option that is asked for is never dropped in silence: where it can do nothing, that is said.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/options/IdleReasons.h"

#include "tools/dist-run/options/OptionRow.h"

using namespace tutti;

std::string tutti::noEffect(bool isIdle, const llvm::Twine &reason) {
  return isIdle ? ("has no effect: " + reason).str() : "";
}

bool tutti::isCalibration(const RunOptions &options) { return !options.config.calibrate.empty(); }

bool tutti::isEvaluation(const RunOptions &options) {
  return options.evaluateOnly && !isCalibration(options);
}

std::string tutti::calibrates(const RunOptions &options, const RunFacts &facts) {
  return noEffect(isCalibration(options), "--calibrate measures instead of training");
}

std::string tutti::onlyEvaluates(const RunOptions &options, const RunFacts &facts) {
  return noEffect(isEvaluation(options), "--evaluate-only trains nothing");
}

std::string tutti::isAlone(const RunOptions &options, const RunFacts &facts) {
  return noEffect(options.config.ranks == 1 && !facts.hasTables,
                  "there is one rank, which talks to no other");
}

std::string tutti::takesNoInputs(const RunOptions &options, const RunFacts &facts) {
  return noEffect(!isEvaluation(options) && !facts.hasInputs,
                  "the step of the program has no inputs");
}

std::string tutti::hasNoTables(const RunOptions &options, const RunFacts &facts) {
  return noEffect(!isCalibration(options) && !facts.hasTables,
                  "servers hold no table of this program");
}

std::vector<std::string> tutti::findIdleOptions(const RunOptions &options, const RunFacts &facts) {
  std::vector<std::string> lines;
  for (const OptionRow &row : optionRows())
    if (options.given.count(row.name))
      for (IdleReason reason : row.reasons)
        if (std::string told = reason(options, facts); !told.empty())
          lines.push_back(row.name + " " + told);
  return lines;
}
