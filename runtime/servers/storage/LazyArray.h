// Memory of which only the pages that are used are there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_STORAGE_LAZYARRAY_H
#define TUTTI_RUNTIME_SERVERS_STORAGE_LAZYARRAY_H

#include "runtime/support/Error.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace tutti::runtime::servers {

constexpr int64_t page_bytes = 4096;

/// Whether memory is taken by large pages where the system has them: for what is filled densely.
enum class Pages { small, large };

/// Addresses of `bytes` zeros, reserved: no memory is taken before somebody writes.
class LazyMemory {
public:
  static Result<LazyMemory> make(int64_t bytes, Pages pages = Pages::small);
  LazyMemory() = default;

  char *data() const { return memory.get(); }
  int64_t size() const { return int64_t(memory.get_deleter().bytes); }
  /// Bytes `begin` to `end` are zeros again, and the pages that lie within are given back.
  void clear(int64_t begin, int64_t end);

private:
  struct Unmap {
    size_t bytes;
    void operator()(char *memory) const;
  };
  std::unique_ptr<char, Unmap> memory{nullptr, Unmap{0}};
};

/// An array of numbers that begin as 0.
template <typename T> class LazyArray {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  static Result<LazyArray> make(int64_t count, Pages pages = Pages::small) {
    Result<LazyMemory> made = LazyMemory::make(count * int64_t(sizeof(T)), pages);
    if (!made)
      return made.error();
    LazyArray array;
    array.memory = std::move(*made);
    return array;
  }

  T &operator[](int64_t index) { return reinterpret_cast<T *>(memory.data())[index]; }
  const T &operator[](int64_t index) const {
    return reinterpret_cast<const T *>(memory.data())[index];
  }

private:
  LazyMemory memory;
};

/// A bit for each of many things.
class LazyBits {
public:
  static Result<LazyBits> make(int64_t count) {
    Result<LazyArray<uint64_t>> made = LazyArray<uint64_t>::make(count / 64 + 1);
    if (!made)
      return made.error();
    LazyBits bits;
    bits.words = std::move(*made);
    bits.count = count;
    return bits;
  }

  Result<LazyBits> copy() const {
    Result<LazyBits> made = make(count);
    for (int64_t word = 0; made && word <= count / 64; ++word)
      if (words[word] != 0) // pages of zeros are not there
        made->words[word] = words[word];
    return made;
  }

  bool operator[](int64_t index) const { return words[index / 64] >> (index % 64) & 1; }
  void prefetch(int64_t index) const { __builtin_prefetch(&words[index / 64], 1); }
  void set(int64_t index) { words[index / 64] |= uint64_t(1) << (index % 64); }
  void reset(int64_t index) { words[index / 64] &= ~(uint64_t(1) << (index % 64)); }
  /// The first that is set from `index` on and before `end`; `end` if there is none.
  int64_t find(int64_t index, int64_t end) const {
    while (index < end) {
      if (uint64_t rest = words[index / 64] >> (index % 64)) {
        index += __builtin_ctzll(rest);
        return index < end ? index : end;
      }
      index = (index / 64 + 1) * 64;
    }
    return end;
  }
  int64_t size() const { return count; }
  /// How many are set.
  int64_t ones() const {
    int64_t found = 0;
    for (int64_t word = 0; count > 0 && word <= count / 64; ++word)
      found += __builtin_popcountll(words[word]);
    return found;
  }

private:
  LazyArray<uint64_t> words;
  int64_t count = 0;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_STORAGE_LAZYARRAY_H
