// The proof that each gradient is reduced once and divided once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_VERIFICATION_GRADIENTVERDICT_H
#define TUTTI_PASSES_DISTRIBUTION_VERIFICATION_GRADIENTVERDICT_H

#include "lib/layout/ranks/RankLayouts.h"
#include "lib/program/Program.h"

namespace tutti::distribution {

/// Checks the scale of every gradient, of every variable that the step hands on, of every norm that
/// gradients are clipped by, and of every metric, by the layouts of `step`, which are of @step.
/// Each error stands at the operation that is one too many, or that lacks its counterpart, and its
/// notes name the others on the way. What cannot be followed gets a remark by `pass`. A program for
/// one rank is right. Where `SampleRoles` knows that a gradient is a sum over samples, it must be
/// summed over ranks; all others are means.
mlir::LogicalResult verifyScale(program::Program program, const RankLayouts &step,
                                llvm::StringRef pass);

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_VERIFICATION_GRADIENTVERDICT_H
