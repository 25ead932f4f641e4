// The names of memory that is mapped from files, for handlers of signals, which get an address
// only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_SYSTEM_NAMEDMEMORY_H
#define TUTTI_RUNTIME_SUPPORT_SYSTEM_NAMEDMEMORY_H

#include <cstddef>
#include <string>

namespace tutti::runtime {

/// Gives the `bytes` from `begin` a name for as long as it lives. Where there are very many at
/// once, some have none. Any thread.
class NamedMemory {
public:
  NamedMemory(const void *begin, size_t bytes, const std::string &name);
  ~NamedMemory();
  NamedMemory(const NamedMemory &) = delete;

private:
  int place;
};

/// The name of the memory at `address`; null if it has none. May be called by a handler of a
/// signal.
const char *memory_name(const void *address);

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_SYSTEM_NAMEDMEMORY_H
