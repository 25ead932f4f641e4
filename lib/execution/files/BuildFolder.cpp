// Temporary folders that are never left behind for long.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/files/BuildFolder.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

using namespace tutti::execution;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

static constexpr StringRef kPrefix = "tutti-build-";

/// The folder, if it is this user's own; nobody else can then have put files into it.
static Descriptor openOwn(const std::string &path) {
  Descriptor folder(
      open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status;
  bool isOwn = folder && fstat(folder.get(), &status) == 0 && status.st_uid == geteuid() &&
               (status.st_mode & 077) == 0;
  return isOwn ? std::move(folder) : Descriptor();
}

/// Removes the folders of processes that hold theirs no more.
static void removeStale(const std::string &parent) {
  std::error_code code;
  for (fs::directory_iterator entry(parent, code, /*follow_symlinks=*/false), end;
       entry != end && !code; entry.increment(code)) {
    if (!llvm::sys::path::filename(entry->path()).starts_with(kPrefix))
      continue;
    Descriptor folder = openOwn(entry->path());
    if (folder && flock(folder.get(), LOCK_EX | LOCK_NB) == 0)
      fs::remove_directories(entry->path());
  }
}

llvm::Expected<BuildFolder> BuildFolder::create() {
  std::string reasons;
  for (std::string parent : {llvm::sys::Process::GetEnv("TMPDIR").value_or(""), std::string("/tmp"),
                             std::string("/dev/shm")}) {
    if (!llvm::sys::path::is_absolute(parent))
      continue;
    removeStale(parent);
    std::string path = parent + "/" + kPrefix.str() + "XXXXXX";
    Descriptor folder = mkdtemp(path.data()) ? openOwn(path) : Descriptor();
    if (folder && flock(folder.get(), LOCK_EX) == 0)
      return BuildFolder(std::move(path), std::move(folder));
    reasons += "; '" + parent + "': " + std::error_code(errno, std::generic_category()).message();
  }
  return llvm::createStringError("no folder for temporary files, set TMPDIR to one" + reasons);
}

BuildFolder::~BuildFolder() {
  if (lock) // else another one owns it now
    fs::remove_directories(folder);
}
