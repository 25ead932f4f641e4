// malloc and operator new are ours here: a program comes before its libraries and plug-ins.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/allocations/Count.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

static std::atomic<int64_t> blocks;

int64_t allocated() { return blocks; }

extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes) {
  ++blocks;
  return __libc_malloc(bytes);
}
void *calloc(size_t each, size_t bytes) {
  ++blocks;
  return __libc_calloc(each, bytes);
}
void *realloc(void *memory, size_t bytes) {
  ++blocks;
  return __libc_realloc(memory, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
  ++blocks;
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  ++blocks;
  *memory = __libc_memalign(alignment, bytes);
  return *memory ? 0 : ENOMEM;
}
}

static void *checked(void *memory) {
  if (!memory)
    throw std::bad_alloc();
  return memory;
}

void *operator new(size_t bytes) {
  ++blocks;
  return checked(__libc_malloc(bytes));
}
void *operator new[](size_t bytes) {
  ++blocks;
  return checked(__libc_malloc(bytes));
}
void *operator new(size_t bytes, std::align_val_t alignment) {
  ++blocks;
  return checked(__libc_memalign(size_t(alignment), bytes));
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, size_t) noexcept { std::free(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { std::free(memory); }
