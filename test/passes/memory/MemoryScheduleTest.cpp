// Which steps are repeated when memory is short.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/memory/MemorySchedule.h"

#include "gtest/gtest.h"

#include <map>
#include <random>
#include <set>

using namespace tutti::memory;

namespace {

/// What buffers hold after each step of the first schedule that reads something: names of contents,
/// each made of the step and what it read.
using Contents = std::map<unsigned, std::vector<std::string>>;

/// Runs the steps on names; a read of what is not there is an error.
Contents run(const MemorySchedule &schedule) {
  Contents read;
  std::map<unsigned, std::string> held;
  for (const MemoryStep &step : schedule.steps) {
    std::vector<std::string> found;
    std::string content = "s" + std::to_string(step.origin) + "(";
    for (unsigned buffer : step.reads) {
      if (schedule.buffers[buffer].isPlanned) {
        EXPECT_TRUE(held.count(buffer)) << "step " << step.origin << " reads what is not there";
      }
      found.push_back(held[buffer]);
      content += held[buffer] + ",";
    }
    for (unsigned buffer : step.writes) { // of which it may leave a part as it was
      std::string now = content + held[buffer] + ")";
      held[buffer] = std::to_string(std::hash<std::string>()(now)) + "." + // long chains stay short
                     std::to_string(schedule.buffers[buffer].origin);
    }
    if (!step.isRepeat)
      read[step.origin] = found;
  }
  return read;
}

/// Forward `layers` steps, each of the one before, and backward each of its own layer and the one
/// after: every activation lives until its backward step.
MemorySchedule chainOf(unsigned layers, int64_t bytes) {
  MemorySchedule schedule;
  unsigned input = schedule.addBuffer(0, /*isPlanned=*/false);
  std::vector<unsigned> values = {input};
  for (unsigned layer = 0; layer < layers; ++layer) {
    MemoryStep &step = schedule.addStep();
    step.reads = {values.back()};
    values.push_back(schedule.addBuffer(bytes));
    step.writes = {values.back()};
    step.seconds = 1;
    step.isRepeatable = true;
  }
  unsigned gradient = values.back();
  for (unsigned layer = layers; layer-- > 0;) {
    MemoryStep &step = schedule.addStep();
    step.reads = {gradient, values[layer]};
    gradient = schedule.addBuffer(bytes);
    step.writes = {gradient};
    step.seconds = 2;
  }
  return schedule;
}

TEST(MemorySchedule, APeakNamesWhatLives) {
  MemorySchedule schedule = chainOf(4, 100);
  MemoryPeak peak = findPeak(schedule);
  EXPECT_EQ(peak.bytes, 500); // four activations, and the first gradient
  EXPECT_EQ(peak.step, 4u);
  EXPECT_EQ(peak.buffers.size(), 5u);
}

TEST(MemorySchedule, WhatFitsStays) {
  MemorySchedule schedule = chainOf(4, 100);
  EXPECT_TRUE(repeatSteps(schedule, 500));
  EXPECT_EQ(schedule.steps.size(), 8u);
  EXPECT_EQ(secondsOfRepeats(schedule), 0);
}

TEST(MemorySchedule, AChainTakesFewerBytesForMoreTime) {
  MemorySchedule schedule = chainOf(16, 100);
  Contents wanted = run(schedule);
  EXPECT_EQ(findPeak(schedule).bytes, 1700);
  EXPECT_TRUE(repeatSteps(schedule, 900));
  EXPECT_LE(findPeak(schedule).bytes, 900);
  EXPECT_LE(secondsOfRepeats(schedule), 16); // forward once more, as with checkpoints of layers
  EXPECT_EQ(run(schedule), wanted);
}

TEST(MemorySchedule, WhatCannotBeRepeatedIsKept) {
  MemorySchedule schedule = chainOf(4, 100);
  for (MemoryStep &step : schedule.steps)
    step.isRepeatable = false;
  EXPECT_FALSE(repeatSteps(schedule, 400));
  EXPECT_EQ(schedule.steps.size(), 8u);
}

TEST(MemorySchedule, WhatIsChangedInPlaceMeanwhileIsNotReadAgain) {
  MemorySchedule schedule;
  unsigned variable = schedule.addBuffer(0, /*isPlanned=*/false), value = schedule.addBuffer(100),
           large = schedule.addBuffer(100);
  MemoryStep make;
  auto add = [&](std::initializer_list<unsigned> reads, std::initializer_list<unsigned> writes) {
    MemoryStep &step = schedule.addStep();
    step.reads = reads;
    step.writes = writes;
    step.seconds = 1;
    step.isRepeatable = true;
  };
  add({variable}, {value});
  add({}, {large});
  add({large}, {variable}); // the update
  add({value}, {});
  EXPECT_FALSE(repeatSteps(schedule, 100));
  // Without the update it can.
  schedule.steps[2].writes.clear();
  Contents wanted = run(schedule);
  EXPECT_TRUE(repeatSteps(schedule, 100));
  EXPECT_EQ(run(schedule), wanted);
}

TEST(MemorySchedule, WhatSeveralStepsMakeIsMadeByAllOfThem) {
  MemorySchedule schedule = chainOf(6, 100);
  // Each activation is changed in place once: a sum, and then a function of it.
  MemorySchedule changed;
  changed.buffers = schedule.buffers;
  for (const MemoryStep &step : schedule.steps) {
    MemoryStep &copy = changed.addStep();
    unsigned number = copy.origin;
    copy = step;
    copy.origin = number;
    if (step.isRepeatable) {
      MemoryStep &second = changed.addStep();
      second.reads = second.writes = step.writes;
      second.seconds = 0.5;
      second.isRepeatable = true;
    }
  }
  Contents wanted = run(changed);
  EXPECT_TRUE(repeatSteps(changed, 500));
  EXPECT_EQ(run(changed), wanted);
}

/// As where the gradient of a normalization is written over what it was computed of: the content
/// from before can still be given up, and goes to another place.
TEST(MemorySchedule, WhatIsOverwrittenLaterIsGivenUpMeanwhile) {
  MemorySchedule schedule = chainOf(16, 100);
  for (size_t number = 16; number < schedule.steps.size(); ++number) {
    MemoryStep &step = schedule.steps[number]; // in the place of the activation
    if (schedule.buffers[step.reads[1]].isPlanned)
      std::replace(step.writes.begin(), step.writes.end(), step.writes[0], step.reads[1]);
    if (number + 1 < schedule.steps.size())
      schedule.steps[number + 1].reads[0] = step.writes[0];
  }
  Contents wanted = run(schedule);
  EXPECT_EQ(findPeak(schedule).bytes, 1600);
  EXPECT_TRUE(repeatSteps(schedule, 900));
  EXPECT_LE(findPeak(schedule).bytes, 900);
  EXPECT_LE(secondsOfRepeats(schedule), 16);
  EXPECT_EQ(run(schedule), wanted);
}

/// Repeats are moments too, in which much may live: that they are there is no reason against them.
TEST(MemorySchedule, ASmallValueIsGivenUpThoughRepeatsTakeMoments) {
  MemorySchedule schedule = chainOf(8, 10);
  for (MemoryStep &step : schedule.steps)
    step.scratch = 1000;
  int64_t before = findPeak(schedule).bytes;
  EXPECT_FALSE(repeatSteps(schedule, 500));
  EXPECT_LE(findPeak(schedule).bytes, before - 30);
}

/// A schedule of random steps, of which some can be repeated and some change buffers in place.
MemorySchedule randomSchedule(std::mt19937 &random) {
  auto below = [&](unsigned most) { return unsigned(random() % most); };
  MemorySchedule schedule;
  std::vector<unsigned> made;
  for (int outside = 0; outside < 2; ++outside)
    made.push_back(schedule.addBuffer(0, /*isPlanned=*/false));
  unsigned count = 6 + below(30);
  for (unsigned number = 0; number < count; ++number) {
    MemoryStep &step = schedule.addStep();
    std::set<unsigned> reads;
    for (unsigned read = 0; read < 1 + below(3); ++read)
      reads.insert(made[below(4) == 0 ? below(made.size())
                                      : made.size() - 1 - below(std::min<size_t>(4, made.size()))]);
    step.reads.assign(reads.begin(), reads.end());
    step.seconds = 1 + below(5);
    step.isRepeatable = below(5) != 0;
    if (below(6) == 0) {
      step.writes = {step.reads.front()};
      if (step.reads.size() > 1 && below(2) == 0) // writes a part, without a look at the rest
        step.reads.erase(step.reads.begin());
      continue;
    }
    for (unsigned write = 0; write < 1 + below(8) / 7; ++write) {
      step.writes.push_back(schedule.addBuffer(50 * (1 + below(6))));
      made.push_back(step.writes.back());
    }
  }
  return schedule;
}

TEST(MemorySchedule, NoStepReadsOtherContentThanBefore) {
  std::mt19937 random(7);
  unsigned shrunk = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    MemorySchedule schedule = randomSchedule(random);
    Contents wanted = run(schedule);
    int64_t before = findPeak(schedule).bytes, limit = before * int64_t(40 + random() % 60) / 100;
    bool fits = repeatSteps(schedule, limit);
    int64_t after = findPeak(schedule).bytes;
    EXPECT_EQ(fits, after <= limit);
    EXPECT_LE(after, before);
    shrunk += after < before;
    ASSERT_EQ(run(schedule), wanted) << "trial " << trial;
  }
  EXPECT_GT(shrunk, 300u);
}

} // namespace
