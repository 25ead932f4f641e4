// distribute-reduce-gradients: one reduction over the ranks between each gradient and its
// optimizers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/interfaces/Optimizer.h"
#include "lib/analysis/Remarks.h"
#include "lib/analysis/Uniformity.h"
#include "lib/program/Gradients.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/RankMean.h"

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
    Gradients marked = Gradients::findMarked(program.step);
    if (marked.empty() && Gradients::findOptimized(program.step).empty())
      return mlir::emitError(program.step.getLoc())
             << "has no gradient to reduce: it holds no optimizer operation; mark gradients with "
                "train.mark_gradient";
    FailureOr<RankMean> mean = RankMean::find(program);
    const auto &uniformity = getAnalysis<UniformityAnalysis>();
    if (failed(mean) || failed(checkWork(program, uniformity)))
      return failure();
    // Marked gradients first: an optimizer fed by one is uniform after that.
    unsigned reduced = reduce(program, marked, uniformity, *mean);
    Gradients optimized = Gradients::findOptimized(program.step);
    reduced += reduced == 0 ? reduce(program, optimized, uniformity, *mean)
                            : reduce(program, optimized, UniformityAnalysis(program.module), *mean);
    reducedGradients += reduced;
    if (reduced == 0)
      markAllAnalysesPreserved();
    return success();
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
    // Where they all exist before the first optimizer, the reductions stand together.
    Operation *together = gradients.getCommonPoint();
    for (const Gradient &gradient : gradients) {
      if (uniformity.isUniform(gradient.value)) {
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
      Value reduced = reduce(builder, program, gradient.value, mean);
      for (OpOperand *use : gradient.uses)
        use->set(reduced);
      ++count;
    }
    return count;
  }

  Value reduce(OpBuilder &builder, Program program, Value gradient, const RankMean &mean) {
    if (reduction == GradientReduction::Mean)
      return mean.build(builder, gradient.getLoc(), gradient).front();
    auto sum =
        collective::AllReduceOp::create(builder, gradient.getLoc(), collective::ReductionKind::sum,
                                        gradient, getOrCreateWorld(program.module));
    return sum.getOutputs().front();
  }
};
} // namespace
