// What the step of a program computes, operation by operation, and how long what it communicates
// takes as it is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_PLANNING_STEPWORK_H
#define TUTTI_PASSES_PLANNING_STEPWORK_H

#include "lib/cost/Timeline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <string>

namespace tutti::planning {

/// Calls of the runtime that an operation is.
struct Calls {
  cost::CommunicationTime time; ///< of one turn
  double turns = 1;             ///< in a step: those of the loops in which it stands

  cost::CommunicationTime inStep() const { return time * turns; }
};

/// What the operations of a step take, however their collectives are bundled.
struct StepWork {
  llvm::DenseMap<mlir::Operation *, double> seconds; ///< of computation, in all turns
  llvm::DenseMap<mlir::Operation *, Calls> calls;

  double secondsOf(mlir::Operation *op) const { return seconds.lookup(op); }
  Calls callsOf(mlir::Operation *op) const { return calls.lookup(op); }
};

/// Measures @step of `program`, which has `ranks` ranks, on one copy that is lowered until its
/// loops show. Each operation of the program gets what has become of it there. Nothing, and `why`,
/// if it cannot be lowered.
std::optional<StepWork> measureStep(mlir::ModuleOp program, const cost::Cluster &cluster,
                                    int64_t ranks, std::string &why);

} // namespace tutti::planning

#endif // TUTTI_PASSES_PLANNING_STEPWORK_H
