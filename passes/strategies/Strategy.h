// One thing that --distribute can be asked for: its keys, what it excludes, and its passes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_STRATEGIES_STRATEGY_H
#define TUTTI_PASSES_STRATEGIES_STRATEGY_H

#include "passes/DistributeOptions.h"
#include "passes/strategies/Sequence.h"

namespace tutti::strategies {

/// Holds nothing: what is asked for is in the fields of DistributeOptions.
class Strategy {
public:
  virtual ~Strategy() = default;

  /// Its keys, bound to fields of `options`.
  virtual void addKeys(options::KeyTable &keys, DistributeOptions &options) const = 0;

  /// Why `options` cannot be had as far as this strategy knows, by the names of keys. What is asked
  /// for is done, or it is an error: nothing is dropped silently.
  virtual std::optional<std::string> findConflict(const DistributeOptions &) const {
    return std::nullopt;
  }

  /// Its passes, each in its place; nothing if `options` do not ask for it.
  virtual void addPasses(Sequence &sequence, const DistributeOptions &options) const = 0;
};

/// All of them, in the order in which the help shows their keys.
llvm::ArrayRef<const Strategy *> allStrategies();

// One file each.
extern const Strategy &dataParallel, &sparseGradients, &accumulation, &localSgd, &shardedOptimizer,
    &parameterServers, &buckets, &compression, &hierarchy, &overlap, &clusterModel;

} // namespace tutti::strategies

#endif // TUTTI_PASSES_STRATEGIES_STRATEGY_H
