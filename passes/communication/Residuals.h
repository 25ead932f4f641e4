// Error feedback: what a narrow type loses is added to the gradient of the next step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_COMMUNICATION_RESIDUALS_H
#define TUTTI_PASSES_COMMUNICATION_RESIDUALS_H

#include "dialects/collective/Collective.h"
#include "lib/program/GradientChain.h"

namespace tutti::communication {

/// Narrows `value`, what this rank gives of the gradient `use`, to `type` after adding what earlier
/// steps lost, and keeps what is lost now in a new variable of this rank, `NAME.residual`. A step
/// that is skipped leaves it as it was. Fails with a diagnostic where the number of ranks is not
/// known, the variable has no name, or the loss scale changes between steps.
mlir::FailureOr<mlir::Value> narrowWithFeedback(mlir::OpBuilder &builder,
                                                collective::BucketOpInterface op,
                                                const program::GradientUse &use, mlir::Value value,
                                                mlir::Type type);

} // namespace tutti::communication

#endif // TUTTI_PASSES_COMMUNICATION_RESIDUALS_H
