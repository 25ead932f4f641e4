// Every block of memory that this process asks for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_RUNTIME_ALLOCATIONS_COUNT_H
#define TUTTI_TEST_RUNTIME_ALLOCATIONS_COUNT_H

#include <cstdint>

/// Blocks since the process began, in all threads.
int64_t allocated();

#endif // TUTTI_TEST_RUNTIME_ALLOCATIONS_COUNT_H
