// Formats numbers and rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/run/ReportText.h"

#include "runtime/support/Error.h"
#include "runtime/support/Names.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tutti::runtime::worker {

std::string number_text(double value, int digits) {
  char text[64];
  // The sign of a nan says nothing.
  std::snprintf(text, sizeof text, "%.*f", digits, std::isnan(value) ? std::abs(value) : value);
  return text;
}

std::string grouped_text(int64_t number) {
  std::string digits = text(number);
  for (int64_t place = int64_t(digits.size()) - 3; place > 0; place -= 3)
    digits.insert(size_t(place), ",");
  return digits;
}

std::string bytes_text(int64_t given) {
  double count = double(given);
  const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  for (; count >= 1024 && unit < 4; ++unit)
    count /= 1024;
  return text(number_text(count, unit ? 1 : 0), " ", units[unit]);
}

std::string step_text(double seconds) {
  if (seconds >= 10)
    return number_text(seconds, 1) + " s";
  double milliseconds = seconds * 1e3;
  return number_text(milliseconds, milliseconds < 1 ? 3 : milliseconds < 100 ? 2 : 0) + " ms";
}

std::string summary_line(std::string name, const std::string &content) {
  name.resize(std::max<size_t>(name.size(), 17), ' ');
  return "  " + name + content + "\n";
}

int64_t elements_of(const Variable &variable) {
  bool is_part = variable.placement == Placement::shard;
  const std::vector<int64_t> &shape = is_part ? variable.whole : variable.shape;
  return *data::array_bytes(variable.type, shape) / type_bytes(variable.type);
}

namespace {

/// Bytes of the variables of one kind that a rank holds and, where it holds a part, of the whole.
std::string variables_of(const Manifest &manifest, const std::string &kind) {
  int64_t held = 0, whole = 0;
  for (const Variable &variable : manifest.variables) {
    if (variable.kind != kind)
      continue;
    bool is_part = variable.placement == Placement::shard;
    held += *data::array_bytes(variable.type, variable.shape);
    whole += *data::array_bytes(variable.type, is_part ? variable.whole : variable.shape);
  }
  return bytes_text(held) + " " + kind + (held == whole ? "" : " of " + bytes_text(whole));
}

} // namespace

std::string repeated_text(const Manifest &manifest) {
  if (manifest.repeated == 0)
    return "";
  return text("; ", grouped_text(manifest.repeated),
              manifest.repeated == 1 ? " operation of a step runs" : " operations of a step run",
              " again, so that it is no more");
}

std::string variables_line(const Manifest &manifest) {
  return summary_line("  variables",
                      text(variables_of(manifest, "trainable"), ", ",
                           variables_of(manifest, "state"), ", ", variables_of(manifest, "other")));
}

std::string states_line(const Manifest &manifest) {
  int64_t bytes = manifest.state_bytes();
  return bytes == 0 ? ""
                    : summary_line("states in files",
                                   text(bytes_text(bytes), " on disk, at most ",
                                        bytes_text(manifest.window), " of it in memory at once"));
}

} // namespace tutti::runtime::worker
