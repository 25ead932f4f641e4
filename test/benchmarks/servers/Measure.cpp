// Steps of random rows, timed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/benchmarks/servers/Measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>
#include <unordered_set>

namespace tutti::benchmarks {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + long(values.size() / 2), values.end());
  return values[values.size() / 2];
}

class Steps {
public:
  Steps(Contestant &contestant, const Settings &settings)
      : contestant(contestant), settings(settings), values(elements()), gradients(elements()) {}

  /// False if a row is not what it should be.
  bool run() {
    constexpr int64_t warm_up = 5;
    for (double end = now() + settings.seconds; step < warm_up + 3 || now() < end;) {
      draw();
      one_step(step >= warm_up);
      ++step;
      if (step % 10 == 1 && !check())
        return false;
    }
    return true;
  }

  void print() const {
    std::printf("{\"steps\": %zu, \"pulled\": %.0f, \"pushed\": %.0f, \"both\": %.0f}\n",
                pulls.size(), rate(pulls), rate(pushes), rate(both));
  }

private:
  size_t elements() const { return size_t(settings.batch * Settings::width); }
  double rate(const std::vector<double> &seconds) const {
    return double(settings.batch) / median(seconds);
  }

  void draw() {
    std::unordered_set<int64_t> seen;
    rows.clear();
    while (int64_t(rows.size()) < settings.batch)
      if (int64_t row = int64_t(random() % uint64_t(settings.rows)); seen.insert(row).second)
        rows.push_back(row);
    for (float &gradient : gradients)
      gradient = float(int64_t(random() % 64) - 32) / 16;
  }

  void one_step(bool is_counted) {
    double begin = now();
    contestant.pull(step, rows, values.data());
    double pulled = now();
    expected = values;
    for (size_t i = 0; i < expected.size(); ++i)
      expected[i] -= 0.5f * gradients[i];
    double computed = now();
    contestant.push(step, rows, values.data(), gradients.data());
    double pushed = now();
    if (!is_counted)
      return;
    pulls.push_back(pulled - begin);
    pushes.push_back(pushed - computed);
    both.push_back(pulls.back() + pushes.back());
  }

  bool check() {
    contestant.pull(step, rows, values.data());
    if (values == expected)
      return true;
    std::fprintf(stderr, "after step %ld rows are not what was pushed\n", long(step));
    return false;
  }

  Contestant &contestant;
  const Settings &settings;
  std::mt19937_64 random{7};
  std::vector<int64_t> rows;
  std::vector<float> values, gradients, expected;
  std::vector<double> pulls, pushes, both;
  int64_t step = 0;
};

} // namespace

bool Settings::parse(int count, char **arguments) {
  for (int i = 1; i < count; ++i) {
    std::string_view name = arguments[i];
    if (name.substr(0, 2) != "--") {
      files.emplace_back(name);
      continue;
    }
    const char *value = ++i < count ? arguments[i] : "";
    if (name == "--way")
      way = value;
    else if (name == "--servers")
      servers = std::atoll(value);
    else if (name == "--rows")
      rows = std::atoll(value);
    else if (name == "--batch")
      batch = std::atoll(value);
    else if (name == "--seconds")
      seconds = std::atof(value);
    else
      return std::fprintf(stderr, "unknown argument '%s'\n", arguments[i - 1]), false;
  }
  bool is_sound = servers > 0 && batch > 0 && rows >= 2 * batch && seconds > 0;
  if (!is_sound)
    std::fputs("needs servers, a batch of at most half the rows, and seconds\n", stderr);
  return is_sound;
}

int measure(Contestant &contestant, const Settings &settings) {
  Steps steps(contestant, settings);
  if (!steps.run())
    return 1;
  steps.print();
  return 0;
}

} // namespace tutti::benchmarks
