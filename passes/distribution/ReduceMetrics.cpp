// distribute-reduce-metrics: the step reports numbers of all samples, not of one rank's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/Remarks.h"
#include "lib/analysis/Uniformity.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/RankMean.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_REDUCEMETRICSPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

static bool isFloatScalar(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 && isa<FloatType>(tensor.getElementType());
}

namespace {
struct ReduceMetrics : distribution::impl::ReduceMetricsPassBase<ReduceMetrics> {
  using ReduceMetricsPassBase::ReduceMetricsPassBase;

  void runOnOperation() override {
    FailureOr<Program> program = Program::find(getOperation());
    if (failed(program))
      return signalPassFailure();
    FailureOr<RankMean> mean = RankMean::find(*program);
    if (failed(mean))
      return signalPassFailure();
    reduce(*program, *mean);
  }

private:
  /// The varying metrics that have a mean, as operands of the return.
  SmallVector<OpOperand *> collect(Program program) {
    const auto &uniformity = getAnalysis<UniformityAnalysis>();
    SmallVector<OpOperand *> metrics;
    for (OpOperand &value : program.step.getBody().front().getTerminator()->getOpOperands()) {
      auto name = program.step.getResultAttrOfType<StringAttr>(value.getOperandNumber(),
                                                               train::TrainDialect::kMetric);
      if (!name || uniformity.isUniform(value.get()))
        continue;
      if (isFloatScalar(value.get().getType())) {
        metrics.push_back(&value);
        continue;
      }
      ++skippedMetrics;
      remark::missed(value.get().getLoc(), remarkBy(getArgument(), program.step))
          << ("metric \"" + name.getValue() +
              "\" is not a scalar float: it has no mean over ranks and stays this rank's own")
                 .str();
    }
    return metrics;
  }

  void reduce(Program program, const RankMean &mean) {
    SmallVector<OpOperand *> metrics = collect(program);
    if (metrics.empty())
      return markAllAnalysesPreserved();
    auto values = llvm::map_to_vector(metrics, [](OpOperand *use) { return use->get(); });
    OpBuilder builder(program.step.getBody().front().getTerminator());
    SmallVector<Value> means = mean.buildSumsAndMeans(builder, program.step.getLoc(), values);
    for (auto [use, value] : llvm::zip(metrics, means))
      use->set(value);
    eraseUnusedSums(program.step);
    reducedMetrics += metrics.size();
  }
};
} // namespace
