// Files of memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/system/SealedMemory.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace tutti::runtime {

static constexpr int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;

static Error refuse(const std::string &name) {
  return Error::make(TUTTI_SYSTEM_ERROR, "cannot make a file of memory for '", name,
                     "': ", system_message(errno));
}

Result<SealedMemory> SealedMemory::make(const std::string &name, size_t bytes) {
  constexpr size_t longest_name = 249; // see memfd_create(2)
  std::string end = name.substr(name.size() - std::min(name.size(), longest_name));
  SealedMemory made(memfd_create(end.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING), bytes);
  if (made.file < 0 || ftruncate(made.file, off_t(bytes)) != 0)
    return refuse(name);
  if (bytes == 0)
    return {std::move(made)};
  void *mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, made.file, 0);
  if (mapped == MAP_FAILED)
    return refuse(name);
  made.memory = static_cast<char *>(mapped);
  return {std::move(made)};
}

Result<SealedMemory> SealedMemory::of(const std::string &name, std::string_view content) {
  Result<SealedMemory> made = make(name, content.size());
  if (!made)
    return made;
  std::copy(content.begin(), content.end(), made->begin());
  if (Error error = made->seal())
    return error;
  return made;
}

Result<SealedMemory> SealedMemory::adopt(int descriptor) {
  SealedMemory adopted(descriptor, 0);
  int has = fcntl(descriptor, F_GET_SEALS);
  if (has < 0 || (has & seals) != seals)
    return Error::make(TUTTI_BAD_DATA, "memory of another process is not sealed");
  return {std::move(adopted)};
}

SealedMemory::SealedMemory(SealedMemory &&other) noexcept
    : file(std::exchange(other.file, -1)), size(other.size),
      memory(std::exchange(other.memory, nullptr)) {}

SealedMemory::~SealedMemory() {
  unmap();
  if (file >= 0)
    close(file);
}

void SealedMemory::unmap() {
  if (memory)
    munmap(memory, size);
  memory = nullptr;
}

/// Writing is sealed only while nobody has it mapped for that.
Error SealedMemory::seal() {
  unmap();
  return fcntl(file, F_ADD_SEALS, seals) == 0
             ? Error::success()
             : Error::make(TUTTI_SYSTEM_ERROR,
                           "cannot seal a file of memory: ", system_message(errno));
}

} // namespace tutti::runtime
