// Files for readers that want a path.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/formats/Input.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

using namespace tutti::fuzz;

ScratchFile::ScratchFile(const std::string &name) {
  parent = (std::filesystem::temp_directory_path() / "tutti-fuzz-XXXXXX").string();
  if (!mkdtemp(parent.data()))
    std::abort();
  path = parent + "/" + name;
}

ScratchFile::~ScratchFile() {
  std::error_code ignored;
  std::filesystem::remove_all(parent, ignored);
}

const std::string &ScratchFile::write(std::string_view content) {
  unlink(path.c_str()); // whoever still maps the file before keeps it
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 || ::write(file, content.data(), content.size()) != ssize_t(content.size()))
    std::abort();
  close(file);
  return path;
}
