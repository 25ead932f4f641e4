// A fixed table: a handler of a signal may neither lock nor allocate.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/system/NamedMemory.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace tutti::runtime {
namespace {

struct Place {
  std::atomic<bool> is_taken{false};
  std::atomic<uintptr_t> begin{0}, end{0}; ///< empty while the name is written
  char name[512];
};

Place places[256];

} // namespace

NamedMemory::NamedMemory(const void *begin, size_t bytes, const std::string &name) : place(-1) {
  for (Place &candidate : places) {
    if (candidate.is_taken.exchange(true))
      continue;
    place = int(&candidate - places);
    size_t length = std::min(name.size(), sizeof candidate.name - 1);
    std::copy_n(name.data(), length, candidate.name);
    candidate.name[length] = 0;
    candidate.end = uintptr_t(begin) + bytes;
    candidate.begin = uintptr_t(begin);
    return;
  }
}

NamedMemory::~NamedMemory() {
  if (place < 0)
    return;
  places[place].end = 0;
  places[place].begin = 0;
  places[place].is_taken = false;
}

const char *memory_name(const void *address) {
  for (const Place &candidate : places)
    if (uintptr_t(address) >= candidate.begin && uintptr_t(address) < candidate.end)
      return candidate.name;
  return nullptr;
}

} // namespace tutti::runtime
