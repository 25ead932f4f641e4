// How long one rank computes: of each loop and kernel call of a program in the form that lowering
// gives it while everything is still a tensor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_COST_COMPUTECOST_H
#define TUTTI_LIB_COST_COMPUTECOST_H

#include "lib/cost/Cluster.h"

#include "mlir/IR/Operation.h"

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

} // namespace tutti::cost

#endif // TUTTI_LIB_COST_COMPUTECOST_H
