// The order of a block in which communication and computation run beside each other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_COMMUNICATION_OVERLAPSCHEDULE_H
#define TUTTI_PASSES_COMMUNICATION_OVERLAPSCHEDULE_H

#include "dialects/collective/Collective.h"

namespace tutti::communication {

/// One collective, or several of which each takes over all that the one before gives: they can run
/// one after the other without the program.
struct Chain {
  llvm::SmallVector<collective::BucketOpInterface, 3> links;

  mlir::Operation *first() const { return links.front(); }
  mlir::ResultRange outputs() const { return links.back()->getResults(); }
};

/// What stands at one place of a block: an operation, the start of a chain, or the wait for it.
struct Moment {
  enum Kind { Operation, Start, Await };
  Kind kind;
  mlir::Operation *op; ///< null for starts and awaits
  unsigned chain;
};

/// The chains of the collectives of `block` that `isWanted` wants, in program order. No chain goes
/// on behind what orders communication (CollectiveMotion.h).
llvm::SmallVector<Chain>
findChains(mlir::Block &block, llvm::function_ref<bool(collective::BucketOpInterface)> isWanted);

/// An order of all operations of `block` but its terminator, which every rank that runs this
/// program has:
/// - a chain starts behind the last operation that it needs, and what only it needs stands directly
///   before it;
/// - a chain is awaited before the first operation that needs it;
/// - what orders communication stands before what starts behind it in the program, and behind the
///   awaits of what starts before it;
/// - what needs the outcome of communication, and leads to no more of it than one last collective,
///   comes behind everything that does not, in the order in which chains start: so what is started
///   last is awaited last;
/// - otherwise, and for operations with effects always, the order is that of the program.
/// Takes time in proportion to the size of the block.
llvm::SmallVector<Moment> scheduleBlock(mlir::Block &block, llvm::ArrayRef<Chain> chains);

} // namespace tutti::communication

#endif // TUTTI_PASSES_COMMUNICATION_OVERLAPSCHEDULE_H
