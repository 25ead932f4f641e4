// The largest signal and the longest step of all ranks, every quarter of a second.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/StopAgreement.h"

#include "tutti/collectives.h"

#include <algorithm>

namespace tutti::runtime::worker {

static constexpr double seconds_between = 0.25;
/// Of the time of a run, what agreements may take.
static constexpr double share_of_time = 0.005;
static constexpr double most_steps_between = 1e6;

StopAgreement::StopAgreement(tutti_context *context, const shm::Segment *segment,
                             int64_t plan_entry)
    : context(context), segment(segment), plan_entry(plan_entry), request(segment != nullptr) {}

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

/// As few as cost no more than their share: a step that is a hundred times as slow as those before
/// is not to delay the next agreement by as much.
int64_t StopAgreement::steps_until_next(double step_seconds) const {
  double step_time = std::max(step_seconds, 1e-9);
  double cheap = cost / share_of_time / step_time;
  return int64_t(std::clamp(std::min(cheap, seconds_between / step_time), 1.0, most_steps_between));
}

int StopAgreement::signal_before(int64_t step) {
  bool meets = tutti_context_size(context) == 1 || step >= next;
  for (int question = 0; question < questions; ++question)
    answers[question] = meets && own_answers[question] && own_answers[question]();
  if (tutti_context_size(context) == 1)
    return own_signal();
  if (!meets)
    return 0;
  double values[3 + questions] = {double(own_signal()), seconds_a_step(step), -cost};
  std::copy_n(answers, questions, values + 3);
  const void *source = values;
  void *destination = values;
  const int64_t count = 3 + questions;
  auto begin = std::chrono::steady_clock::now();
  tutti_all_reduce(context, plan_entry, TUTTI_GROUP_WORLD, TUTTI_MAX, TUTTI_F64, 1, &source,
                   &destination, &count);
  double own_cost = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::copy_n(values + 3, questions, answers);
  cost = -values[2];           // the same on all ranks
  bool is_measured = is_begun; // what passed before the first step is no step
  is_begun = true;
  next = step + (is_measured ? steps_until_next(values[1]) : 1);
  cost = own_cost;
  return int(values[0]);
}

} // namespace tutti::runtime::worker
