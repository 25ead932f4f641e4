// What one rank communicates, in order: the program evaluated as that rank sees it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_LIB_ANALYSIS_ORDER_RANKTRACE_H
#define TUTTI_LIB_ANALYSIS_ORDER_RANKTRACE_H

#include "dialects/collective/Collective.h"
#include "lib/analysis/Uniformity.h"
#include "lib/analysis/order/Deciding.h"
#include "lib/analysis/order/RankSets.h"

namespace tutti {

/// One step of a rank that others take part in, or wait for.
struct Event {
  enum Kind {
    Collective, ///< with `members`, all of which take part
    Send,       ///< to `peer`
    Receive,    ///< from `peer`
    Start,      ///< hands the next event of the background over to the communication thread
    Await,      ///< waits until the background has done its first `count` events
    Boundary ///< all ranks of the world come here before any goes on (an assumption of the proof)
  };
  Event(Kind kind, mlir::Operation *op, RankSet members = {})
      : kind(kind), op(op), members(members) {}

  Kind kind;
  mlir::Operation *op;
  RankSet members;
  int64_t peer = -1; ///< a world rank
  size_t count = 0;
};

/// All that one rank does: itself, and on its communication thread.
struct RankTrace {
  llvm::SmallVector<Event> main, background;
};

/// Evaluates functions as ranks of a world of `sets`. Integer arithmetic on the rank, sizes and
/// constants is computed; `if`, `for`, `while`, `index_switch` and branches are followed where they
/// are decided by it. Where they are not, but all ranks decide alike (by `uniformity`), each region
/// is taken once, with a boundary before and after it: what it communicates must be complete in
/// itself.
///
/// All arguments must outlive the object, and the traces are made of sets of `sets`.
class RankTracer {
public:
  RankTracer(const Communicating &communicating, const UniformityAnalysis &uniformity,
             RankSets &sets)
      : communicating(communicating), uniformity(uniformity), sets(sets), deciding(communicating) {}

  /// Fails with an error that says what cannot be proved and why: a peer or a varying branch that
  /// depends on data, or more than `kStepLimit` steps.
  mlir::FailureOr<RankTrace> trace(mlir::FunctionOpInterface function, int64_t rank);

private:
  const Communicating &communicating;
  const UniformityAnalysis &uniformity;
  RankSets &sets;
  Deciding deciding;
};

/// Operations evaluated for one rank at most.
inline constexpr uint64_t kStepLimit = 1000000;

} // namespace tutti

#endif // TUTTI_LIB_ANALYSIS_ORDER_RANKTRACE_H
