// Paths that the kernel keeps below a folder.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/OpenBeneath.h"

#include "llvm/Support/Path.h"

#include <cerrno>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

using llvm::StringRef;
namespace path = llvm::sys::path;

int tutti::frontend::openEachPart(int folder, StringRef name) {
  int current = fcntl(folder, F_DUPFD_CLOEXEC, 0);
  for (auto part = path::begin(name), end = path::end(name); current >= 0 && part != end;) {
    std::string here = part->str();
    bool isLast = ++part == end;
    if (here == "..") {
      close(current);
      errno = EXDEV;
      return -1;
    }
    int flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (isLast ? O_RDONLY : O_PATH | O_DIRECTORY);
    int next = openat(current, here.c_str(), flags);
    int reason = errno;
    close(current);
    errno = reason;
    current = next;
  }
  return current;
}

int tutti::frontend::openBeneath(int folder, StringRef name) {
  open_how how = {};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK; // a pipe must not make anyone wait
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  long file = syscall(SYS_openat2, folder, name.str().c_str(), &how, sizeof how);
  if (file < 0 && (errno == ENOSYS || errno == EPERM)) // EPERM: filters of system calls
    return openEachPart(folder, name);
  return static_cast<int>(file);
}
