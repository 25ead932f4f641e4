// Where ranks first have something else than one device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_VALIDATION_CAUSE_H
#define TUTTI_PASSES_VALIDATION_CAUSE_H

#include "passes/validation/StepRun.h"

namespace tutti::validation {

/// The first operation of the ranks whose value is none of these, while that of one device from the
/// same node is there to compare it with: the device's value; the rank's samples of it; what adds
/// up to it over the ranks, as it is or weighted by their samples. Null if there is none. All have
/// been traced.
mlir::Operation *findCause(const StepRun &device, llvm::ArrayRef<StepRun> ranks);

} // namespace tutti::validation

#endif // TUTTI_PASSES_VALIDATION_CAUSE_H
