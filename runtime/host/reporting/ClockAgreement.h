// One time for all ranks of a run, whatever machines they are on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_REPORTING_CLOCKAGREEMENT_H
#define TUTTI_RUNTIME_HOST_REPORTING_CLOCKAGREEMENT_H

#include "tutti/context.h"

#include <cstdint>

namespace tutti::runtime::worker {

/// Nanoseconds.
struct ClockAgreement {
  int64_t origin = 0;      ///< CLOCK_MONOTONIC of this machine at rank 0's beginning
  int64_t uncertainty = 0; ///< by how much `origin` may be wrong; 0 on rank 0's machine
};

/// Collective over the world. Ranks of one node share a clock; the first rank of every other node
/// exchanges a few messages with rank 0 and takes the fastest for the difference. `plan_entry` is
/// the number by which messages call this. Meaningless if the context has failed.
ClockAgreement agree_on_clocks(tutti_context *context, int64_t plan_entry);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_REPORTING_CLOCKAGREEMENT_H
