// distribute-reduce-gradients: one reduction over the ranks between each gradient and its
// optimizers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/interfaces/Optimizer.h"
#include "dialects/ps/Ps.h"
#include "dialects/train/ProgramClaims.h"
#include "lib/analysis/Remarks.h"
#include "lib/analysis/Uniformity.h"
#include "lib/layout/ranks/RankLayouts.h"
#include "lib/program/Exchange.h"
#include "lib/program/gradients/GradientRoles.h"
#include "lib/program/gradients/Gradients.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/RankMean.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_REDUCEGRADIENTSPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

namespace {
struct ReduceGradients : distribution::impl::ReduceGradientsPassBase<ReduceGradients> {
  using ReduceGradientsPassBase::ReduceGradientsPassBase;

  void runOnOperation() override {
    FailureOr<Program> program = Program::find(getOperation());
    if (failed(program) || failed(reduceAll(*program)))
      signalPassFailure();
  }

private:
  LogicalResult reduceAll(Program program) {
    FailureOr<unsigned> marks = markNamedGradients(program);
    if (failed(marks) || failed(checkGradients(program)))
      return failure();
    FailureOr<RankMean> mean = RankMean::find(program);
    std::optional<UniformityAnalysis> ofMarks; // which an earlier analysis has not seen
    const UniformityAnalysis &uniformity =
        *marks == 0 ? getAnalysis<UniformityAnalysis>() : ofMarks.emplace(program.module);
    if (failed(mean) || failed(checkWork(program, uniformity)))
      return failure();
    if (mayMultiply(program.step, uniformity) &&
        failed(verifyFactory(program.module, {{}, {RankQuestion::Size}})))
      return failure();
    if (reduction == GradientReduction::Sum)
      program.module->setAttr(train::kSumsGradients, UnitAttr::get(&getContext()));
    // Marked gradients first: an optimizer fed by one is uniform after that.
    unsigned reduced = reduceMarked(program, uniformity, *mean);
    Gradients optimized = Gradients::findOptimized(program.step);
    reduced += reduced == 0 ? reduce(program, optimized, uniformity, *mean)
                            : reduce(program, optimized, UniformityAnalysis(program.module), *mean);
    eraseUnusedSums(program.step);
    reducedGradients += reduced;
    if (reduced == 0 && *marks == 0)
      markAllAnalysesPreserved();
    return success();
  }

  static LogicalResult checkGradients(Program program) {
    bool isServed = !program.module.getOps<ps::TableOp>().empty(); // servers add gradients up
    if (isServed || !Gradients::findMarked(program.step).empty() ||
        !Gradients::findOptimized(program.step).empty())
      return success();
    return explainNoGradient(program.step,
                             mlir::emitError(program.step.getLoc())
                                 << "has no gradient to reduce: it holds no optimizer operation; "
                                    "mark gradients with train.mark_gradient or the attribute "
                                    "train.gradient");
  }

  /// What is computed from a gradient and is marked again may be uniform once that is reduced.
  unsigned reduceMarked(Program program, const UniformityAnalysis &uniformity,
                        const RankMean &mean) {
    Block &block = program.step.getBody().front();
    Gradients rest = Gradients::findMarked(program.step);
    unsigned reduced = reduce(program, rest.takeFirst(block), uniformity, mean);
    while (!rest.empty())
      reduced += reduce(program, rest.takeFirst(block), UniformityAnalysis(program.module), mean);
    return reduced;
  }

  /// Whether a sum over ranks may become a product with their number, which somebody must know.
  bool mayMultiply(func::FuncOp step, const UniformityAnalysis &uniformity) {
    auto isUniform = [&](const Gradient &gradient) { return uniformity.isUniform(gradient.value); };
    return reduction == GradientReduction::Sum &&
           (llvm::any_of(Gradients::findMarked(step), isUniform) ||
            llvm::any_of(Gradients::findOptimized(step), isUniform));
  }

