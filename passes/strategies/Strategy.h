// One thing that --distribute can be asked for: its keys, what it excludes, and its passes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_STRATEGIES_STRATEGY_H
#define TUTTI_PASSES_STRATEGIES_STRATEGY_H

#include "passes/DistributeOptions.h"
#include "passes/strategies/Conflicts.h"
#include "passes/strategies/Sequence.h"

namespace tutti::strategies {

/// What a strategy is about. Help and documentation show the keys in this order; within a chapter
/// strategies stand by the names of their files, and add their passes so.
enum class Chapter {
  Samples, ///< which samples a rank has, and what becomes of their gradients
  Work,    ///< how a rank works through its part of the batch
  Servers, ///< what servers hold
  Travel,  ///< how gradients travel
  Choice   ///< what is left to a model of costs
};

/// Holds nothing: what is asked for is in DistributeOptions.
class Strategy {
public:
  virtual ~Strategy() = default;

  virtual Chapter getChapter() const = 0;

  /// Its keys, bound to what `options` holds: usually the options of its pass,
  /// `options.of<XPassOptions>()`.
  virtual void addKeys(options::KeyTable &keys, DistributeOptions &options) const = 0;

  /// What its keys exclude, and what they need. What is asked for is done, or it is an error:
  /// nothing is dropped silently.
  virtual void addConflicts(ConflictTable &) const {}

  /// Why `options` cannot be had, where that is no row of the table.
  virtual Refusal findConflict(const DistributeOptions &) const { return {}; }

  /// Whether `options` let ranks train without the samples of the others.
  virtual bool trainsAlone(const DistributeOptions &) const { return false; }

  /// Its passes, each in its place; nothing if `options` do not ask for it.
  virtual void addPasses(Sequence &sequence, const DistributeOptions &options) const = 0;
};

/// Whether `options` let neighbouring ranks share one model: mesh=tp:N, of two or more.
bool cutsModel(const DistributeOptions &options);

/// All of them, in the order in which the help shows their keys. A file `passes/strategies/X.cpp`
/// defines the strategy `x` and is found by the build.
llvm::ArrayRef<const Strategy *> allStrategies();

} // namespace tutti::strategies

#endif // TUTTI_PASSES_STRATEGIES_STRATEGY_H
