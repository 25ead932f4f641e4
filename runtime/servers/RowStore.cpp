// Memory of rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/RowStore.h"

#include <cerrno>
#include <sys/mman.h>

namespace tutti::runtime::servers {

void RowStore::Unmap::operator()(char *memory) const { munmap(memory, bytes); }

Result<RowStore> RowStore::make(const worker::ServedTable &table, FirstRows first) {
  RowStore store;
  store.first = std::move(first);
  store.bytes_of_row = table.row_bytes();
  store.stride = store.bytes_of_row * int64_t(table.states.size() + 1);
  int64_t bytes = 0;
  void *memory = MAP_FAILED;
  if (!__builtin_mul_overflow(store.stride, table.rows(), &bytes))
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return Error::make(TUTTI_OUT_OF_MEMORY, "no addresses for table '", table.name,
                       "': ", table.rows(), " rows of ", store.stride,
                       " bytes, states included: ", system_message(errno));
  store.memory = {static_cast<char *>(memory), Unmap{size_t(bytes)}};
  store.made.resize(table.rows());
  return store;
}

char *RowStore::row(int64_t index) {
  char *found = memory.get() + index * stride;
  if (!made[index]) {
    first.write(index, found);
    made[index] = true;
    ++made_count;
  }
  return found;
}

} // namespace tutti::runtime::servers
