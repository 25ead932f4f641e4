// The passes of --distribute in their order, and why the order is so.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_STRATEGIES_SEQUENCE_H
#define TUTTI_PASSES_STRATEGIES_SEQUENCE_H

#include "passes/PassText.h"

#include "mlir/Pass/PassManager.h"

#include <map>
#include <set>
#include <vector>

namespace tutti::strategies {

/// Where passes stand: those of a place run after those of all places before it.
enum class Place {
  /// Gradients that the model asks for are made, and what is no single-device program is refused
  /// before anything touches it.
  Prepare,
  /// Tables go to the servers while the program is still one device's: what is left is distributed
  /// as any other.
  Serve,
  /// The batch differs between ranks from here on: all passes after ask the uniformity analysis
  /// what differs, and weight means by the policy that is recorded here.
  ShardData,
  /// Each rank starts from the variables of one.
  Broadcast,
  /// Before gradients and metrics are reduced, so that they are those of the synchronised
  /// statistics, and so that running statistics are known to be equal when the replication is
  /// proved.
  ShareStatistics,
  /// Before anything is reduced, so that it is reduced once in a step, after the loop over
  /// micro-batches; after batch normalization is synchronised, which happens for each of them.
  Accumulate,
  /// After the loop over micro-batches, outside of which totals are computed.
  ReduceTotals,
  ReduceGradients,
  /// Right after the gradients: what is gathered as rows is no part of a bucket.
  GatherRows,
  ReduceMetrics,
  /// Where it is decided what is reduced and what stays each rank's own.
  Lint,
  ScaleRates,
  /// On what is handed on: whatever the passes above did, the variables stay replicated.
  Verify,

  // From here on communication is made cheap.

  /// What each rank keeps, and how often it reduces, decides which collectives there are.
  ChooseWhatIsReduced,
  /// Before buckets are made: they hold one type each, and count its bytes.
  Compress,
  Fuse,
  /// Where a program for groups of neighbours becomes one for ranks: until then a rank stands for a
  /// group, so whatever the passes above made goes among ranks that hold the same parts.
  CutModel,
  /// What ranks that hold the same parts divide among them, once there are parts.
  DivideParts,
  /// Once all communication of a micro-batch is there, and before anything is chosen by how long it
  /// takes.
  Interleave,
  /// Of what neighbours exchange; it counts as communication that may run alongside computing.
  Chunk,
  /// It counts the gradients that a rank has, and the groups that reduce them. The cost model
  /// decides all at once: buckets change what a hierarchy is worth.
  ChooseByCost,
  /// Whole buckets: three calls for each of them, not for each gradient.
  SplitLevels,
  /// It takes the collectives as the others leave them.
  Overlap
};

/// Whether a pass can run before the number of ranks is known; or, with their batch, before it is
/// known how many samples each takes.
enum class Ranks { Any, Known, WithBatch };

/// Passes by place, until they are added to a pass manager. Not for several threads at once.
class Sequence {
public:
  /// A pass that `create` makes of `options`.
  template <typename Options>
  void add(Place place, std::unique_ptr<mlir::Pass> (*create)(Options), Options options,
           Ranks ranks = Ranks::Any) {
    addPass(place, create(std::move(options)), create(Options()), ranks);
  }
  void add(Place place, std::unique_ptr<mlir::Pass> (*create)(), Ranks ranks = Ranks::Any) {
    addPass(place, create(), create(), ranks);
  }

  /// A strategy that does without: whatever is added to these places does not run.
  void leaveOut(std::initializer_list<Place> places) { leftOut.insert(places); }

  /// Adds the passes up to the first that needs the number of ranks, and puts off it and all after
  /// it until the launch, and the first that needs the batch and all after it until that is known:
  /// a pass may rely on what those before it have done. Once.
  void addTo(mlir::OpPassManager &passes);
  /// The same, but that what is put off only goes to `atLaunch`, as text. Nothing proves it.
  void addTo(mlir::OpPassManager &passes, std::vector<std::string> &atLaunch);

private:
  struct Step {
    std::unique_ptr<mlir::Pass> pass;
    std::string text; ///< its name with the options that are not the defaults
    Ranks ranks;
  };

  void addPass(Place place, std::unique_ptr<mlir::Pass> pass, std::unique_ptr<mlir::Pass> usual,
               Ranks ranks);

  std::map<Place, std::vector<Step>> steps;
  std::set<Place> leftOut;
};

} // namespace tutti::strategies

#endif // TUTTI_PASSES_STRATEGIES_SEQUENCE_H
