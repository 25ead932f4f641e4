// Limits on inflating, and what the system says of its memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Inflation.h"

#include "runtime/support/system/ControlGroup.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace tutti::runtime::data {
namespace {

constexpr uint64_t unlimited = UINT64_MAX;

/// Data that was measured shrinks by 2 to 50.
constexpr uint64_t largest_ratio = 200;
/// Below this any ratio is harmless: small arrays are often all zeros.
constexpr uint64_t harmless = uint64_t(256) << 20;

uint64_t free_on_machine() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  for (uint64_t kibibytes; file >> name >> kibibytes; std::getline(file, unit))
    if (name == "MemAvailable:")
      return kibibytes << 10;
  return unlimited;
}

/// What each of our control groups, such as that of a container, leaves.
uint64_t free_in_groups() {
  uint64_t left = unlimited;
  for (const std::string &group : control_groups()) {
    uint64_t limit = 0, used = 0; // the limit may be "max"
    if (std::ifstream(group + "/memory.max") >> limit &&
        std::ifstream(group + "/memory.current") >> used)
      left = std::min(left, limit - std::min(limit, used));
  }
  return left;
}

} // namespace

uint64_t available_memory() { return std::min(free_on_machine(), free_in_groups()); }

Error check_inflation(uint64_t compressed, uint64_t inflated, uint64_t available) {
  if (inflated > available)
    return Error::make(
        TUTTI_OUT_OF_MEMORY, "it inflates to ", inflated, " bytes, but ", available,
        " bytes of memory are free; save it with numpy.save, then it is used where it lies");
  if (inflated > harmless && inflated / largest_ratio > compressed)
    return Error::make(TUTTI_BAD_DATA, "it inflates from ", compressed, " to ", inflated,
                       " bytes, more than ", largest_ratio,
                       " times; if that is right, save it uncompressed, with numpy.savez");
  return Error::success();
}

} // namespace tutti::runtime::data
