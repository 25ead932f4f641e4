// The proof that each gradient is reduced once and divided once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_VERIFICATION_GRADIENTVERDICT_H
#define TUTTI_PASSES_DISTRIBUTION_VERIFICATION_GRADIENTVERDICT_H

#include "lib/analysis/Uniformity.h"
#include "lib/program/Program.h"

namespace tutti::distribution {

/// What a rank computes of its part of the batch, as samples make it up.
enum class SampleRole {
  Unknown, ///< taken for a mean, as long as it can be followed
  Mean,    ///< over the samples of the part: a mean over ranks is that over the batch
  Sum      ///< of what the samples add: a sum over ranks is that over the batch
};

/// The role of a value that no rank has reduced yet.
using RoleOfValue = llvm::function_ref<SampleRole(mlir::Value)>;

/// Nothing is known of any value. In its place stands an analysis of the roles of samples, which
/// sees the loss; what attributes say of a gradient is not asked for.
inline SampleRole hasUnknownRole(mlir::Value) { return SampleRole::Unknown; }

/// Checks the scale of every gradient, of every variable that the step hands on, of every norm that
/// gradients are clipped by, and of every metric, by the interpretation of `GradientScaleAnalysis`.
/// Each error stands at the operation that is one too many, or that lacks its counterpart, and its
/// notes name the others on the way. What cannot be followed gets a remark by `pass`. A program for
/// one rank is right. `roles` tells of which gradients a sum over ranks is meant, and no mean.
mlir::LogicalResult verifyScale(program::Program program, const UniformityAnalysis &uniformity,
                                llvm::StringRef pass, RoleOfValue roles = hasUnknownRole);

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_VERIFICATION_GRADIENTVERDICT_H
