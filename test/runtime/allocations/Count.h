// Every block of memory that this process asks for, counted by who asks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_RUNTIME_ALLOCATIONS_COUNT_H
#define TUTTI_TEST_RUNTIME_ALLOCATIONS_COUNT_H

#include <cstdint>

struct Allocated {
  int64_t ours;    ///< blocks, of all but Gloo's library
  int64_t of_gloo; ///< blocks that it asks for
  int64_t bytes_of_gloo;
};

/// Since the process began, in all threads.
Allocated allocated();

#endif // TUTTI_TEST_RUNTIME_ALLOCATIONS_COUNT_H
