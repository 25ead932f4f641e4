// malloc and operator new are ours here: a program comes before its libraries and plug-ins. So do
// its copies of templates such as std::vector<int>, which Gloo's library then calls: who asks for
// memory is told by several callers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/allocations/Count.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <execinfo.h>
#include <link.h>
#include <new>

namespace {

std::atomic<int64_t> ours, of_gloo, bytes_of_gloo;
std::atomic<uintptr_t> gloo_begin, gloo_end;

/// The addresses of Gloo's library, once it is loaded.
int find_gloo(dl_phdr_info *object, size_t, void *) {
  if (!std::strstr(object->dlpi_name, "libgloo.so"))
    return 0;
  uintptr_t begin = UINTPTR_MAX, end = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto &part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD)
      continue;
    begin = std::min(begin, uintptr_t(object->dlpi_addr + part.p_vaddr));
    end = std::max(end, uintptr_t(object->dlpi_addr + part.p_vaddr + part.p_memsz));
  }
  gloo_begin = begin;
  gloo_end = end;
  return 1;
}

bool is_of_gloo(const void *caller) {
  auto address = reinterpret_cast<uintptr_t>(caller);
  return address >= gloo_begin && address < gloo_end;
}

void count(size_t bytes) {
  constexpr int depth = 6; // this, malloc or new, and callers
  static thread_local bool is_looking = false;
  void *callers[depth];
  int found = 0;
  if (gloo_end != 0 && !is_looking) {
    is_looking = true; // the first look allocates
    found = backtrace(callers, depth);
    is_looking = false;
  }
  if (!std::any_of(callers, callers + found, is_of_gloo)) {
    ++ours;
    return;
  }
  ++of_gloo;
  bytes_of_gloo += int64_t(bytes);
}

} // namespace

Allocated allocated() {
  if (gloo_end == 0)
    dl_iterate_phdr(find_gloo, nullptr);
  return {ours, of_gloo, bytes_of_gloo};
}

extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes) {
  count(bytes);
  return __libc_malloc(bytes);
}
void *calloc(size_t each, size_t bytes) {
  count(each * bytes);
  return __libc_calloc(each, bytes);
}
void *realloc(void *memory, size_t bytes) {
  count(bytes);
  return __libc_realloc(memory, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
  count(bytes);
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  count(bytes);
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
  count(bytes);
  return checked(__libc_malloc(bytes));
}
void *operator new[](size_t bytes) {
  count(bytes);
  return checked(__libc_malloc(bytes));
}
void *operator new(size_t bytes, std::align_val_t alignment) {
  count(bytes);
  return checked(__libc_memalign(size_t(alignment), bytes));
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, size_t) noexcept { std::free(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { std::free(memory); }
