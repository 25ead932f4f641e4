// Showing progress.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/reporting/Progress.h"

#include "runtime/output/StandardStreams.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace tutti::runtime::worker {
namespace {

constexpr double log_seconds = 1;
constexpr double line_seconds = 0.1;
constexpr double window_seconds = 2;

std::string number(const char *format, double value) {
  char digits[64];
  // The sign of a nan says nothing.
  std::snprintf(digits, sizeof digits, format, std::isnan(value) ? std::abs(value) : value);
  return digits;
}

/// A part of the line; where there is little room, those that matter least go first.
struct Part {
  int importance;
  std::string words;
};

size_t width_of(const std::vector<Part> &parts) {
  size_t width = 0;
  for (const Part &part : parts)
    width += part.words.size() + (width == 0 ? 0 : 2);
  return width;
}

std::string join(std::vector<Part> parts, size_t room) {
  auto less = [](const Part &a, const Part &b) { return a.importance < b.importance; };
  while (parts.size() > 1 && width_of(parts) > room)
    parts.erase(std::min_element(parts.begin(), parts.end(), less));
  std::string line;
  for (const Part &part : parts)
    line += (line.empty() ? "" : "  ") + part.words;
  return line.substr(0, room);
}

} // namespace

std::string duration_text(double seconds) {
  if (!(seconds < 1e9))
    return "years";
  long long whole = std::llround(seconds);
  long long days = whole / 86400, hours = whole / 3600 % 24, minutes = whole / 60 % 60;
  char digits[48];
  if (days > 0)
    std::snprintf(digits, sizeof digits, "%lld d %02lld:%02lld:%02lld", days, hours, minutes,
                  whole % 60);
  else if (hours > 0)
    std::snprintf(digits, sizeof digits, "%lld:%02lld:%02lld", hours, minutes, whole % 60);
  else
    std::snprintf(digits, sizeof digits, "%lld:%02lld", minutes, whole % 60);
  return digits;
}

ProgressScreen ProgressScreen::standard_output() {
  return {output::print, output::terminal_columns};
}

Progress::Progress(const std::string &mode, ProgressScreen given, int64_t steps, int64_t epochs,
                   int64_t samples_per_step)
    : screen(std::move(given)), steps(steps), epochs(epochs), samples_per_step(samples_per_step),
      is_silent(mode == "none"),
      is_line(mode == "line" || (mode == "auto" && screen.columns() > 0)) {}

bool Progress::is_due(const Moment &moment) const {
  bool is_first = last_seconds < 0 && (is_line || log_steps == 0);
  if (moment.step == steps || is_first)
    return true;
  if (is_line)
    return moment.seconds - last_seconds >= line_seconds;
  if (log_steps > 0)
    return moment.step % log_steps == 0;
  return moment.seconds - last_seconds >= log_seconds || tenth_of(moment.step) > last_tenth;
}

double Progress::steps_a_second(const Moment &moment) {
  if (newer.step == 0) {
    older = newer = {moment.step, moment.seconds};
    return double(moment.step - steps_before) / moment.seconds;
  }
  double rate = double(moment.step - older.step) / (moment.seconds - older.seconds);
  if (moment.seconds - newer.seconds >= window_seconds) {
    older = newer;
    newer = {moment.step, moment.seconds};
  }
  return rate;
}

std::string Progress::line(const Moment &moment, double rate, int columns) const {
  std::vector<Part> parts = {{0, text("epoch ", moment.epoch, "/", epochs)},
                             {4, text("step ", moment.step, "/", steps)}};
  if (moment.loss)
    parts.push_back({3, "loss " + number("%.6g", *moment.loss)});
  parts.push_back({1, number("%.0f samples/s", rate * double(samples_per_step))});
  if (moment.step < steps)
    parts.push_back({2, "ETA " + duration_text(double(steps - moment.step) / rate)});
  // A terminal goes on to the next line once its last column is used.
  return join(std::move(parts), columns > 1 ? size_t(columns - 1) : std::string::npos);
}

void Progress::show(const Moment &moment) {
  double rate = steps_a_second(moment);
  if (is_silent || !is_due(moment))
    return;
  last_seconds = moment.seconds;
  last_tenth = tenth_of(moment.step);
  if (is_line)
    screen.print("\r\033[K" + line(moment, rate, screen.columns()));
  else
    screen.print(line(moment, rate, 0) + "\n");
  has_open_line = is_line;
}

void Progress::finish() {
  if (has_open_line)
    screen.print("\n");
  has_open_line = false;
}

} // namespace tutti::runtime::worker
