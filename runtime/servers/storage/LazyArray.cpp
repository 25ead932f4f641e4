// Reserving addresses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/storage/LazyArray.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>

namespace tutti::runtime::servers {

void LazyMemory::Unmap::operator()(char *memory) const { munmap(memory, bytes); }

Result<LazyMemory> LazyMemory::make(int64_t bytes, Pages pages) {
  size_t size = size_t(std::max<int64_t>(1, bytes));
  void *memory = bytes < 0 ? MAP_FAILED
                           : mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return Error::make(TUTTI_OUT_OF_MEMORY, "no addresses for ", bytes,
                       " bytes: ", system_message(errno));
  if (pages == Pages::large)
    madvise(memory, size, MADV_HUGEPAGE); // whether it helps or not
  LazyMemory made;
  made.memory = {static_cast<char *>(memory), Unmap{size}};
  return made;
}

void LazyMemory::clear(int64_t begin, int64_t end) {
  int64_t first = (begin + page_bytes - 1) / page_bytes * page_bytes;
  int64_t last = end / page_bytes * page_bytes;
  if (first >= last)
    return (void)std::memset(data() + begin, 0, size_t(end - begin));
  std::memset(data() + begin, 0, size_t(first - begin));
  madvise(data() + first, size_t(last - first), MADV_DONTNEED);
  std::memset(data() + last, 0, size_t(end - last));
}

} // namespace tutti::runtime::servers
