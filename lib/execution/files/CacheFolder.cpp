// Files of a folder that nobody else may write to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/files/CacheFolder.h"

#include "runtime/output/Unfinished.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <tuple>
#include <vector>

using namespace tutti;
using namespace tutti::execution;
using llvm::StringRef, llvm::Twine;
namespace fs = llvm::sys::fs;

static constexpr StringRef kLock = ".lock";

/// Whether the opened file is of `type` (S_IFREG or S_IFDIR), of this user, and of nobody else's to
/// write.
static llvm::Error checkOwn(int file, mode_t type, const Twine &what) {
  struct stat status;
  if (fstat(file, &status) != 0)
    return systemError(what);
  auto refuse = [&](const Twine &why) { return llvm::createStringError(what + " " + why); };
  if ((status.st_mode & S_IFMT) != type)
    return refuse(type == S_IFDIR ? "is not a folder" : "is not a regular file");
  if (status.st_uid != geteuid())
    return refuse("belongs to user " + Twine(status.st_uid) + ", not to user " + Twine(geteuid()));
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    return refuse("may be written by other users");
  return llvm::Error::success();
}

llvm::Expected<CacheFolder> CacheFolder::open(StringRef path) {
  if (!llvm::sys::path::is_absolute(path))
    return llvm::createStringError("the folder '" + path + "' is not an absolute path");
  fs::create_directories(path, /*IgnoreExisting=*/true, fs::owner_all); // open says what is wrong
  Descriptor folder(
      ::open(path.str().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!folder && (errno == ELOOP || (errno == ENOTDIR && fs::is_symlink_file(path))))
    return llvm::createStringError("the folder '" + path + "' is a link");
  if (!folder)
    return systemError("the folder '" + path + "'");
  if (llvm::Error error = checkOwn(folder.get(), S_IFDIR, "the folder '" + path + "'"))
    return error;
  return CacheFolder(std::move(folder));
}

/// The content of `file`, in memory of its size: programs hold weights.
static llvm::Expected<std::string> readAll(int file) {
  fs::file_status status;
  if (std::error_code code = fs::status(file, status))
    return llvm::errorCodeToError(code);
  std::string content(status.getSize(), '\0');
  size_t done = 0;
  while (done < content.size()) {
    auto rest = llvm::MutableArrayRef<char>(content.data(), content.size()).drop_front(done);
    llvm::Expected<size_t> count = fs::readNativeFile(file, rest);
    if (!count)
      return count.takeError();
    if (*count == 0) // it became shorter
      break;
    done += *count;
  }
  content.resize(done);
  return content;
}

llvm::Expected<std::string> CacheFolder::read(StringRef name) const {
  Descriptor file(
      openat(folder.get(), name.str().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file && errno == ELOOP)
    return llvm::createStringError("'" + name + "' is a link");
  if (!file)
    return systemError("'" + name + "'");
  if (llvm::Error error = checkOwn(file.get(), S_IFREG, "'" + name + "'"))
    return error;
  llvm::Expected<std::string> content = readAll(file.get());
  if (!content)
    return content.takeError();
  futimens(file.get(), nullptr); // the last use, which eviction asks for
  return content;
}

llvm::Error CacheFolder::write(StringRef name, llvm::ArrayRef<StringRef> parts) const {
  std::string unfinished;
  Descriptor file(runtime::output::create_unfinished(folder.get(), 0600, unfinished).release());
  if (!file)
    return systemError("'" + name + "' cannot be made");
  bool isWritten =
      llvm::all_of(parts, [&](StringRef part) { return writeAll(file.get(), part); }) &&
      renameat(folder.get(), unfinished.c_str(), folder.get(), name.str().c_str()) == 0;
  if (isWritten)
    return llvm::Error::success();
  llvm::Error error = systemError("'" + name + "' cannot be written");
  remove(unfinished);
  return error;
}

void CacheFolder::remove(StringRef name) const { unlinkat(folder.get(), name.str().c_str(), 0); }

/// Whether the lock of the file was got by `deadline`.
static bool lockBy(int file, std::chrono::steady_clock::time_point deadline) {
  while (flock(file, LOCK_EX | LOCK_NB) != 0) {
    if ((errno != EWOULDBLOCK && errno != EINTR) || std::chrono::steady_clock::now() >= deadline)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

Descriptor CacheFolder::lock(StringRef name, std::chrono::milliseconds limit) const {
  auto deadline = std::chrono::steady_clock::now() + limit;
  while (true) {
    Descriptor file(openat(folder.get(), name.str().c_str(),
                           O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
    struct stat status;
    if (!file || llvm::errorToBool(checkOwn(file.get(), S_IFREG, name)) ||
        !lockBy(file.get(), deadline) || fstat(file.get(), &status) != 0)
      return Descriptor();
    if (status.st_nlink > 0)
      return file;
    // Its holder is done and has removed it: the next process locks a new file.
  }
}

/// Calls use(name) for each file of the folder. Whether it could be listed to its end.
template <typename Use> static bool forEachName(int folder, Use use) {
  int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, int (*)(DIR *)> entries(again < 0 ? nullptr : fdopendir(again), closedir);
  if (!entries)
    return false;
  while (true) {
    errno = 0;
    dirent *entry = readdir(entries.get());
    if (!entry)
      return errno == 0;
    use(StringRef(entry->d_name));
  }
}

void CacheFolder::removeStale() const {
  runtime::output::remove_abandoned(folder.get());
  forEachName(folder.get(), [&](StringRef name) {
    if (!name.ends_with(kLock))
      return;
    Descriptor file(
        openat(folder.get(), name.str().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status;
    if (file && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
        flock(file.get(), LOCK_EX | LOCK_NB) == 0)
      remove(name);
  });
}

std::optional<uint64_t> CacheFolder::evict(StringRef suffix, uint64_t limit, uint64_t bytes,
                                           StringRef keep) const {
  std::vector<std::tuple<int64_t, int64_t, uint64_t, std::string>> files; // by time
  uint64_t total = 0;
  bool isWhole = forEachName(folder.get(), [&](StringRef name) {
    struct stat status;
    if (!name.ends_with(suffix) ||
        fstatat(folder.get(), name.str().c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      return;
    total += status.st_size;
    if (name != keep)
      files.emplace_back(status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_size, name.str());
  });
  bool isOver = total > limit;
  std::sort(files.begin(), files.end());
  for (const auto &[seconds, nanoseconds, size, name] : files) {
    if (!isOver || total <= bytes)
      break;
    remove(name);
    total -= size;
  }
  return isWhole ? std::optional(total) : std::nullopt;
}
