// The life of a rank that measures instead of training.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_CALIBRATION_CALIBRATIONSESSION_H
#define TUTTI_RUNTIME_HOST_CALIBRATION_CALIBRATIONSESSION_H

#include "runtime/host/run/RunConfig.h"

namespace tutti::runtime::worker {

/// Joins the other ranks and measures (`config.run.calibrate` is the file). Peers are told of a
/// failure.
Error run_calibration(const WorkerConfig &config);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_CALIBRATION_CALIBRATIONSESSION_H
