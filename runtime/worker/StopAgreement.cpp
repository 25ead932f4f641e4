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
  bool meets = tutti_context_size(context) == 1 || step >= next;
  for (int question = 0; question < questions; ++question)
    answers[question] = meets && own_answers[question] && own_answers[question]();
  if (tutti_context_size(context) == 1)
    return own_signal();
  if (!meets)
    return 0;
  double values[2 + questions] = {double(own_signal()), seconds_a_step(step)};
  std::copy_n(answers, questions, values + 2);
  const void *source = values;
  void *destination = values;
  const int64_t count = 2 + questions;
  tutti_all_reduce(context, plan_entry, TUTTI_GROUP_WORLD, TUTTI_MAX, TUTTI_F64, 1, &source,
                   &destination, &count);
  std::copy_n(values + 2, questions, answers);
  double steps = std::clamp(seconds_between / std::max(values[1], 1e-9), 1.0, most_steps_between);
  bool is_measured = is_begun; // what passed before the first step is no step
  is_begun = true;
  next = step + (is_measured ? int64_t(steps) : 1);
  return int(values[0]);
}

} // namespace tutti::runtime::worker
