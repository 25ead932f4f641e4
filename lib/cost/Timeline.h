// Simulates a step: what its operations do, computation, and asynchronous communication beside it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_COST_TIMELINE_H
#define TUTTI_LIB_COST_TIMELINE_H

#include "lib/cost/Cluster.h"
#include "lib/cost/CommunicationCost.h"
#include "mlir/IR/Operation.h"

#include "mlir/IR/BuiltinOps.h"

namespace tutti::cost {

/// What an operation does, whatever the machine.
struct Work {
  double matmul = 0;      ///< floating point operations of matrix products
  double convolution = 0; ///< the same of convolutions
  double loop = 0;        ///< scalar operations of loops and other kernels
  double bytes = 0;       ///< that loops and kernels read and write
  double calls = 0;       ///< of kernels
};

/// The work of `op` itself; shapes must be static. Views and constants are free.
Work workOf(mlir::Operation *op);

/// Seconds, while the ranks of the node compute alike and `rankOnNode` of them are there.
double secondsOf(const Work &work, const Cluster &cluster, int64_t ranksOnNode);

/// Seconds of one step of a rank.
struct StepTime {
  double step = 0;
  double compute = 0;       ///< if nothing had to be communicated
  double communication = 0; ///< of all collectives, hidden or not
  double exposed = 0;       ///< of them, that the step is longer by: step - compute
};

/// The time of one step of `module`, whose @step is in the form in which lowering leaves tensors
/// behind: loops, kernel calls, collectives with numbers of futures (lower-futures). All ranks do
/// the same at the same time. What runs beside computation does so one after another; where a node
/// has no processor to spare for it, what it needs of one lengthens computation.
StepTime timeOfStep(mlir::ModuleOp module, const Cluster &cluster, int64_t ranks);

} // namespace tutti::cost

#endif // TUTTI_LIB_COST_TIMELINE_H
