// Temporary folders that are never left behind for long.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/files/BuildFolder.h"

#include "runtime/support/system/ProcessMark.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace tutti::execution;
using llvm::StringRef;
using tutti::runtime::ProcessMark;
namespace fs = llvm::sys::fs;

static constexpr StringRef kPrefix = "tutti-build-";

/// Whether the process that made the folder has ended. Of one elsewhere nobody knows that; but none
/// compiles for a day.
static bool isLeftover(StringRef path) {
  constexpr time_t day = 24 * 60 * 60;
  StringRef name = llvm::sys::path::filename(path);
  std::string_view rest;
  std::optional<ProcessMark> maker;
  if (name.consume_front(kPrefix))
    maker = ProcessMark::parse({name.data(), name.size()}, rest);
  struct stat status;
  if (!maker || lstat(path.str().c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
      status.st_uid != geteuid())
    return false;
  return maker->has_ended() ||
         (!maker->is_of_here() && time(nullptr) - status.st_mtim.tv_sec > day);
}

static void removeLeftovers(const std::string &parent) {
  std::error_code code;
  for (fs::directory_iterator entry(parent, code, /*follow_symlinks=*/false), end;
       entry != end && !code; entry.increment(code))
    if (isLeftover(entry->path()))
      fs::remove_directories(entry->path());
}

llvm::Expected<BuildFolder> BuildFolder::create() {
  std::string reasons;
  for (std::string parent : {llvm::sys::Process::GetEnv("TMPDIR").value_or(""), std::string("/tmp"),
                             std::string("/dev/shm")}) {
    if (!llvm::sys::path::is_absolute(parent))
      continue;
    removeLeftovers(parent);
    std::string path = parent + "/" + kPrefix.str() + ProcessMark::own().text() + "-XXXXXX";
    if (mkdtemp(path.data()))
      return BuildFolder(std::move(path));
    reasons += "; '" + parent + "': " + std::error_code(errno, std::generic_category()).message();
  }
  return llvm::createStringError("no folder for temporary files, set TMPDIR to one" + reasons);
}

BuildFolder::BuildFolder(BuildFolder &&other) noexcept : folder(std::exchange(other.folder, "")) {}

BuildFolder::~BuildFolder() {
  if (!folder.empty())
    fs::remove_directories(folder);
}
