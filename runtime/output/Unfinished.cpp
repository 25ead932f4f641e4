// Random names, which say who writes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/output/Unfinished.h"

#include "runtime/support/system/ProcessMark.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <sys/random.h>
#include <sys/stat.h>
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
  return text(prefix, ProcessMark::own().text(), "-", digits, suffix);
}

/// Who makes the file `name`, if it is an unfinished one.
std::optional<ProcessMark> writer_of(std::string_view name) {
  if (name.substr(0, prefix.size()) != prefix)
    return std::nullopt;
  std::string_view rest;
  std::optional<ProcessMark> mark = ProcessMark::parse(name.substr(prefix.size()), rest);
  bool is_whole =
      rest.size() == 1 + 16 + suffix.size() && rest.front() == '-' && rest.substr(1 + 16) == suffix;
  return is_whole ? mark : std::nullopt;
}

/// Of a writer elsewhere nobody knows whether it lives; but nobody writes a file for a day without
/// touching it.
bool is_abandoned(const ProcessMark &writer, const struct stat &status) {
  constexpr time_t day = 24 * 60 * 60;
  return writer.has_ended() ||
         (!writer.is_of_here() && time(nullptr) - status.st_mtim.tv_sec > day);
}

void remove_if_abandoned(int folder, const char *name) {
  std::optional<ProcessMark> writer = writer_of(name);
  struct stat status;
  if (!writer || fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISREG(status.st_mode) || status.st_uid != geteuid())
    return;
  if (is_abandoned(*writer, status))
    unlinkat(folder, name, 0);
}

} // namespace

Descriptor create_unfinished(int folder, mode_t mode, std::string &out_name) {
  constexpr int most_attempts = 100;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    out_name = random_name();
    Descriptor file(
        openat(folder, out_name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (file || errno != EEXIST)
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
    remove_if_abandoned(folder, entry->d_name);
}

} // namespace tutti::runtime::output
