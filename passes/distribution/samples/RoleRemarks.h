// What a step is told to be: the roles of what leaves it, and where samples meet.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_DISTRIBUTION_SAMPLES_ROLEREMARKS_H
#define TUTTI_PASSES_DISTRIBUTION_SAMPLES_ROLEREMARKS_H

#include "lib/layout/SampleRoles.h"

namespace tutti::distribution {

/// Remarks by `pass` on `step`, before it is changed. For all who train ("analysis"): the role of
/// each metric, "loss: mean over samples", and the nodes at which samples of different ranks meet.
/// For those who ask ("passed"): the nodes at which a sum over samples is completed, and the roles
/// of gradients and of statistics that the step hands on. "why" are the nodes that gave a role.
void tellRoles(mlir::func::FuncOp step, const SampleRoles &roles, llvm::StringRef pass);

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_SAMPLES_ROLEREMARKS_H
