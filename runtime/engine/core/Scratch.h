// Memory that calls work in, one after another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_CORE_SCRATCH_H
#define TUTTI_RUNTIME_ENGINE_CORE_SCRATCH_H

#include <memory>
#include <memory_resource>
#include <type_traits>
#include <vector>

namespace tutti::runtime {

/// The memory of one thread, as a stack: what is taken last is best given back first. Once all is
/// given back, what has been used stays for the next call, so that calls which repeat ask the
/// system for nothing. It is 64-byte aligned.
class Scratch final : public std::pmr::memory_resource {
public:
  Scratch() = default;
  Scratch(const Scratch &) = delete;

  /// Leaves all memory to whoever still uses it, until the process ends.
  void abandon();

private:
  struct Delete {
    void operator()(char *memory) const;
  };
  struct Block {
    std::unique_ptr<char, Delete> memory;
    size_t bytes, used;
  };

  void *do_allocate(size_t bytes, size_t alignment) override;
  void do_deallocate(void *memory, size_t bytes, size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override {
    return this == &other;
  }
  void add_block(size_t bytes);

  std::vector<Block> blocks; ///< the last one is in use
  size_t wanted = 0;         ///< bytes that one block should have: the last calls needed several
  size_t taken = 0;          ///< pieces that are not given back
};

/// `count` elements of scratch, whose values are anything at first.
template <typename T> class ScratchArray {
public:
  ScratchArray(Scratch &scratch, size_t count)
      : scratch(scratch), memory(static_cast<T *>(scratch.allocate(count * sizeof(T)))),
        count(count) {}
  ScratchArray(const ScratchArray &) = delete;
  ~ScratchArray() { scratch.deallocate(memory, count * sizeof(T)); }

  T *data() const { return memory; }
  size_t size() const { return count; }
  T &operator[](size_t i) const { return memory[i]; }

private:
  static_assert(std::is_trivial_v<T>);
  Scratch &scratch;
  T *memory;
  size_t count;
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_ENGINE_CORE_SCRATCH_H
