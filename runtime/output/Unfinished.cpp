// Random names, and locks that end with their holder.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/output/Unfinished.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

namespace tutti::runtime::output {
namespace {

constexpr std::string_view prefix = ".tutti-", suffix = ".part";

std::string random_name() {
  uint64_t number = 0;
  while (getrandom(&number, sizeof number, 0) != sizeof number) {
  }
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016" PRIx64, number);
  return std::string(prefix) + digits + std::string(suffix);
}

bool is_name_of_unfinished(std::string_view name) {
  return name.size() == prefix.size() + 16 + suffix.size() &&
         name.substr(0, prefix.size()) == prefix &&
         name.substr(name.size() - suffix.size()) == suffix;
}

/// A file system without locks keeps what killed writers leave.
bool lock(int file) { return flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

/// False if another process took the file for abandoned before it was locked, and removed it.
bool is_still_there(int file) {
  struct stat status;
  return fstat(file, &status) == 0 && status.st_nlink > 0;
}

void remove_if_abandoned(int folder, const char *name) {
  struct stat status;
  if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != geteuid())
    return;
  Descriptor file(openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file && flock(file.get(), LOCK_EX | LOCK_NB) == 0)
    unlinkat(folder, name, 0);
}

} // namespace

Descriptor create_unfinished(int folder, mode_t mode, std::string &out_name) {
  constexpr int most_attempts = 100;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    out_name = random_name();
    Descriptor file(
        openat(folder, out_name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!file && errno != EEXIST)
      return Descriptor();
    if (file && lock(file.get()) && is_still_there(file.get()))
      return file;
  }
  errno = EEXIST;
  return Descriptor();
}

void remove_abandoned(int folder) {
  int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); // with a place of its own
  if (again < 0)
    return;
  std::unique_ptr<DIR, int (*)(DIR *)> entries(fdopendir(again), closedir);
  while (dirent *entry = entries ? readdir(entries.get()) : nullptr)
    if (is_name_of_unfinished(entry->d_name))
      remove_if_abandoned(folder, entry->d_name);
}

} // namespace tutti::runtime::output
