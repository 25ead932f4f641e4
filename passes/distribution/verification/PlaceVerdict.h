// The proof that parts are cut and put together at one place, and that every rank's samples count.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_VERIFICATION_PLACEVERDICT_H
#define TUTTI_PASSES_DISTRIBUTION_VERIFICATION_PLACEVERDICT_H

#include "lib/layout/ranks/RankLayouts.h"
#include "lib/program/Program.h"

namespace tutti::distribution {

/// Checks every gradient and every variable that the functions hand on, by their places: a part is
/// the rank's, variable and gradient of one update are cut alike, a gather undoes the cut, and no
/// gradient is made of the samples of some ranks alone. Each error stands at the operation that
/// cuts, chooses or joins; what is not known gets a remark by `pass`. `step` is of @step. A program
/// for one rank is right.
mlir::LogicalResult verifyPlaces(program::Program program, const UniformityAnalysis &uniformity,
                                 const RankLayouts &step, llvm::StringRef pass);

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_VERIFICATION_PLACEVERDICT_H
