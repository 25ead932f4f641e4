// Mapping files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/MappedFile.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tutti::runtime {

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string &path) {
  auto refuse = [&](const std::string &why) {
    return Error::make(TUTTI_BAD_DATA, "cannot read '", path, "': ", why);
  };
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
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
  return std::shared_ptr<const MappedFile>(
      new MappedFile(static_cast<const char *>(memory), memory ? status.st_size : 0, path));
}

MappedFile::~MappedFile() {
  if (begin)
    munmap(const_cast<char *>(begin), size);
}

} // namespace tutti::runtime
