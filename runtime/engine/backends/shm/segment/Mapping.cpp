// The process-wide registry of mapped files, by what identifies a file to the system.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/shm/segment/Mapping.h"

#include <iterator>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>

namespace tutti::runtime::shm {
namespace {

using Identity = std::pair<dev_t, ino_t>;

struct Registry {
  std::mutex mutex;
  std::map<Identity, std::weak_ptr<const Mapping>> mappings;

  void forget_unmapped() {
    for (auto next = mappings.begin(); next != mappings.end();)
      next = next->second.expired() ? mappings.erase(next) : std::next(next);
  }
};

/// Never destroyed: contexts may outlive static objects.
Registry &registry() {
  static Registry *all = new Registry;
  return *all;
}

Error system_error(const std::string &what) {
  return Error::make(TUTTI_SYSTEM_ERROR, what, ": ", system_message(errno));
}

/// The file at a multiple of huge_page, or MAP_FAILED.
void *map_aligned(int descriptor, int64_t bytes) {
  void *room = mmap(nullptr, bytes + huge_page, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED)
    return MAP_FAILED;
  char *first = static_cast<char *>(room), *last = first + bytes + huge_page;
  char *begin = first + (huge_page - reinterpret_cast<uintptr_t>(first) % huge_page) % huge_page;
  if (mmap(begin, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, 0) ==
      MAP_FAILED) {
    int reason = errno;
    munmap(room, bytes + huge_page);
    errno = reason;
    return MAP_FAILED;
  }
  char *end = begin + (bytes + 4095) / 4096 * 4096;
  if (begin > first)
    munmap(first, begin - first);
  if (end < last)
    munmap(end, last - end);
  return begin;
}

} // namespace

Result<std::shared_ptr<const Mapping>> Mapping::of(int descriptor, int64_t least_bytes) {
  struct stat status;
  if (fstat(descriptor, &status) != 0)
    return system_error(text("descriptor ", descriptor, " of the shared memory"));
  if (status.st_size < least_bytes)
    return Error::make(TUTTI_INVALID_ARGUMENT, "descriptor ", descriptor,
                       " is not shared memory of this runtime: it has ", status.st_size, " bytes");
  std::lock_guard<std::mutex> lock(registry().mutex);
  registry().forget_unmapped();
  std::weak_ptr<const Mapping> &known = registry().mappings[{status.st_dev, status.st_ino}];
  if (std::shared_ptr<const Mapping> mapping = known.lock())
    return mapping;
  void *memory = map_aligned(descriptor, status.st_size);
  if (memory == MAP_FAILED)
    return system_error("cannot map shared memory");
  // Hardly any of it is ever touched, and a core file would hold all of it.
  madvise(memory, status.st_size, MADV_DONTDUMP);
  std::shared_ptr<const Mapping> mapping(new Mapping(static_cast<char *>(memory), status.st_size));
  known = mapping;
  return mapping;
}

Mapping::~Mapping() { munmap(memory, length); }

} // namespace tutti::runtime::shm
