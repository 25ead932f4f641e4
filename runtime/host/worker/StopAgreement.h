// How all ranks end at the same step when one of them is asked to stop.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_WORKER_STOPAGREEMENT_H
#define TUTTI_RUNTIME_HOST_WORKER_STOPAGREEMENT_H

#include "runtime/engine/backends/shm/segment/Segment.h"
#include "runtime/host/run/StopSignals.h"
#include "tutti/context.h"

#include <chrono>
#include <functional>

namespace tutti::runtime::worker {

/// A signal may reach one rank, all of them at different steps, or the launcher. So the ranks ask
/// each other, by a reduction of a few numbers, at least four times a second, and more often where
/// that costs next to nothing: steps may become slower than they were. Each agreement also settles
/// at which step the next one is, from the time that the slowest rank's steps took. It works over
/// every backend and under every launcher, and changes no value of the training.
class StopAgreement {
public:
  /// `segment` is that of our launcher, or null; `plan_entry` names the reduction in messages.
  StopAgreement(tutti_context *context, const shm::Segment *segment, int64_t plan_entry);

  /// Called by all ranks before each step, from step 0 on. The signal for which all of them end
  /// before this step, or 0. Collective at the steps that were settled on.
  int signal_before(int64_t step);

  /// What this rank was asked, or 0.
  int own_signal() const;

  /// Questions that each agreement may also ask all ranks.
  enum Question { checkpoint, alarm, questions };
  /// From now on each agreement also asks `question`, by what `answer` says on each rank.
  void also_ask(Question question, std::function<bool()> answer) {
    own_answers[question] = std::move(answer);
  }
  /// Whether any rank said yes when they agreed last, before the step that signal_before was called
  /// for; false if they did not meet before that.
  bool is_answered(Question question) const { return answers[question]; }

private:
  double seconds_a_step(int64_t step);
  int64_t steps_until_next(double step_seconds) const;

  tutti_context *context;
  const shm::Segment *segment;
  int64_t plan_entry;
  std::function<bool()> own_answers[questions];
  bool answers[questions] = {};
  StopRequest request; ///< from here on a signal is noted, and ends nobody
  int64_t last = 0, next = 0;
  bool is_begun = false; ///< they have met once
  double cost = 0;       ///< seconds of the last agreement, of the rank that waited least
  std::chrono::steady_clock::time_point last_time = std::chrono::steady_clock::now();
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_WORKER_STOPAGREEMENT_H
