// Showing progress.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/worker/Progress.h"

#include <chrono>
#include <cinttypes>
#include <unistd.h>

namespace tutti::runtime::worker {
namespace {

constexpr double log_seconds = 1;
constexpr double line_seconds = 0.1;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

Progress::Progress(const std::string &mode, std::FILE *out, int64_t steps, int64_t epochs)
    : out(out), steps(steps), epochs(epochs), is_silent(mode == "none"),
      is_line(mode == "line" || (mode == "auto" && isatty(fileno(out)))) {}

bool Progress::is_due(int64_t step, double time) const {
  if (step == steps)
    return true;
  if (is_line)
    return time - last_time >= line_seconds;
  return time - last_time >= log_seconds || step * 10 / steps > last_tenth;
}

void Progress::show(int64_t step, int64_t epoch, double loss, bool has_loss,
                    double samples_per_second) {
  double time = now();
  if (is_silent || !is_due(step, time))
    return;
  last_time = time;
  last_tenth = step * 10 / steps;
  std::fprintf(out, "%sepoch %" PRId64 "/%" PRId64 "  step %" PRId64 "/%" PRId64,
               is_line ? "\r\033[K" : "", epoch, epochs, step, steps);
  if (has_loss)
    std::fprintf(out, "  loss %.6g", loss);
  std::fprintf(out, "  %.0f samples/s%s", samples_per_second, is_line ? "" : "\n");
  std::fflush(out);
  has_open_line = is_line;
}

void Progress::finish() {
  if (has_open_line)
    std::fputc('\n', out);
  has_open_line = false;
  std::fflush(out);
}

} // namespace tutti::runtime::worker
