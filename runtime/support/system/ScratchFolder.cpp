// Making a scratch folder, and removing those that nobody needs any more.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/system/ScratchFolder.h"

#include "runtime/support/system/ProcessMark.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace tutti::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "tutti-run-";

/// Whether `name` is that of a scratch folder of a process of this machine that has ended.
bool is_leftover(std::string_view name) {
  if (name.substr(0, prefix.size()) != prefix)
    return false;
  std::string_view rest;
  std::optional<ProcessMark> mark = ProcessMark::parse(name.substr(prefix.size()), rest);
  return mark && rest.size() > 1 && rest.front() == '-' && mark->has_ended();
}

bool is_own_folder(const fs::path &path) {
  struct stat status = {};
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

void remove_leftovers(const fs::path &folder) {
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    std::error_code ignored;
    if (is_leftover(entry->path().filename().string()) && is_own_folder(entry->path()))
      fs::remove_all(entry->path(), ignored);
  }
}

} // namespace

Result<ScratchFolder> ScratchFolder::make() {
  std::error_code code;
  const char *given = std::getenv("TMPDIR");
  if (given && *given == 0) // as if it were not set
    return make_in("/tmp");
  fs::path folder = fs::temp_directory_path(code);
  if (code)
    return Error::make(TUTTI_SYSTEM_ERROR, "the folder for temporary files '",
                       given ? given : "/tmp", "' cannot be used: ", code.message(),
                       "; set TMPDIR to one that can");
  return make_in(folder);
}

Result<ScratchFolder> ScratchFolder::make_for_sockets(size_t letters) {
  constexpr size_t most_letters = sizeof sockaddr_un::sun_path - 1; // a zero ends it
  Result<ScratchFolder> made = make();
  if (!made || made->place.size() + 1 + letters <= most_letters)
    return made;
  std::string too_long = made->place;
  Result<ScratchFolder> shorter = make_in("/tmp");
  if (!shorter)
    return Error::make(shorter.error().status, "the name '", too_long,
                       "' is too long for sockets: ", shorter.error().message,
                       "; set TMPDIR to a shorter folder");
  return shorter;
}

Result<ScratchFolder> ScratchFolder::make_in(const std::string &folder) {
  remove_leftovers(folder);
  std::string pattern =
      (fs::path(folder) / text(prefix, ProcessMark::own().text(), "-XXXXXX")).string();
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
