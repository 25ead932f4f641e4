// Compiled programs on disk.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/files/Cache.h"

#include "lib/execution/files/CacheCount.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace tutti::execution;
using llvm::StringRef, llvm::Twine;

/// Stands between the shared object and its checksum.
static constexpr StringRef kMark = "\ntutti blake3 ";
static constexpr size_t kTrailer = kMark.size() + 64;
static constexpr StringRef kEntry = ".so";
/// A full folder is emptied by 1 / kRoom of the limit, so that it is not listed for each entry.
static constexpr uint64_t kRoom = 16;

std::string tutti::execution::hashContent(StringRef content) {
  return llvm::toHex(llvm::BLAKE3::hash(llvm::arrayRefFromStringRef(content)),
                     /*LowerCase=*/true);
}

static std::string environment(const char *name) {
  return llvm::sys::Process::GetEnv(name).value_or("");
}

llvm::Expected<std::string> tutti::execution::defaultCacheDirectory() {
  struct Place {
    const char *variable, *below;
  };
  for (Place place : {Place{"TUTTI_CACHE_DIR", ""}, Place{"XDG_CACHE_HOME", "tutti"},
                      Place{"HOME", ".cache/tutti"}}) {
    llvm::SmallString<128> path(environment(place.variable));
    if (path.empty())
      continue;
    if (!llvm::sys::path::is_absolute(path))
      return llvm::createStringError(Twine(place.variable) + "='" + path +
                                     "' is not an absolute path");
    if (*place.below)
      llvm::sys::path::append(path, place.below);
    return path.str().str();
  }
  return llvm::createStringError("none of TUTTI_CACHE_DIR, XDG_CACHE_HOME and HOME is set");
}

llvm::Expected<uint64_t> tutti::execution::defaultCacheLimit() {
  constexpr uint64_t standard = uint64_t(1) << 30;
  std::string text = environment("TUTTI_CACHE_LIMIT");
  if (text.empty())
    return standard;
  StringRef digits = text;
  unsigned shift = digits.consume_back("K")   ? 10
                   : digits.consume_back("M") ? 20
                   : digits.consume_back("G") ? 30
                                              : 0;
  uint64_t number;
  if (digits.getAsInteger(10, number) || number > (UINT64_MAX >> shift))
    return llvm::createStringError("TUTTI_CACHE_LIMIT='" + text +
                                   "' is not a number of bytes such as 512M or 2G");
  return number << shift;
}

void Cache::note(const Twine &what, llvm::Error error) {
  problems.push_back((what + ": " + llvm::toString(std::move(error))).str());
}

void Cache::open(llvm::Expected<std::string> directory) {
  auto opened = directory ? CacheFolder::open(*directory)
                          : llvm::Expected<CacheFolder>(directory.takeError());
  if (!opened) {
    note("compiled programs are not kept", opened.takeError());
    return;
  }
  folder.emplace(std::move(*opened));
}

Cache::Cache(StringRef directory, uint64_t limit) : limit(limit) { open(directory.str()); }

Cache::Cache(StringRef directory) {
  llvm::Expected<uint64_t> asked = defaultCacheLimit();
  if (asked)
    limit = *asked;
  else
    note("compiled programs are not kept", asked.takeError());
  if (limit > 0)
    open(directory.empty() ? defaultCacheDirectory()
                           : llvm::Expected<std::string>(directory.str()));
}

/// Takes the checksum off.
static bool takeWhole(std::string &content) {
  StringRef whole = content;
  if (whole.size() < kTrailer)
    return false;
  StringRef trailer = whole.take_back(kTrailer);
  if (!trailer.consume_front(kMark) || trailer != hashContent(whole.drop_back(kTrailer)))
    return false;
  content.resize(content.size() - kTrailer);
  return true;
}

std::optional<std::string> Cache::find(StringRef key) {
  if (!folder)
    return std::nullopt;
  std::string name = (key + kEntry).str();
  llvm::Expected<std::string> content = folder->read(name);
  if (!content) {
    llvm::handleAllErrors(content.takeError(), [&](const llvm::ErrorInfoBase &error) {
      if (error.convertToErrorCode() != std::errc::no_such_file_or_directory)
        problems.push_back("an entry of the cache of compiled programs is not used: " +
                           error.message());
    });
    return std::nullopt;
  }
  if (takeWhole(*content))
    return std::move(*content);
  folder->remove(name);
  return std::nullopt;
}

void Cache::insert(StringRef key, StringRef content) {
  if (!folder)
    return;
  if (content.size() + kTrailer > limit)
    return note("the compiled program is not kept",
                llvm::createStringError(
                    "it has " + Twine(content.size()) + " bytes, and the cache " + Twine(limit) +
                    " for all of them; TUTTI_CACHE_LIMIT=4G, say, raises that"));
  std::string name = (key + kEntry).str();
  CacheCount count(*folder);
  bool isWithinLimit = count.add(content.size() + kTrailer, limit);
  if (llvm::Error error = folder->write(name, {content, kMark, hashContent(content)}))
    return note("the compiled program is not kept", std::move(error));
  if (isWithinLimit)
    return;
  folder->removeStale();
  count.set(folder->evict(kEntry, limit, limit - limit / kRoom, name));
}

Cache::Hold Cache::hold(StringRef key, std::chrono::milliseconds limit) const {
  std::string name = (key + ".lock").str();
  if (!folder)
    return Hold(nullptr, name, Descriptor());
  return Hold(&*folder, name, folder->lock(name, limit));
}

Cache::Hold::~Hold() {
  if (file) // waiting processes have it open; later ones find the entry
    folder->remove(name);
}
