// Measures all gradients of a step together, to clip them and to tell their norm.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/step/StepChanges.h"

#include "passes/gradient/ForwardFunction.h"

#include "dialects/train/Train.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tutti;
using train::TrainDialect;
using Result = gradient::ForwardFunction::Result;

static constexpr StringLiteral normName = "gradient_norm";

using GradientUses = llvm::MapVector<Value, SmallVector<OpOperand *, 1>>;

/// What optimizers take before it is clipped, with the operands that take it. `key` is who asks; if
/// `clips`, nothing may be clipped yet.
static FailureOr<GradientUses> collectUses(func::FuncOp step, StringRef key, bool clips) {
  GradientUses uses;
  for (auto optimizer : step.getBody().front().getOps<OptimizerOpInterface>()) {
    OpOperand &gradient = optimizer.getGradientMutable();
    auto clip = gradient.get().getDefiningOp<train::ClipOp>();
    if (clip && clips) {
      InFlightDiagnostic error = mlir::emitError(optimizer.getLoc())
                                 << "recipe: clip-norm: the gradient is clipped already";
      error.attachNote(clip.getLoc()) << "here";
      return failure();
    }
    uses[clip ? clip.getGradient() : gradient.get()].push_back(&gradient);
  }
  if (uses.empty())
    return mlir::emitError(step.getLoc()) << "recipe: " << key << ": @step has no optimizer";
  return uses;
}

/// After all of the gradients, and after the check that they are finite.
static void setInsertionPointAfter(OpBuilder &builder, const GradientUses &uses, Block &block) {
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

static void clip(OpBuilder &builder, GradientUses &uses, Value norm, double maxNorm) {
  for (auto &[value, operands] : uses) {
    Value clipped = train::ClipOp::create(builder, value.getLoc(), value.getType(), value, norm,
                                          builder.getF32FloatAttr(float(maxNorm)));
    for (OpOperand *operand : operands)
      operand->set(clipped);
  }
}

/// After the other metrics.
static LogicalResult report(func::FuncOp function, Value norm) {
  gradient::ForwardFunction step(function);
  SmallVector<Result> results = step.results();
  auto name = StringAttr::get(function.getContext(), normName);
  auto hasName = [&](const Result &result) {
    return result.role == TrainDialect::kMetric && result.attribute == name;
  };
  if (llvm::any_of(results, hasName))
    return mlir::emitError(function.getLoc()) << "recipe: gradient-norm: @step returns '"
                                              << normName << "' already; leave the key away";
  auto isOutput = [](const Result &result) { return result.role == TrainDialect::kOutput; };
  results.insert(llvm::find_if(results, isOutput), {norm, TrainDialect::kMetric, name});
  step.setResults(results);
  return success();
}

LogicalResult tutti::gradient::measureGradients(ModuleOp program, std::optional<double> maxNorm,
                                                bool isReported) {
  if (!maxNorm && !isReported)
    return success();
  StringRef key = maxNorm ? "clip-norm" : "gradient-norm";
  auto step = program.lookupSymbol<func::FuncOp>("step");
  if (!step || !step.getBody().hasOneBlock())
    return program.emitError("recipe: ") << key << " needs a @step with a body of one block";
  FailureOr<GradientUses> uses = collectUses(step, key, maxNorm.has_value());
  if (failed(uses))
    return failure();
  OpBuilder builder(program.getContext());
  Block &body = step.getBody().front();
  setInsertionPointAfter(builder, *uses, body);
  Location location =
      NameLoc::get(builder.getStringAttr(maxNorm ? "clip" : normName.data()), step.getLoc());
  auto gradients = llvm::map_to_vector(*uses, [](const auto &entry) { return entry.first; });
  Value norm = train::GlobalNormOp::create(builder, location, gradients);
  if (maxNorm)
    clip(builder, *uses, norm, *maxNorm);
  // An optimizer may have stood before the gradients of others.
  sortTopologically(&body);
  return isReported ? report(step, norm) : success();
}
