// What the system calls of descriptors leave to their callers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/Descriptor.h"

#include <cerrno>
#include <sys/resource.h>

llvm::Error tutti::execution::systemError(const llvm::Twine &what) {
  std::error_code code(errno, std::generic_category());
  std::string limit;
  rlimit size;
  if (code == std::errc::file_too_large && getrlimit(RLIMIT_FSIZE, &size) == 0)
    limit = "; the limit is " + std::to_string(size.rlim_cur) + " bytes of a file (ulimit -f)";
  return llvm::createStringError(code, what + ": " + code.message() + limit);
}

bool tutti::execution::writeAll(int file, llvm::StringRef content) {
  while (!content.empty()) {
    ssize_t written = write(file, content.data(), content.size());
    if (written < 0 && errno != EINTR)
      return false;
    content = content.drop_front(written < 0 ? 0 : written);
  }
  return true;
}
