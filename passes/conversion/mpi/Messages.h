// What functions that communicate are written with: parts of flat buffers, loops, and blocking
// messages that no order of arrival can make wait for ever.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_CONVERSION_MPI_MESSAGES_H
#define TUTTI_PASSES_CONVERSION_MPI_MESSAGES_H

#include "passes/conversion/mpi/Flat.h"
#include "passes/conversion/mpi/Team.h"

namespace tutti::conversion {

/// Writes at the builder's point, for one rank of a team.
class Messages {
public:
  /// Messages carry `tag`, which tells them from those of other groups and purposes.
  Messages(mlir::ImplicitLocOpBuilder &builder, TeamRank &self, int32_t tag);

  mlir::ImplicitLocOpBuilder &builder;
  TeamRank &self;
  const mlir::Value place, size; ///< of this rank, and how many there are

  mlir::Value index(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value subtract(mlir::Value a, mlir::Value b);
  mlir::Value multiply(mlir::Value a, mlir::Value b);
  mlir::Value divide(mlir::Value a, mlir::Value b);
  mlir::Value remainder(mlir::Value a, mlir::Value b);
  mlir::Value isEqual(mlir::Value a, mlir::Value b);
  mlir::Value isLess(mlir::Value a, mlir::Value b);

  using Body = llvm::function_ref<void()>;
  using IndexedBody = llvm::function_ref<void(mlir::Value index)>;
  void forEach(mlir::Value count, IndexedBody body);
  void branch(mlir::Value condition, Body then, Body otherwise = {});
  /// The sum of `term` of all indices below `count`.
  mlir::Value sum(mlir::Value count, llvm::function_ref<mlir::Value(mlir::Value)> term);

  /// `length` elements of a flat buffer, from `begin` on.
  mlir::Value part(mlir::Value buffer, mlir::Value begin, mlir::Value length);
  mlir::Value length(mlir::Value buffer);
  mlir::Value allocate(mlir::Type element, mlir::Value length);
  void release(mlir::Value buffer);
  void copy(mlir::Value from, mlir::Value to);

  /// To and from the rank at a place of the team, which is another one.
  void send(mlir::Value buffer, mlir::Value to);
  void receive(mlir::Value buffer, mlir::Value from);

  /// Which part of a buffer belongs to the rank at a place.
  using PartOf = llvm::function_ref<mlir::Value(mlir::Value place)>;
  /// Every rank sends to each the part that `outgoing` tells, and gets from each what `incoming`
  /// holds. Where `sameBuffer`, the two parts of one place may be the same memory.
  ///
  /// Each rank meets the others in the order of their places, and of two ranks the one at the lower
  /// place sends first. Nobody waits for ever: the sum of the two places grows from each meeting of
  /// a rank to its next, so of all meetings that are not over, both sides of the one with the least
  /// sum are there.
  void exchange(PartOf outgoing, PartOf incoming, bool sameBuffer = false);

private:
  void meet(mlir::Value other, mlir::Value outgoing, mlir::Value incoming, bool sameBuffer);
  void receiveFirst(mlir::Value other, mlir::Value outgoing, mlir::Value incoming, bool sameBuffer);

  mlir::Value tag;
};

} // namespace tutti::conversion

#endif // TUTTI_PASSES_CONVERSION_MPI_MESSAGES_H
