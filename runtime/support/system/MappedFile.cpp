// Mapping files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/system/MappedFile.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tutti::runtime {

/// What people call the file: a descriptor's number says nothing.
static std::string shown_path(const std::string &path) {
  std::error_code none;
  return path.rfind("/proc/self/fd/", 0) == 0 ? std::filesystem::read_symlink(path, none).string()
                                              : path;
}

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string &path) {
  auto refuse = [&](const std::string &why) {
    return Error::make(TUTTI_BAD_DATA, "cannot read '", shown_path(path), "': ", why);
  };
  int file =
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe has no end to wait for
  if (file < 0)
    return refuse(system_message(errno));
  struct stat status;
  void *memory = nullptr;
  std::string problem;
  if (fstat(file, &status) != 0)
    problem = system_message(errno);
  else if (!S_ISREG(status.st_mode))
    problem = "it is not a regular file";
  else if (status.st_size > 0) {
    memory = mmap(nullptr, status.st_size, PROT_READ, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
      problem = system_message(errno);
  }
  close(file);
  if (!problem.empty())
    return refuse(problem);
  return std::shared_ptr<const MappedFile>(new MappedFile(
      static_cast<const char *>(memory), memory ? status.st_size : 0, shown_path(path)));
}

MappedFile::~MappedFile() {
  if (begin)
    munmap(const_cast<char *>(begin), size);
}

} // namespace tutti::runtime
