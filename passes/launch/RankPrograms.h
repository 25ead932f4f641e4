// From a prepared program to the objects that the ranks load.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_LAUNCH_RANKPROGRAMS_H
#define TUTTI_PASSES_LAUNCH_RANKPROGRAMS_H

#include "lib/execution/Compile.h"
#include "passes/planning/MemoryChoice.h"
#include "passes/planning/Report.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tutti {

/// What servers run on the rows of a table, and what these are at first.
struct TableProgram {
  execution::CompiledProgram update;
  execution::ProgramValues first;
  std::optional<execution::ValuePlace> place; ///< in `first`; none if rows are drawn
};

/// The programs of a run. They stay loadable, also by processes that this one starts or becomes, as
/// long as this lives.
struct RunPrograms {
  std::vector<execution::CompiledProgram> ofRanks;
  std::vector<TableProgram> ofTables;         ///< in the order of the manifest
  std::vector<std::string> remarks;           ///< of passes, as JSON, if they are kept
  std::optional<planning::Report> plan;       ///< of the larger part of a batch, if it is asked for
  std::string instructions;                   ///< of all of them, in words
  std::map<std::string, std::string> decides; ///< the numbers; as in RunConfig
};

/// Compiles the program, which is specialised for its ranks, once, whatever their number: one
/// object, or two where the policy `weighted` gives ranks unequal parts of a batch (the larger part
/// first); and one for each table that servers hold. `instructions` are those of
/// execution::Instructions. If `cluster` names a file, the plan has the times that it predicts.
/// `plans`: the communication plan is kept, too. `memory` is of each rank.
llvm::Expected<RunPrograms> compileForRanks(mlir::ModuleOp module, llvm::StringRef name,
                                            const std::string &instructions,
                                            const std::string &cluster, bool plans,
                                            const planning::MemoryMeasures &memory = {});

/// The measures by which the programs of compileForRanks keep a rank to `limit` bytes
/// (planning::keepToMemory). Optimizer states may lie in a file, and the rates are those of
/// cost::commonCore. Fails if the program cannot be lowered.
llvm::Expected<planning::MemoryMeasures> measuresWithin(mlir::ModuleOp module, int64_t limit);

} // namespace tutti

#endif // TUTTI_PASSES_LAUNCH_RANKPROGRAMS_H
