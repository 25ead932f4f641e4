// The keys of --distribute="KEY=VALUE ...".
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTEOPTIONS_H
#define TUTTI_PASSES_DISTRIBUTEOPTIONS_H

#include "mlir/Pass/PassOptions.h"
#include "passes/distribution/Passes.h"

namespace tutti {

/// The keys of `--distribute="KEY=VALUE ..."`. The defaults give the numbers of one device.
struct DistributeOptions : mlir::PassPipelineOptions<DistributeOptions> {
  using GradientReduction = distribution::GradientReduction;
  using RateScaling = distribution::RateScaling;
  using SparseMode = distribution::SparseMode;

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
  Option<SparseMode> sparse{
      *this, "sparse", llvm::cl::desc("What gradients of lookups are reduced as"),
      llvm::cl::init(SparseMode::Auto),
      llvm::cl::values(clEnumValN(SparseMode::Auto, "auto", "What moves fewer bytes"),
                       clEnumValN(SparseMode::Rows, "rows", "The rows that a batch touches"),
                       clEnumValN(SparseMode::Dense, "dense", "The whole table"))};
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

  // How a rank works through its part of the batch.
  Option<int64_t> accumulate{
      *this, "accumulate",
      llvm::cl::desc("Compute gradients on this many parts of the batch, one after the other"),
      llvm::cl::init(1)};
  Option<int64_t> localSgd{
      *this, "local-sgd",
      llvm::cl::desc("Reduce no gradients; average the variables after so many steps"),
      llvm::cl::init(0)};
  Option<int64_t> shardOptimizer{
      *this, "shard-optimizer",
      llvm::cl::desc("ZeRO: 1 divides optimizer states among the ranks, 2 gradients, too"),
      llvm::cl::init(0)};

  // How gradients travel.
  Option<std::string> compress{*this, "compress", llvm::cl::desc("Wire type: none, f16 or bf16"),
                               llvm::cl::init("none")};
  Option<int64_t> compressMinBytes{*this, "compress-min-bytes",
                                   llvm::cl::desc("Smaller gradients keep their type"),
                                   llvm::cl::init(0)};
  Option<bool> errorFeedback{
      *this, "error-feedback",
      llvm::cl::desc("Add what the wire type loses to the gradient of the next step"),
      llvm::cl::init(false)};

  // When they travel, and how many at once.
  Option<std::string> buckets{
      *this, "buckets",
      llvm::cl::desc("fixed (by the bucket-... keys), none, or auto (by the cost model)"),
      llvm::cl::init("fixed")};
  Option<int64_t> bucketBytes{*this, "bucket-bytes",
                              llvm::cl::desc("Most bytes of a bucket, 0 for no limit (25 MiB)")};
  Option<int64_t> firstBucketBytes{*this, "first-bucket-bytes",
                                   llvm::cl::desc("Most bytes of the first bucket (1 MiB)")};
  Option<int64_t> bucketCount{*this, "bucket-count", llvm::cl::desc("Collectives of each bucket")};
  ListOption<int64_t> bucketIndices{*this, "bucket-indices",
                                    llvm::cl::desc("The last collective of each bucket")};
  ListOption<double> bucketPercent{*this, "bucket-percent",
                                   llvm::cl::desc("The share of each bucket in all bytes")};
  Option<std::string> hierarchy{
      *this, "hierarchy",
      llvm::cl::desc(
          "Reduce within nodes before across them: none, auto (nodes as the launch finds "
          "them; with a cluster file, where the cost model finds it faster) or a number "
          "of ranks on each node"),
      llvm::cl::init("none")};
  Option<bool> overlap{*this, "overlap", llvm::cl::desc("Communicate while computing"),
                       llvm::cl::init(false)};
  Option<std::string> cluster{
      *this, "cluster",
      llvm::cl::desc(
          "Let the cost model choose what is not said, and what is auto, for the cluster of "
          "this file (dist-run --calibrate)"),
      llvm::cl::init("")};
};

} // namespace tutti

#endif // TUTTI_PASSES_DISTRIBUTEOPTIONS_H
