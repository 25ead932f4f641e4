// A file whose name goes before anything is in it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/system/PrivateFile.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace tutti::runtime {

Result<std::unique_ptr<PrivateFile>> PrivateFile::make(const std::string &folder, int64_t bytes) {
  std::string path = folder + "/.tutti-XXXXXX";
  std::unique_ptr<PrivateFile> file(new PrivateFile(mkostemp(path.data(), O_CLOEXEC)));
  bool is_made =
      file->descriptor >= 0 && unlink(path.c_str()) == 0 && ftruncate(file->descriptor, bytes) == 0;
  if (is_made)
    return file;
  return Error::make(TUTTI_SYSTEM_ERROR, "cannot make a file of ", bytes, " bytes in '", folder,
                     "': ", system_message(errno));
}

PrivateFile::~PrivateFile() {
  if (descriptor >= 0)
    close(descriptor);
}

} // namespace tutti::runtime
