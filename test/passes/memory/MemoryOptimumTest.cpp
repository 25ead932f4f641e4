// How far the chosen repeats are from the fewest seconds that any choice takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/memory/MemorySchedule.h"

#include "gtest/gtest.h"

#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <random>

using namespace tutti::memory;

namespace {

/// Finds the fewest seconds of repeats by trying everything: a state is which values are there and
/// which step comes next; a move runs that step, runs an earlier one again, or gives up a value.
/// For schedules of which each step makes one value, once, and value i is that of step i.
class Exhaustive {
public:
  explicit Exhaustive(const MemorySchedule &schedule) : schedule(schedule) {}

  /// Nothing if no choice keeps to `limit`.
  std::optional<double> fewestSeconds(int64_t limit) {
    best.clear();
    open = {};
    reach(0, 0, 0);
    while (!open.empty()) {
      auto [seconds, next, there] = open.top();
      open.pop();
      if (best[{next, there}] < seconds)
        continue;
      if (next == schedule.steps.size())
        return seconds;
      for (unsigned step = 0; step <= next; ++step)
        if (step == next || (schedule.steps[step].isRepeatable && !(there >> step & 1)))
          runStep(step, next, there, seconds, limit);
      for (unsigned value = 0; value < next; ++value)
        if (there >> value & 1)
          reach(seconds, next, there & ~(1u << value));
    }
    return std::nullopt;
  }

private:
  void runStep(unsigned step, unsigned next, unsigned there, double seconds, int64_t limit) {
    int64_t bytes = 0;
    unsigned after = there | 1u << step;
    for (unsigned read : schedule.steps[step].reads)
      if (!(there >> read & 1))
        return;
    for (unsigned value = 0; value < schedule.buffers.size(); ++value)
      bytes += after >> value & 1 ? schedule.buffers[value].bytes : 0;
    if (bytes <= limit)
      reach(step == next ? seconds : seconds + schedule.steps[step].seconds, next + (step == next),
            after);
  }

  void reach(double seconds, unsigned next, unsigned there) {
    auto [known, isNew] = best.try_emplace({next, there}, seconds);
    if (!isNew && known->second <= seconds)
      return;
    known->second = seconds;
    open.push({seconds, next, there});
  }

  using State = std::tuple<double, unsigned, unsigned>;
  const MemorySchedule &schedule;
  std::map<std::pair<unsigned, unsigned>, double> best;
  std::priority_queue<State, std::vector<State>, std::greater<State>> open;
};

/// Forward steps, each of one or two values before it, and for each a backward step, which reads
/// the gradient so far and what its forward step read. A third of the forward steps are dear, as
/// products are, and take as long as a few cheap ones.
MemorySchedule randomTraining(std::mt19937 &random) {
  auto below = [&](unsigned most) { return unsigned(random() % most); };
  MemorySchedule schedule;
  unsigned layers = 4 + below(3);
  for (unsigned layer = 0; layer < layers; ++layer) {
    MemoryStep &step = schedule.addStep();
    if (layer > 0)
      step.reads.push_back(layer - 1);
    if (layer > 1 && below(3) == 0)
      step.reads.push_back(below(layer - 1));
    step.writes = {schedule.addBuffer(50 * (1 + below(8)))};
    step.seconds = below(3) == 0 ? 10 : 1 + below(2);
    step.isRepeatable = below(8) != 0;
  }
  for (unsigned layer = layers; layer-- > 0;) {
    MemoryStep &step = schedule.addStep();
    step.reads = schedule.steps[layer].reads;
    step.reads.push_back(step.origin - 1);
    step.writes = {schedule.addBuffer(50 * (1 + below(8)))};
    step.seconds = 2 * schedule.steps[layer].seconds;
  }
  return schedule;
}

double secondsOf(const MemorySchedule &schedule) {
  double seconds = 0;
  for (const MemoryStep &step : schedule.steps)
    seconds += step.seconds;
  return seconds;
}

TEST(MemoryOptimum, RepeatsAreNearTheFewest) {
  std::mt19937 random(11);
  unsigned trials = 0, near = 0, best = 0, unmet = 0;
  while (trials < 200) {
    MemorySchedule schedule = randomTraining(random);
    int64_t limit = findPeak(schedule).bytes * int64_t(50 + random() % 50) / 100;
    std::optional<double> fewest = Exhaustive(schedule).fewestSeconds(limit);
    if (!fewest || *fewest == 0)
      continue;
    ++trials;
    double once = secondsOf(schedule);
    if (!repeatSteps(schedule, limit)) {
      ++unmet;
      continue;
    }
    EXPECT_GE(secondsOfRepeats(schedule), *fewest);
    near += secondsOf(schedule) <= 1.05 * (once + *fewest);
    best += secondsOfRepeats(schedule) == *fewest;
  }
  EXPECT_GE(near, 190u) << best << " are the best, " << unmet << " do not fit";
}

} // namespace
