// A file of memory that is written once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_SYSTEM_SEALEDMEMORY_H
#define TUTTI_RUNTIME_SUPPORT_SYSTEM_SEALEDMEMORY_H

#include "runtime/support/Error.h"

#include <string>
#include <string_view>

namespace tutti::runtime {

/// Filled by its maker and sealed, after which nobody can change it. Processes that inherit its
/// descriptor map the same pages. The descriptor is closed on exec unless the caller says
/// otherwise, and the memory goes with the last process that has it.
class SealedMemory {
public:
  /// `bytes` zeros to be filled. `name` is what /proc/PID/maps and messages call it.
  static Result<SealedMemory> make(const std::string &name, size_t bytes);
  /// With this content, and sealed.
  static Result<SealedMemory> of(const std::string &name, std::string_view content);
  /// That of another process, by a descriptor that is this one's to close. An error if it is none,
  /// or if somebody may change it still.
  static Result<SealedMemory> adopt(int descriptor);
  SealedMemory(SealedMemory &&other) noexcept;
  SealedMemory(const SealedMemory &) = delete;
  ~SealedMemory();

  /// Where it can be written; null once it is sealed, or if it has no bytes.
  char *begin() { return memory; }
  Error seal();
  int descriptor() const { return file; }
  /// By which this process, and those that inherit the descriptor, open it.
  std::string path() const { return path_of(file); }
  static std::string path_of(int descriptor) { return text("/proc/self/fd/", descriptor); }

private:
  SealedMemory(int file, size_t size) : file(file), size(size) {}
  void unmap();

  int file;
  size_t size;
  char *memory = nullptr;
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_SYSTEM_SEALEDMEMORY_H
