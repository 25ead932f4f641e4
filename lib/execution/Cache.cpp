// Compiled programs on disk.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/Cache.h"

#include "lib/program/Plan.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

using namespace tutti::execution;
using namespace tutti::program;
namespace fs = llvm::sys::fs;

/// Stands between the shared object and its checksum. A loader does not look behind the object's
/// last section.
static constexpr llvm::StringLiteral kMark = "\ntutti sha256 ";
static constexpr size_t kTrailer = kMark.size() + 64;

std::string tutti::execution::defaultCacheDirectory() {
  if (auto own = llvm::sys::Process::GetEnv("TUTTI_CACHE_DIR"); own && !own->empty())
    return *own;
  llvm::SmallString<128> path;
  if (auto shared = llvm::sys::Process::GetEnv("XDG_CACHE_HOME"); shared && !shared->empty()) {
    path = *shared;
    llvm::sys::path::append(path, "tutti");
    return path.str().str();
  }
  if (!llvm::sys::path::home_directory(path))
    path = "/tmp";
  llvm::sys::path::append(path, ".cache", "tutti");
  return path.str().str();
}

std::string Cache::pathOf(llvm::StringRef key) const {
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, key + ".so");
  return path.str().str();
}

static bool isWhole(llvm::StringRef content) {
  if (content.size() < kTrailer)
    return false;
  llvm::StringRef trailer = content.take_back(kTrailer);
  return trailer.consume_front(kMark) && trailer == hashText(content.drop_back(kTrailer));
}

std::optional<std::string> Cache::find(llvm::StringRef key) const {
  std::string path = pathOf(key);
  auto content =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!content)
    return std::nullopt;
  if (isWhole((*content)->getBuffer()))
    return path;
  fs::remove(path);
  return std::nullopt;
}

Cache::Hold::Hold(std::string lockPath) : path(std::move(lockPath)) {
  file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  while (file >= 0 && flock(file, LOCK_EX) != 0 && errno == EINTR) {
  }
}

Cache::Hold::Hold(Hold &&other) noexcept
    : path(std::move(other.path)), file(std::exchange(other.file, -1)) {}

Cache::Hold::~Hold() {
  if (file < 0)
    return;
  fs::remove(path); // those who wait have it open; those who come find the entry
  close(file);
}

Cache::Hold Cache::hold(llvm::StringRef key) const {
  fs::create_directories(directory); // insert reports what is wrong with it
  return Hold(pathOf(key) + ".lock");
}

static llvm::Error appendChecksum(llvm::StringRef path) {
  auto content =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!content)
    return llvm::createStringError(content.getError(), "cannot read " + path);
  std::string sum = hashText((*content)->getBuffer());
  std::error_code code;
  llvm::raw_fd_ostream out(path, code, fs::CD_OpenExisting, fs::FA_Write, fs::OF_Append);
  if (code)
    return llvm::createStringError(code, "cannot write " + path);
  out << kMark << sum;
  out.close();
  if (!out.has_error())
    return llvm::Error::success();
  code = out.error();
  out.clear_error();
  return llvm::createStringError(code, "cannot write " + path);
}

llvm::Expected<std::string>
Cache::insert(llvm::StringRef key, llvm::function_ref<llvm::Error(llvm::StringRef)> produce) const {
  if (std::error_code code = fs::create_directories(directory))
    return llvm::createStringError(code, "cannot make the cache folder " + directory);
  llvm::SmallString<128> temporary;
  llvm::SmallString<128> model(pathOf((key + "-%%%%%%%%").str()));
  int descriptor;
  if (std::error_code code = fs::createUniqueFile(model, descriptor, temporary))
    return llvm::createStringError(code, "cannot write into the cache folder " + directory);
  llvm::sys::Process::SafelyCloseFileDescriptor(descriptor);
  llvm::Error error = produce(temporary);
  if (!error)
    error = appendChecksum(temporary);
  std::string path = pathOf(key);
  if (!error)
    if (std::error_code code = fs::rename(temporary, path))
      error = llvm::createStringError(code, "cannot write " + path);
  if (!error)
    return path;
  fs::remove(temporary);
  return error;
}
