// Clips all gradients of a step together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/LossScaling.h"

#include "dialects/train/Train.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tutti;

using GradientUses = llvm::MapVector<Value, SmallVector<OpOperand *, 1>>;

/// What optimizers take, with the operands that take it.
static FailureOr<GradientUses> collectUses(func::FuncOp step) {
  GradientUses uses;
  for (auto optimizer : step.getBody().front().getOps<OptimizerOpInterface>()) {
    OpOperand &gradient = optimizer.getGradientMutable();
    if (auto clip = gradient.get().getDefiningOp<train::ClipOp>()) {
      InFlightDiagnostic error = mlir::emitError(optimizer.getLoc())
                                 << "recipe: clip-norm: the gradient is clipped already";
      error.attachNote(clip.getLoc()) << "here";
      return failure();
    }
    uses[gradient.get()].push_back(&gradient);
  }
  if (uses.empty())
    return mlir::emitError(step.getLoc()) << "recipe: clip-norm: @step has no optimizer";
  return uses;
}

/// After all of the gradients, and after the check that they are finite.
static void setInsertionPointBehind(OpBuilder &builder, const GradientUses &uses, Block &block) {
  Operation *last = nullptr;
  auto visit = [&](Operation *op) {
    if (op && (!last || last->isBeforeInBlock(op)))
      last = op;
  };
  for (const auto &[value, operands] : uses) {
    visit(value.getDefiningOp());
    for (Operation *user : value.getUsers())
      if (isa<train::AllFiniteOp>(user))
        visit(user);
  }
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointToStart(&block);
}

LogicalResult tutti::gradient::clipGradients(ModuleOp program, double maxNorm) {
  auto step = program.lookupSymbol<func::FuncOp>("step");
  if (!step || !step.getBody().hasOneBlock())
    return program.emitError("recipe: clip-norm needs a @step with a body of one block");
  FailureOr<GradientUses> uses = collectUses(step);
  if (failed(uses))
    return failure();
  OpBuilder builder(program.getContext());
  Block &body = step.getBody().front();
  setInsertionPointBehind(builder, *uses, body);
  Location location = NameLoc::get(builder.getStringAttr("clip"), step.getLoc());
  auto gradients = llvm::map_to_vector(*uses, [](const auto &entry) { return entry.first; });
  Value norm = train::GlobalNormOp::create(builder, location, gradients);
  for (auto &[value, operands] : *uses) {
    Value clipped = train::ClipOp::create(builder, value.getLoc(), value.getType(), value, norm,
                                          builder.getF32FloatAttr(float(maxNorm)));
    for (OpOperand *operand : operands)
      operand->set(clipped);
  }
  // An optimizer may have stood before the gradients of others.
  sortTopologically(&body);
  return success();
}
