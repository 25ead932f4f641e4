// Error feedback: what a narrow type loses is added to the gradient of the next step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_COMMUNICATION_RESIDUALS_H
#define TUTTI_PASSES_COMMUNICATION_RESIDUALS_H

#include "dialects/collective/Collective.h"
#include "lib/program/GradientChain.h"
#include "lib/program/ProgramEdit.h"

namespace tutti::communication {

/// Narrows gradients of one program and keeps what that loses in new variables of each rank,
/// `NAME.residual`.
class ErrorFeedback {
public:
  /// Narrows `value`, what this rank gives of the gradient `use` to `op`, to `type`, after adding
  /// what earlier steps lost. A step that is skipped leaves the residual as it was. Fails with a
  /// diagnostic where the number of ranks is not known, the gradient updates no variable of a
  /// training program, or the loss scale changes between steps.
  mlir::FailureOr<mlir::Value> narrow(mlir::OpBuilder &builder, collective::BucketOpInterface op,
                                      const program::GradientUse &use, mlir::Value value,
                                      mlir::Type type);

  /// Adds the variables to the program, once all gradients are narrowed.
  void apply();

private:
  mlir::LogicalResult findProgram(collective::BucketOpInterface op,
                                  const program::GradientUse &use);
  mlir::Operation *findScaleUpdate(mlir::Value condition);

  program::Program program;
  std::optional<program::ProgramEdit> edit;
  llvm::DenseMap<mlir::Value, mlir::Operation *> scaleUpdates; ///< by what skips a step
};

} // namespace tutti::communication

#endif // TUTTI_PASSES_COMMUNICATION_RESIDUALS_H
