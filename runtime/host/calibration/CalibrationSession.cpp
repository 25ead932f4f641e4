// As a session of training, without program and data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/calibration/CalibrationSession.h"

#include "runtime/engine/backends/shm/segment/Segment.h"
#include "runtime/host/calibration/Calibration.h"
#include "runtime/host/run/Summary.h"
#include "runtime/host/worker/RankContext.h"

#include <cstring>
#include <unistd.h>

namespace tutti::runtime::worker {
namespace {

Error measure(const WorkerConfig &config, shm::Segment *segment) {
  RankContext context(nullptr, tutti_context_destroy);
  if (Error error = open_context(config, context))
    return error;
  if (segment) {
    segment->slot(config.rank).name.store(config.rank);
    segment->slot(config.rank).state.store(shm::rank_joined);
  }
  Error error = calibrate(context.get(), config.run.calibrate);
  if (error) // no effect if the context failed first
    tutti_context_fail(context.get(), error.status, error.message.c_str());
  return error;
}

} // namespace

Error run_calibration(const WorkerConfig &config) {
  if (config.shared_descriptor < 0)
    return measure(config, nullptr);
  Result<shm::Segment> attached = shm::Segment::attach(dup(config.shared_descriptor));
  if (!attached)
    return attached.error();
  attached->slot(config.rank).process.store(getpid());
  Error error = measure(config, &*attached);
  if (error)
    attached->abort_with_message(config.rank, error.status, error.message.c_str());
  RankSummary summary = {};
  summary.is_complete = !error;
  std::memcpy(attached->slot(config.rank).report, &summary, sizeof summary);
  return error;
}

} // namespace tutti::runtime::worker