  /// What makes the next value of a variable may be an optimizer that does not say so.
  static LogicalResult explainNoGradient(func::FuncOp step, InFlightDiagnostic error) {
    for (VariableResult variable : getVariableResults(step))
      if (Operation *update = variable.value->get().getDefiningOp();
          update && variable.role.getVariableClass() == train::VariableClass::Trainable) {
        error.attachNote(update->getLoc())
            << "variable \"" << variable.role.getName() << "\" becomes what '" << update->getName()
            << "' gives; if that is an optimizer, it must have OptimizerOpInterface, see "
               "docs/embedding.md";
        break;
      }
    return error;
  }

  /// Gradients that are equal on all ranks because no rank has a batch of its own are a mistake.
  LogicalResult checkWork(Program program, const UniformityAnalysis &uniformity) {
    auto varies = [&](const Gradient &gradient) { return !uniformity.isUniform(gradient.value); };
    if (llvm::any_of(Gradients::findMarked(program.step), varies) ||
        llvm::any_of(Gradients::findOptimized(program.step), varies))
      return success();
    auto datasets = program.module.getOps<train::DatasetOp>();
    if (llvm::any_of(datasets, [](train::DatasetOp dataset) { return dataset.getShard(); }))
      return success(); // reduced already; each gets its remark
    return mlir::emitError(program.step.getLoc())
           << "no dataset is sharded, so that all ranks compute equal gradients and there is "
              "nothing to reduce: run distribute-shard-datasets first";
  }

  /// Returns how many of `gradients` are reduced.
  unsigned reduce(Program program, const Gradients &gradients, const UniformityAnalysis &uniformity,
                  const RankMean &mean) {
    unsigned count = 0;
    std::optional<RankLayouts> layouts;
    if (reduction == GradientReduction::Sum)
      layouts.emplace(program.step, uniformity);
    // Where they all exist before the first optimizer, the reductions stand together.
    Operation *together = gradients.getCommonPoint();
    for (const Gradient &gradient : gradients) {
      bool isUniform = uniformity.isUniform(gradient.value);
      bool isScaled = isUniform && layouts && isUntouched(layouts->getScale(gradient.value));
      if (isUniform && !isScaled) {
        ++uniformGradients;
        remark::missed(gradient.value.getLoc(), remarkBy(getArgument(), program.step))
            << "gradient is equal on every rank already and is not reduced again";
        continue;
      }
      OpBuilder builder(&getContext());
      if (together)
        builder.setInsertionPoint(together);
      else
        gradient.setInsertionPoint(builder);
      Value reduced = isScaled ? multiply(builder, program, gradient.value)
                               : reduce(builder, program, gradient.value, mean);
      for (OpOperand *use : gradient.uses)
        use->set(reduced);
      ++count;
    }
    return count;
  }

  /// Whether every rank has computed the value alike, and nobody has reduced or scaled it.
  static bool isUntouched(const RankScale &scale) {
    return scale.isShared && !scale.wasShared && scale.isTrivial();
  }

  /// The sum over the ranks of what all have, which needs no communication.
  Value multiply(OpBuilder &builder, Program program, Value gradient) {
    remark::passed(gradient.getLoc(), remarkBy(getArgument(), program.step))
        << "gradient is equal on every rank: its sum over them is a product";
    Type element = getElementTypeOrSelf(gradient);
    Value size =
        createGroupSize(builder, gradient.getLoc(), getOrCreateWorld(program.module), element);
    Value ranks = tensor::FromElementsOp::create(builder, gradient.getLoc(),
                                                 RankedTensorType::get({}, element), size);
    return train::ScaleOp::create(builder, gradient.getLoc(), gradient.getType(), gradient, ranks);
  }

  Value reduce(OpBuilder &builder, Program program, Value gradient, const RankMean &mean) {
    if (reduction == GradientReduction::Mean || gradient.getDefiningOp<train::BatchSumOp>())
      return mean.buildSumsAndMeans(builder, gradient.getLoc(), gradient).front();
    return createAllReduce(builder, gradient.getLoc(), program.module, Reduction::Sum, gradient,
                           getOrCreateWorld(program.module))
        .front();
  }
};
} // namespace
