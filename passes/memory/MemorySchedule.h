// Steps in order and the buffers that they touch, and how steps that are repeated make fewer bytes
// live at once. Pure arithmetic: knows no IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_MEMORY_MEMORYSCHEDULE_H
#define TUTTI_PASSES_MEMORY_MEMORYSCHEDULE_H

#include "passes/memory/ArenaLayout.h"

#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace tutti::memory {

/// One moment. A buffer that is changed in place stands in both lists.
struct MemoryStep {
  llvm::SmallVector<unsigned, 4> reads, writes; ///< numbers of buffers
  double seconds = 0;                           ///< that it takes
  int64_t scratch = 0;                          ///< bytes of buffers that live within it alone
  bool isRepeatable = false; ///< writes the same again if what it reads is the same
  unsigned origin = 0;       ///< the step of the first schedule that this is, or repeats
  bool isRepeat = false;
};

struct MemoryBuffer {
  int64_t bytes = 0;
  bool isPlanned = true; ///< takes memory from its first to its last touch; else it is always there
  unsigned origin = 0;   ///< the buffer of the first schedule whose content it holds
};

struct MemorySchedule {
  std::vector<MemoryStep> steps;
  std::vector<MemoryBuffer> buffers;

  unsigned addBuffer(int64_t bytes, bool isPlanned = true);
  /// Appends a step; origins are numbers in the order of the calls.
  MemoryStep &addStep();
};

/// What lives when the most bytes live.
struct MemoryPeak {
  int64_t bytes = 0;
  unsigned step = 0;                   ///< the first such moment
  llvm::SmallVector<unsigned> buffers; ///< planned ones that live then, the largest first
};
MemoryPeak findPeak(const MemorySchedule &schedule);

/// The lives of the planned buffers that are touched, in the order of their numbers; a moment is a
/// step.
llvm::SmallVector<ArenaBuffer> livesOf(const MemorySchedule &schedule);

/// Seconds of the steps that are repeats.
double secondsOfRepeats(const MemorySchedule &schedule);

/// Repeats steps until no more than `bytes` live at any moment: what a buffer holds that is not
/// touched for a while is given up and made again in another buffer, by repeats of the steps that
/// made it, before the step that touches it next. All later steps use that buffer, also those that
/// write to it. What the repeats read is kept, is there anyway, or is made again too. Of all that
/// could be given up at the worst moment the cheapest is, in seconds a byte (the greedy choice of
/// XLA's rematerialization, with chains of several steps). False if nothing more helps; what it has
/// done until then stays, and `schedule` never needs more than before.
bool repeatSteps(MemorySchedule &schedule, int64_t bytes);

} // namespace tutti::memory

#endif // TUTTI_PASSES_MEMORY_MEMORYSCHEDULE_H
