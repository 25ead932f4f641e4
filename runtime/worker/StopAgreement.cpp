// The largest signal and the longest step of all ranks, every quarter of a second.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/worker/StopAgreement.h"

#include "tutti/collectives.h"

#include <algorithm>

namespace tutti::runtime::worker {

static constexpr double seconds_between = 0.25;
static constexpr double most_steps_between = 1e6;

StopAgreement::StopAgreement(tutti_context *context, const shm::Segment *segment,
                             int64_t plan_entry)
    : context(context), segment(segment), plan_entry(plan_entry), request(segment != nullptr) {
  tutti_context_describe_plan_entry(context, plan_entry, "the agreement to go on");
}

int StopAgreement::own_signal() const {
  int own = request.signal();
  return own == 0 && segment ? int(segment->control().stop_signal.load()) : own;
}

double StopAgreement::seconds_a_step(int64_t step) {
  auto now = std::chrono::steady_clock::now();
  double seconds = std::chrono::duration<double>(now - last_time).count();
  double steps = double(std::max<int64_t>(1, step - last));
  last = step;
  last_time = now;
  return seconds / steps;
}

int StopAgreement::signal_before(int64_t step) {
  if (tutti_context_size(context) == 1)
    return own_signal();
  if (step < next)
    return 0;
  double values[2] = {double(own_signal()), seconds_a_step(step)};
  const void *sources[2] = {&values[0], &values[1]};
  void *destinations[2] = {&values[0], &values[1]};
  const int64_t ones[2] = {1, 1};
  tutti_all_reduce(context, plan_entry, TUTTI_GROUP_WORLD, TUTTI_MAX, TUTTI_F64, 2, sources,
                   destinations, ones);
  double steps = std::clamp(seconds_between / std::max(values[1], 1e-9), 1.0, most_steps_between);
  bool is_measured = step > 0; // what passed before the first step is no step
  next = step + (is_measured ? int64_t(steps) : 1);
  return int(values[0]);
}

} // namespace tutti::runtime::worker
