// collective_permute: who sends to whom, as a matrix of counts and back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_STABLEHLO_PERMUTATION_H
#define TUTTI_PASSES_STABLEHLO_PERMUTATION_H

#include "passes/stablehlo/Channels.h"
#include "passes/stablehlo/ReplicaGroups.h"

namespace tutti::stablehlo {

/// Of an all_to_all_vc: the pairs of the collective_permute it was, where they were not in the
/// order of their sources.
inline constexpr llvm::StringLiteral kPairs = "stablehlo.pairs";

/// An `all_to_all_vc` in which each source sends all of its rows to its target, and which leaves
/// zeros where nothing arrives. Fails, with an error, at scalars, where the number of replicas is
/// not known, and where one sends or receives twice.
mlir::FailureOr<mlir::Operation *> readPermutation(mlir::OpBuilder &builder, mlir::Operation *op,
                                                   ReplicaGroups &groups,
                                                   mlir::NamedAttrList &marks);

/// The collective_permute that `op` is. Fails, with an error, if it is none: counts are not
/// constant, a rank sends a part or to several, or what receives is not zero.
mlir::FailureOr<mlir::Operation *> writePermutation(mlir::OpBuilder &builder,
                                                    collective::AllToAllVCOp op, Channels &channels,
                                                    mlir::NamedAttrList marks);

} // namespace tutti::stablehlo

#endif // TUTTI_PASSES_STABLEHLO_PERMUTATION_H
