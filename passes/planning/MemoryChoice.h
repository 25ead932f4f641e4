// How a rank keeps to the memory that it may have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_PLANNING_MEMORYCHOICE_H
#define TUTTI_PASSES_PLANNING_MEMORYCHOICE_H

#include "lib/cost/Timeline.h"
#include "passes/compile/Pipelines.h"

#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>

namespace tutti::planning {

/// How a program keeps its memory small.
struct MemoryMeasures {
  int64_t arenaBytes = 0; ///< so many bytes may the temporary buffers of a function take, which
                          ///< computes values again to keep to them; 0: as many as it needs
  bool offloadsStates = false; ///< states of optimizers may lie in a file
  int64_t keptStates = 0;      ///< so many bytes of them stay in memory all the same

  compile::CompileOptions options() const;
};

/// What a rank needs, as dist-run --dry-run counts it.
struct MemoryNeed {
  int64_t bytes = 0;    ///< all of it
  int64_t arena = 0;    ///< of that, temporary buffers
  int64_t repeated = 0; ///< operations of a step that run again, to keep to a limit
  int64_t inFile = 0;   ///< bytes of optimizer states that a step writes and reads; 0: none, or all
                        ///< are in memory at once
  double longer = 0;    ///< seconds by which a step is longer for both
  MemoryMeasures measures; ///< with which it needs no more
};

/// A program whose memory is planned.
struct PlannedMemory {
  MemoryNeed need;
  mlir::OwningOpRef<mlir::ModuleOp> program; ///< lowered as far as places of buffers
};

/// What `program`, which has static shapes, needs with `measures`. `longer` stays 0. Fails, and
/// says why, if it cannot be lowered, or needs a larger arena.
mlir::FailureOr<PlannedMemory> planMemory(mlir::ModuleOp program, const MemoryMeasures &measures,
                                          std::string &why);

/// Keeps `program`, which has static shapes, to `limit` bytes of a rank. If it needs more,
/// operations run again, and, if `mayOffload`, optimizer states lie in a file: as many as take the
/// least time together, by the model of `cluster` with `ranks` ranks for the first and the rates of
/// a common disk for the second. If nothing keeps to the limit, the result is without any that run
/// again, and with all states in the file that may. Fails, and says why, if the program cannot be
/// lowered.
mlir::FailureOr<PlannedMemory> keepToMemory(mlir::ModuleOp program, int64_t limit, bool mayOffload,
                                            const cost::Cluster &cluster, int64_t ranks,
                                            std::string &why);

/// Seconds of a step of `program`, which is specialised for `ranks` ranks, in operations that run
/// again because of `memory`. None, and `why`, where it cannot be lowered so.
std::optional<double> secondsOfRepeats(mlir::ModuleOp program, const MemoryMeasures &memory,
                                       const cost::Cluster &cluster, int64_t ranks,
                                       std::string &why);

} // namespace tutti::planning

#endif // TUTTI_PASSES_PLANNING_MEMORYCHOICE_H
