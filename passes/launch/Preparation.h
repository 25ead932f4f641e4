// From a program as it was read to one that is ready to compile for N ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_LAUNCH_PREPARATION_H
#define TUTTI_PASSES_LAUNCH_PREPARATION_H

#include "passes/search/Search.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <optional>
#include <string>

namespace tutti {

/// What becomes of a program, and who is asked and told meanwhile.
struct Preparation {
  std::string name;                 ///< of the program, as errors call it
  std::optional<std::string> train; ///< options of the pipeline `train`; none: it trains already
  /// Options of the pipeline `distribute`; none: the defaults, if there are several ranks and
  /// nobody has distributed the program.
  std::optional<std::string> distribute;
  /// For keys that leave the choice to a search: the cluster file, where they name none, and the
  /// bytes that a rank may have, 0 for any number.
  std::string cluster;
  int64_t memory = 0;
  bool offloadsStates = false;  ///< of which states of optimizers are no part, but for a window
  bool explainsTensors = false; ///< a search finds the second best of each tensor, too
  int64_t ranks = 1;
  int64_t ranksPerNode = 0; ///< 0: nobody knows
  bool verify = false;      ///< hold the distributed program against that of one device
  /// Whether data fit the program, before anything else takes time; may be empty.
  std::function<mlir::LogicalResult(mlir::ModuleOp)> checkData;
  /// Takes what was decided unasked, and what the verification found, a line each; may be empty.
  std::function<void(const llvm::Twine &)> say;
  /// Takes what a search has chosen, if there was one; may be empty.
  std::function<void(const search::Answer &)> takeChoice;
};

/// Applies the recipe, distributes the program if it is to run on several ranks and is not
/// distributed yet, and specialises it for `how.ranks`. Errors are diagnostics; `module` is then
/// neither the old program nor the new one. Its context needs `registerAllStages`.
mlir::LogicalResult prepareForRanks(mlir::ModuleOp module, const Preparation &how);

} // namespace tutti

#endif // TUTTI_PASSES_LAUNCH_PREPARATION_H
