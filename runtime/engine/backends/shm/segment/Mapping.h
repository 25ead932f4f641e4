// A shared file in the memory of this process. Ranks that are threads of one process get the same
// mapping, so that they share addresses and tools see how they synchronise.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_SEGMENT_MAPPING_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_SEGMENT_MAPPING_H

#include "runtime/support/Error.h"

#include <cstdint>
#include <memory>

namespace tutti::runtime::shm {

/// Begins at a multiple of this, so that what lies at one in the file can have huge pages.
constexpr int64_t huge_page = int64_t(2) << 20;

/// Unmapped when its last user is gone. Immutable.
class Mapping {
public:
  /// The whole of the file of `descriptor`, which must have `least_bytes`. The descriptor stays
  /// the caller's. May be called from several threads.
  static Result<std::shared_ptr<const Mapping>> of(int descriptor, int64_t least_bytes);

  Mapping(const Mapping &) = delete;
  ~Mapping();

  char *begin() const { return memory; }
  int64_t bytes() const { return length; }

private:
  Mapping(char *memory, int64_t length) : memory(memory), length(length) {}
  char *memory;
  int64_t length;
};

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_SEGMENT_MAPPING_H
