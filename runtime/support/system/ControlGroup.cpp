// Files of control groups; man 7 cgroups, and Documentation/admin-guide/cgroup-v2.rst of Linux.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/system/ControlGroup.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <sstream>

namespace tutti::runtime {
namespace {

constexpr const char *root = "/sys/fs/cgroup";

std::string read_all(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

std::vector<std::string> control_groups_of(std::string_view text) {
  constexpr std::string_view mark = "0::";
  std::vector<std::string> folders;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, mark.size(), mark) != 0)
      continue;
    for (std::string path = line.substr(mark.size()); path.size() > 1; path.resize(path.rfind('/')))
      folders.push_back(root + path);
  }
  folders.emplace_back(root);
  return folders;
}

std::vector<std::string> control_groups() {
  return control_groups_of(read_all("/proc/self/cgroup"));
}

std::optional<double> parse_processor_quota(std::string_view text) {
  std::istringstream words{std::string(text)};
  double time = 0, period = 0;
  if (words >> time >> period && time > 0 && period > 0)
    return time / period;
  return std::nullopt;
}

int64_t usable_processors() {
  cpu_set_t set;
  double usable = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  for (const std::string &folder : control_groups())
    if (std::optional<double> quota = parse_processor_quota(read_all(folder + "/cpu.max")))
      usable = std::min(usable, *quota);
  return std::max<int64_t>(1, std::llround(std::ceil(usable)));
}

} // namespace tutti::runtime
