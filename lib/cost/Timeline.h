// Simulates a step: what its operations do, computation, and asynchronous communication beside it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_COST_TIMELINE_H
#define TUTTI_LIB_COST_TIMELINE_H

#include "lib/cost/Cluster.h"
#include "lib/cost/CommunicationCost.h"
#include "mlir/IR/Operation.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <deque>

namespace tutti::cost {

/// What an operation does, whatever the machine.
struct Work {
  double matmul = 0;      ///< floating point operations of matrix products
  double operands = 0;    ///< bytes that matrix products read and write
  double convolution = 0; ///< floating point operations of convolutions
  double loop = 0;        ///< scalar operations of loops and other kernels
  double bytes = 0;       ///< that loops and other kernels read and write
  double calls = 0;       ///< of kernels
};

/// The work of `op` itself; shapes must be static. Views and constants are free.
Work workOf(mlir::Operation *op);

/// Seconds, while the ranks of the node compute alike and `rankOnNode` of them are there.
double secondsOf(const Work &work, const Cluster &cluster, int64_t ranksOnNode);

/// Seconds of one step of a rank.
struct StepTime {
  double step = 0;
  double compute = 0;       ///< if nothing had to be communicated
  double communication = 0; ///< of all collectives, hidden or not
  double exposed = 0;       ///< of them, that the step is longer by: step - compute
};

/// Two clocks of a rank in its step: of the program, and of the thread that communicates meanwhile.
/// All ranks do the same at the same time. Keeps a reference to `cluster`.
class StepClock {
public:
  /// The number of a started collective, from 1 on.
  using Future = int64_t;
  /// Where a loop begins.
  struct Moment {
    double now, computed, communicated;
  };

  StepClock(const Cluster &cluster, int64_t ranks);

  void compute(double seconds);
  /// The program waits for it. Where the thread sends over the same link, each has half of it,
  /// until one of them is done.
  void communicate(const CommunicationTime &time);
  /// The thread runs it after what it was given before. Where a node has no processor to spare, the
  /// computation takes longer by what the thread needs of one.
  Future start(const CommunicationTime &time);
  /// Goes on when `future` is complete, or now if it is; 0 is the future of nothing.
  void await(Future future);
  Moment moment() const { return {now, computed, communicated}; }
  /// Lets what has happened since `before` happen `times` times; it has awaited what it started.
  void repeatSince(const Moment &before, double times);

  StepTime time() const;

private:
  void forgetComplete();

  const Cluster *cluster;
  double stolenShare;               ///< of a processor: what the thread takes from computation
  double now = 0;                   ///< where the program is
  double beside = 0;                ///< when the thread is free
  double nodeLink = 0, network = 0; ///< seconds that the thread still fills these links, at most
  std::deque<double> ends; ///< when started collectives are complete that may not be, less `delay`
  Future complete = 0;     ///< the last one before those
  double delay = 0;        ///< of all in `ends`, for what the program waited for meanwhile
  double computed = 0, communicated = 0;
};

/// Times of operations that communicate, in `module`. Keeps references to it and to `cluster`.
class CallTimes {
public:
  CallTimes(mlir::ModuleOp module, const Cluster &cluster, int64_t ranks)
      : module(module), cluster(cluster), ranks(ranks) {}

  /// Of all calls that `op`, a collective or a message, is.
  CommunicationTime of(mlir::Operation *op);
  /// Of an operation of `kind` on `group` in which each rank gives `bytes`.
  CommunicationTime of(llvm::StringRef kind, int64_t bytes, llvm::StringRef group);

private:
  mlir::ModuleOp module;
  const Cluster &cluster;
  int64_t ranks;
  llvm::StringMap<GroupShape> shapes;
};

/// How often the regions of `op` run, as far as that is constant; else 1.
double countTurns(mlir::Operation *op);

/// The time of one step of `module`, whose @step is in the form in which lowering leaves tensors
/// after it: loops, kernel calls, collectives with numbers of futures (lower-futures), on a
/// StepClock.
StepTime timeOfStep(mlir::ModuleOp module, const Cluster &cluster, int64_t ranks);

} // namespace tutti::cost

#endif // TUTTI_LIB_COST_TIMELINE_H
