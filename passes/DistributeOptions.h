// What --distribute="KEY=VALUE ..." asks for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTEOPTIONS_H
#define TUTTI_PASSES_DISTRIBUTEOPTIONS_H

#include "lib/diagnostics/Refusal.h"
#include "lib/options/KeyTable.h"
#include "passes/distribution/Passes.h"

#include <any>
#include <map>

namespace tutti {

/// The defaults give the numbers of one device. `keys` says what each field is for.
struct DistributeOptions {
  using GradientReduction = distribution::GradientReduction;
  using RateScaling = distribution::RateScaling;
  using SparseMode = distribution::SparseMode;

  GradientReduction reduction = GradientReduction::Mean;
  std::optional<bool> syncBatchNorm; ///< absent: true, where that makes sense
  train::BatchPolicy batchPolicy = train::BatchPolicy::Error;
  train::ShardMode shard = train::ShardMode::Strided;
  SparseMode sparse = SparseMode::Auto;
  bool trainableOnly = false;
  int64_t root = 0;
  RateScaling scaleLearningRate = RateScaling::None;
  bool lintErrors = false;
  bool gatherSamples = true;

  // How a rank works through its part of the batch.
  int64_t accumulate = 1;
  int64_t localSgd = 0;
  int64_t shardOptimizer = 0;
  std::string keepGathered = "none";

  // What servers hold. Absent: nothing; "auto" or globs.
  llvm::SmallVector<std::string> serve;
  std::optional<int64_t> serveMinBytes;
  std::optional<bool> serveLazy;
  distribution::TablePlacement servePlacement = distribution::TablePlacement::Range;
  bool serveAsynchronously = false;
  std::optional<int64_t> serveStaleness, serveWarmUp;
  distribution::TableWire serveWire = distribution::TableWire::None;
  std::optional<bool> servePrefetch;
  llvm::SmallVector<std::string> serveInitial; ///< rules; see distribute-parameter-server

  // How gradients travel.
  std::string compress = "none";
  std::optional<int64_t> compressMinBytes;
  std::optional<bool> errorFeedback;

  // When they travel, and how many at once. What is absent is up to the passes.
  std::string buckets = "fixed";
  std::optional<int64_t> bucketBytes, firstBucketBytes, bucketCount;
  llvm::SmallVector<int64_t> bucketIndices;
  llvm::SmallVector<double> bucketPercent;
  std::string hierarchy = "none";
  bool overlap = false;
  std::string cluster;

  // What is left to a search.
  bool searches = false;
  std::optional<int64_t> searchRanks, searchMemory;
  bool searchExplainsTensors = false;

  /// What a strategy's keys are bound to that has no field above: usually the options of its pass,
  /// with their defaults until they are changed. One object for each type, which stays where it is
  /// until this object is moved.
  template <typename Settings> Settings &of() {
    std::any &held = settings[idOf<Settings>()];
    if (!held.has_value())
      held = Settings();
    return *std::any_cast<Settings>(&held);
  }
  template <typename Settings> Settings of() const {
    auto found = settings.find(idOf<Settings>());
    return found == settings.end() ? Settings() : std::any_cast<Settings>(found->second);
  }

  /// The keys, bound to the fields of this object.
  options::KeyTable keys();

  /// The keys that decide the numbers and do not hold their default.
  llvm::SmallVector<options::GivenKey> decidingKeys() const;

  /// What the text that `parse` took says, without the keys of the search: what that leaves as it
  /// is.
  const std::string &fixedKeys() const { return fixed; }

  /// Why these options cannot be had, if they cannot: keys that contradict each other, by name, or
  /// a value that makes no sense.
  Refusal findConflict() const;

  static llvm::FailureOr<DistributeOptions> parse(llvm::StringRef text, options::Complain complain);

private:
  /// An address for each type: LLVM is built without type information.
  template <typename Settings> static const void *idOf() {
    static const char id = 0;
    return &id;
  }

  std::map<const void *, std::any> settings;
  std::string fixed;
};

} // namespace tutti

#endif // TUTTI_PASSES_DISTRIBUTEOPTIONS_H
