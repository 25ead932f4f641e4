// Every function of the door by name, for hosts that bind compiled programs without the dynamic
// linker.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/door/EntryTable.h"

#include "tutti/collectives.h"
#include "tutti/kernels.h"

#include <cstring>

namespace {

struct Entry {
  const char *name;
  void *address;
};

const Entry entries[] = {
#define TUTTI_ENTRY(name, spelling, parameters, arguments) {#name, reinterpret_cast<void *>(&name)},
#define TUTTI_QUERY_ENTRY(name, spelling, parameters, arguments)                                   \
  {#name, reinterpret_cast<void *>(&name)},
#define TUTTI_HOST_ENTRY(result, name, parameters, arguments)                                      \
  {#name, reinterpret_cast<void *>(&name)},
#include "tutti/abi.def"
};

} // namespace

void *tutti::runtime::find_entry(const char *name) {
  for (const Entry &entry : entries)
    if (std::strcmp(entry.name, name) == 0)
      return entry.address;
  return nullptr;
}
