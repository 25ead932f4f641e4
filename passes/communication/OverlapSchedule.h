// The order of a block in which communication and computation run beside each other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_COMMUNICATION_OVERLAPSCHEDULE_H
#define TUTTI_PASSES_COMMUNICATION_OVERLAPSCHEDULE_H

#include "dialects/collective/Collective.h"
#include "lib/analysis/CollectiveMotion.h"
#include "lib/diagnostics/Refusal.h"

#include <vector>

namespace tutti::communication {

/// A block as its schedule sees it. Operations are numbers, in program order; the terminator is the
/// last. A graph may also be of a block that nobody has written, to learn how long it would take.
struct ScheduleGraph {
  struct Node {
    /// Whose results it, or what is inside it, takes; as often as it does.
    llvm::SmallVector<unsigned, 4> needs;
    llvm::SmallVector<unsigned, 2> users; ///< whose `needs` have this node, as often
    bool isPlain = false;                 ///< only makes values
    bool keepsOrder = false;              ///< stands where it does among those with effects
    bool isFence = false;                 ///< orders communication (CollectiveMotion.h)
    bool isConstant = false;              ///< costs no time
    bool isSoonDone = false;              ///< a reduction that is awaited when the next one starts
    bool isLate = false;                  ///< a gather that begins when the one before is awaited
  };
  std::vector<Node> nodes;

  /// Fills in the users of all nodes from what each needs.
  void connect();
};

ScheduleGraph makeScheduleGraph(mlir::Block &block);

/// One collective, or several of which each takes over all that the one before gives: they can run
/// one after the other without the program. By their numbers.
using Chain = llvm::SmallVector<unsigned, 3>;

/// What stands at one place of a block: a node, the start of a chain, or the wait for it.
struct Moment {
  enum Kind { Operation, Start, Await };
  Kind kind;
  unsigned node;  ///< of an operation
  unsigned chain; ///< of a start or an await
};

/// Whether the collective is on tensors, is synchronous, and its result is used.
bool isSynchronous(collective::BucketOpInterface op);

/// Why a synchronous collective may not be started early.
Refusal whySynchronous(collective::BucketOpInterface op, const CollectiveMotion &motion);

/// The chains of the collectives of `block` that `isWanted` wants, in program order. No chain goes
/// on after what orders communication (CollectiveMotion.h).
llvm::SmallVector<Chain>
findChains(mlir::Block &block, llvm::function_ref<bool(collective::BucketOpInterface)> isWanted);

/// An order of all nodes of `graph` but the terminator, which every rank that runs this program
/// has:
/// - a late chain starts no earlier than the one before it is awaited, and is awaited in its place;
/// - a chain that is soon done is awaited at the latest after the next one like it starts;
/// - a chain starts after the last operation that it needs, and what only it needs stands directly
///   before it, unless that uses what a late chain gives;
/// - a chain is awaited before the first operation that needs it;
/// - without late gathers, what a chain does not need stands after its start, not before it;
/// - what orders communication stands before what starts after it in the program, and after the
///   awaits of what starts before it;
/// - what needs the outcome of communication, and leads to no more of it than one last collective,
///   comes after everything that does not, in the order in which chains start: so what is started
///   last is awaited last;
/// - otherwise, and for operations with effects always, the order is that of the program.
/// Takes time in proportion to the size of the graph.
llvm::SmallVector<Moment> schedule(const ScheduleGraph &graph, llvm::ArrayRef<Chain> chains);

/// How many operations that cost time stand between start and await of each of `chains` chains.
/// Where there are none, the chain stays synchronous.
llvm::SmallVector<unsigned> countWorkBeside(const ScheduleGraph &graph,
                                            llvm::ArrayRef<Moment> moments, unsigned chains);

} // namespace tutti::communication

#endif // TUTTI_PASSES_COMMUNICATION_OVERLAPSCHEDULE_H
