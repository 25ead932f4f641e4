// Samples of one operation on fresh buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/benchmarks/collectives/Measure.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::benchmarks {
namespace {

/// Small integers, so that sums are exact.
float value(int64_t rank, int64_t sample, int64_t i) { return float(rank + (sample + i) % 64); }

/// One operation on buffers of one size.
class Trial {
public:
  Trial(Contestant &contestant, Meeting &meeting, const Settings &settings, int64_t bytes)
      : contestant(contestant), meeting(meeting), operation(settings.operation),
        count(std::max<int64_t>(1, bytes / int64_t(sizeof(float)))) {
    if (operation == "all_to_all") {
      part = std::max<int64_t>(1, count / meeting.ranks());
      count = part * meeting.ranks();
      output = contestant.allocate(count, settings.is_shared);
    }
    input = contestant.allocate(count, settings.is_shared);
  }

  /// Nanoseconds of the call on this rank; negative if the result is wrong.
  double sample(int64_t number, double &hand_over) {
    for (int64_t i = 0; i < count; ++i)
      input[i] = value(meeting.rank(), number, i);
    hand_over = meeting.measure_hand_over();
    meeting.barrier();
    double begin = nanoseconds();
    call();
    double taken = nanoseconds() - begin;
    return read(number) ? taken : -1;
  }

private:
  void call() {
    if (operation == "all_reduce")
      contestant.all_reduce(input, count);
    else if (operation == "broadcast")
      contestant.broadcast(input, count);
    else
      contestant.all_to_all(input, output, part);
  }

  float expected(int64_t number, int64_t i) const {
    if (operation == "broadcast")
      return value(0, number, i);
    if (operation == "all_to_all")
      return value(i / part, number, meeting.rank() * part + i % part);
    float sum = 0;
    for (int64_t rank = 0; rank < meeting.ranks(); ++rank)
      sum += value(rank, number, i);
    return sum;
  }

  bool read(int64_t number) const {
    const float *result = output ? output : input;
    uint32_t all = 0; // of the bits: reads everything, as fast as memory allows
    for (int64_t i = 0; i < count; ++i) {
      uint32_t bits;
      std::memcpy(&bits, result + i, sizeof bits);
      all ^= bits;
    }
    asm volatile("" : : "r"(all));
    for (int64_t i : {int64_t(0), count / 2, count - 1})
      if (result[i] != expected(number, i))
        return false;
    return true;
  }

  Contestant &contestant;
  Meeting &meeting;
  std::string operation;
  int64_t count, part = 0;
  float *input = nullptr, *output = nullptr;
};

/// As many samples as the time allows, from the slowest of three that also warm up.
int64_t sample_count(Trial &trial, Meeting &meeting, double seconds, bool &is_right) {
  double slowest = 0, hand_over;
  for (int64_t number = 0; number < 3; ++number) {
    double begin = nanoseconds();
    is_right &= trial.sample(number, hand_over) >= 0;
    slowest = std::max(slowest, nanoseconds() - begin);
  }
  return meeting.agree(std::clamp<int64_t>(int64_t(seconds * 1e9 / slowest), 5, most_samples));
}

void print(Meeting &meeting, const Settings &settings, int64_t bytes,
           const std::vector<double> &hand_overs) {
  std::printf("{\"operation\": \"%s\", \"bytes\": %lld, \"samples\": [", settings.operation.c_str(),
              (long long)bytes);
  for (size_t i = 0; i < hand_overs.size(); ++i) {
    double slowest = 0;
    for (int64_t rank = 0; rank < meeting.ranks(); ++rank)
      slowest = std::max(slowest, meeting.notes(rank)[i]);
    std::printf("%s[%.3f, %.0f]", i == 0 ? "" : ", ", slowest / 1e3, hand_overs[i]);
  }
  std::printf("]}\n");
  std::fflush(stdout);
}

} // namespace

bool Settings::parse(int count, char **arguments) {
  for (int i = 1; i + 1 < count; i += 2) {
    std::string name = arguments[i], text = arguments[i + 1];
    if (name == "--ranks")
      ranks = std::atoll(text.c_str());
    else if (name == "--meeting")
      meeting = text;
    else if (name == "--operation")
      operation = text;
    else if (name == "--buffers")
      is_shared = text == "shared";
    else if (name == "--seconds")
      seconds = std::atof(text.c_str());
    else if (name == "--sizes") {
      std::istringstream list(text);
      for (std::string size; std::getline(list, size, ',');)
        sizes.push_back(std::atoll(size.c_str()));
    } else {
      std::fprintf(stderr, "error: no option %s\n", name.c_str());
      return false;
    }
  }
  return true;
}

int measure(Contestant &contestant, Meeting &meeting, const Settings &settings) {
  for (int64_t bytes : settings.sizes) {
    Trial trial(contestant, meeting, settings, bytes);
    bool is_right = true;
    int64_t samples = sample_count(trial, meeting, settings.seconds, is_right);
    std::vector<double> hand_overs(samples);
    for (int64_t number = 0; number < samples; ++number) {
      double taken = trial.sample(number, hand_overs[number]);
      is_right &= taken >= 0;
      meeting.notes(meeting.rank())[number] = taken;
    }
    meeting.barrier();
    if (meeting.rank() == 0)
      print(meeting, settings, bytes, hand_overs);
    meeting.barrier();
    if (!is_right) {
      std::fprintf(stderr, "error: wrong result of %s of %lld bytes\n", settings.operation.c_str(),
                   (long long)bytes);
      return 1;
    }
  }
  return 0;
}

int run_forked(int64_t ranks, const std::function<int(int64_t rank)> &rank_main) {
  std::vector<pid_t> children;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    pid_t child = fork();
    if (child == 0)
      _exit(rank_main(rank));
    children.push_back(child);
  }
  int failures = 0;
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    failures += status != 0;
  }
  return failures == 0 ? 0 : 1;
}

} // namespace tutti::benchmarks
