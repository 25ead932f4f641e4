// Making a scratch folder, and removing those that nobody needs any more.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/ScratchFolder.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace tutti::runtime {
namespace {

namespace fs = std::filesystem;

/// Process numbers mean something within one space of them only; containers may share a folder.
unsigned long process_space() {
  struct stat status = {};
  stat("/proc/self/ns/pid", &status);
  return static_cast<unsigned long>(status.st_ino);
}

/// Whether `name` is that of a scratch folder of a process of this machine that has ended.
bool is_left_behind(const std::string &name) {
  unsigned long space = 0;
  int process = 0, end = 0;
  if (std::sscanf(name.c_str(), "tutti-run-%lu-%d-%n", &space, &process, &end) != 2 || end == 0)
    return false;
  return space == process_space() && process > 0 && kill(process, 0) != 0 && errno == ESRCH;
}

bool is_own_folder(const fs::path &path) {
  struct stat status = {};
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

void remove_left_behind(const fs::path &folder) {
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    std::error_code ignored;
    if (is_left_behind(entry->path().filename().string()) && is_own_folder(entry->path()))
      fs::remove_all(entry->path(), ignored);
  }
}

} // namespace

Result<ScratchFolder> ScratchFolder::make() {
  std::error_code code;
  fs::path folder = fs::temp_directory_path(code);
  if (code) {
    const char *given = std::getenv("TMPDIR");
    return Error::make(TUTTI_SYSTEM_ERROR, "the folder for temporary files '",
                       given ? given : "/tmp", "' cannot be used: ", code.message(),
                       "; set TMPDIR to one that can");
  }
  return make_in(folder);
}

Result<ScratchFolder> ScratchFolder::make_in(const std::string &folder) {
  remove_left_behind(folder);
  std::string pattern =
      (fs::path(folder) / text("tutti-run-", process_space(), "-", getpid(), "-XXXXXX")).string();
  if (!mkdtemp(pattern.data()))
    return Error::make(TUTTI_SYSTEM_ERROR, "cannot make the folder '", pattern,
                       "': ", std::strerror(errno));
  ScratchFolder made;
  made.place = pattern;
  return made;
}

ScratchFolder &ScratchFolder::operator=(ScratchFolder &&other) noexcept {
  std::swap(place, other.place);
  return *this;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!place.empty())
    fs::remove_all(place, ignored);
}

} // namespace tutti::runtime
