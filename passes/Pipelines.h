// The pipeline --distribute: from one device to many, then communication made cheap.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_PIPELINES_H
#define TUTTI_PASSES_PIPELINES_H

#include "mlir/Pass/PassOptions.h"
#include "passes/distribution/Passes.h"

namespace tutti {

/// The keys of `--distribute="KEY=VALUE ..."`. The defaults give the numbers of one device.
struct DistributeOptions : mlir::PassPipelineOptions<DistributeOptions> {
  using GradientReduction = distribution::GradientReduction;
  using RateScaling = distribution::RateScaling;

  Option<GradientReduction> reduction{
      *this, "reduction", llvm::cl::desc("How gradients of ranks become one"),
      llvm::cl::init(GradientReduction::Mean),
      llvm::cl::values(clEnumValN(GradientReduction::Mean, "mean", "Mean over samples"),
                       clEnumValN(GradientReduction::Sum, "sum", "Sum over ranks"))};
  Option<bool> syncBatchNorm{
      *this, "sync-batch-norm",
      llvm::cl::desc("Normalize by the statistics of the global batch, as one device does"),
      llvm::cl::init(true)};
  Option<train::BatchPolicy> batchPolicy{
      *this, "batch-policy", llvm::cl::desc("When the ranks do not divide the global batch"),
      llvm::cl::init(train::BatchPolicy::Error),
      llvm::cl::values(
          clEnumValN(train::BatchPolicy::Error, "error", "Refuse"),
          clEnumValN(train::BatchPolicy::Drop, "drop", "Leave the remainder out"),
          clEnumValN(train::BatchPolicy::Pad, "pad", "Repeat samples"),
          clEnumValN(train::BatchPolicy::Weighted, "weighted", "Weight unequal parts"))};
  Option<train::ShardMode> shard{
      *this, "shard", llvm::cl::desc("Which samples of a global batch a rank takes"),
      llvm::cl::init(train::ShardMode::Strided),
      llvm::cl::values(clEnumValN(train::ShardMode::Strided, "strided", "Every N-th sample"),
                       clEnumValN(train::ShardMode::Contiguous, "contiguous", "One block"))};
  Option<bool> trainableOnly{*this, "trainable-only",
                             llvm::cl::desc("Broadcast only the trainable initial variables"),
                             llvm::cl::init(false)};
  Option<int64_t> root{*this, "root", llvm::cl::desc("Rank whose initial variables all others get"),
                       llvm::cl::init(0)};
  Option<RateScaling> scaleLearningRate{
      *this, "scale-learning-rate", llvm::cl::desc("Scale learning rates with the number of ranks"),
      llvm::cl::init(RateScaling::None),
      llvm::cl::values(clEnumValN(RateScaling::None, "none", "Leave them"),
                       clEnumValN(RateScaling::Linear, "linear", "Times the number of ranks"),
                       clEnumValN(RateScaling::Sqrt, "sqrt", "Times its square root"))};
  Option<bool> lintErrors{*this, "lint-errors",
                          llvm::cl::desc("Refuse programs for which distribute-lint has a remark"),
                          llvm::cl::init(false)};
  Option<int64_t> accumulate{
      *this, "accumulate",
      llvm::cl::desc("Micro-batches into which each rank divides its batch, to save memory"),
      llvm::cl::init(1)};
  Option<int64_t> localSgd{
      *this, "local-sgd",
      llvm::cl::desc("Reduce no gradients, but average variables every that many steps; 0: do not"),
      llvm::cl::init(0)};
  Option<int64_t> shardOptimizer{
      *this, "shard-optimizer",
      llvm::cl::desc("Divide the optimizer's states among the ranks: 0 no, 1 ZeRO-1, 2 ZeRO-2"),
      llvm::cl::init(0)};
  Option<std::string> hierarchy{
      *this, "hierarchy",
      llvm::cl::desc(
          "Reduce within nodes before across them: none, auto (nodes as the launch finds "
          "them) or a number of ranks on each node"),
      llvm::cl::init("none")};
  Option<std::string> cluster{
      *this, "cluster",
      llvm::cl::desc("Let the cost model choose buckets, and what is auto, for the cluster of this "
                     "file (dist-run --calibrate)"),
      llvm::cl::init("")};
  Option<bool> overlap{*this, "overlap", llvm::cl::desc("Let communication run beside computation"),
                       llvm::cl::init(false)};
};

/// A pass as text, and whether it can only run once the number of ranks is known.
struct PipelineStep {
  std::string pass;
  bool needsRanks = false;
};

/// What makes communication cheap, in order.
llvm::SmallVector<PipelineStep> communicationSteps(const DistributeOptions &options);

/// Adds the passes that turn a single-device training program into a distributed one that does not
/// depend on the number of ranks. From the first communication step that needs their number on, the
/// steps are put off until launch. Fails, and says why through `complain`, where options contradict
/// each other.
mlir::LogicalResult
buildDistributePipeline(mlir::OpPassManager &passes, const DistributeOptions &options,
                        llvm::function_ref<mlir::LogicalResult(const llvm::Twine &)> complain);

/// Registers `--distribute`.
void registerDistributePipeline();

} // namespace tutti

#endif // TUTTI_PASSES_PIPELINES_H
