// Writing beside the target and renaming, or directly where nothing can be renamed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/output/OutputFile.h"

#include "runtime/output/Unfinished.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

namespace tutti::runtime::output {
namespace {

constexpr mode_t permissions = 0777;

/// How long a reader of a named pipe may take to come.
constexpr std::chrono::seconds longest_wait(10);

/// An open for writing alone would wait for a reader for ever.
int open_pipe(const std::string &path) {
  auto begin = std::chrono::steady_clock::now();
  while (true) {
    int file = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (file >= 0)
      return fcntl(file, F_SETFL, 0), file;
    if (errno != ENXIO || std::chrono::steady_clock::now() - begin > longest_wait)
      return -1;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

} // namespace

Error OutputFile::check(const std::string &path) {
  Result<Place> place = Place::find(path);
  if (!place)
    return place.error();
  OutputFile file(path, std::move(*place));
  return file.is_file() ? file.open_beside() : Error::success();
}

Result<OutputFile> OutputFile::open(const std::string &path) {
  Result<Place> place = Place::find(path);
  if (!place)
    return place.error();
  OutputFile file(path, std::move(*place));
  if (Error error = file.is_file() ? file.open_beside() : file.open_directly())
    return error;
  return Result<OutputFile>(std::move(file));
}

Error OutputFile::open_directly() {
  if (place.descriptor >= 0)
    file = Descriptor(fcntl(place.descriptor, F_DUPFD_CLOEXEC, 0));
  else if (place.kind == PlaceKind::named_pipe)
    file = Descriptor(open_pipe(place.path));
  else
    file = Descriptor(::open(place.path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  if (!file && errno == ENXIO)
    return Error::make(TUTTI_SYSTEM_ERROR, "cannot write '", given, "': nobody reads this pipe");
  return file ? Error::success() : cannot_write(given, errno);
}

Error OutputFile::open_beside() {
  remove_abandoned(place.folder.get());
  mode_t mode = place.exists ? place.status.st_mode & permissions : 0666;
  file = create_unfinished(place.folder.get(), mode, temporary);
  if (file)
    return Error::success();
  temporary.clear();
  return cannot_write(given, errno);
}

OutputFile::~OutputFile() {
  if (!temporary.empty() && place.folder)
    unlinkat(place.folder.get(), temporary.c_str(), 0);
}

void OutputFile::fail(int number) {
  if (!problem)
    problem = cannot_write(given, number);
}

void OutputFile::write(const void *data, size_t bytes) {
  const char *at = static_cast<const char *>(data), *end = at + bytes;
  off_t begin = place.kind == PlaceKind::device || place.kind == PlaceKind::named_pipe
                    ? -1
                    : lseek(file.get(), 0, SEEK_CUR);
  if (begin == 0 && place.kind == PlaceKind::in_place && ftruncate(file.get(), 0) != 0)
    fail(errno);
  while (!problem && at < end) {
    ssize_t written = ::write(file.get(), at, size_t(end - at));
    if (written >= 0)
      at += written;
    else if (errno != EINTR)
      fail(errno);
  }
  if (problem && begin >= 0)
    (void)!ftruncate(file.get(), begin);
}

/// An owner who cannot be kept, because only root gives files away, is no error.
void OutputFile::keep_permissions() {
  if (!place.exists)
    return;
  (void)!fchown(file.get(), place.status.st_uid, place.status.st_gid);
  if (fchmod(file.get(), place.status.st_mode & permissions) != 0)
    fail(errno);
}

void OutputFile::appear() {
  if (problem || temporary.empty())
    return;
  keep_permissions();
  int folder = place.folder.get();
  if (!problem && renameat(folder, temporary.c_str(), folder, place.name.c_str()) != 0)
    fail(errno);
  if (!problem)
    temporary.clear();
}

Error OutputFile::commit() {
  // What is no file cannot be synchronised, and says so by EINVAL or EROFS.
  bool is_on_disk = is_file() || place.kind == PlaceKind::in_place;
  if (!problem && is_on_disk && fsync(file.get()) != 0)
    fail(errno);
  appear();
  if (!problem && place.folder)
    (void)fsync(place.folder.get()); // so that the name survives a power cut, where folders can
  file = Descriptor();
  return problem;
}

Result<Descriptor> open_nameless(const std::string &path) {
  Result<Place> place = Place::find(path);
  if (!place)
    return place.error();
  const char *folder = place->folder ? nullptr : "/tmp";
  Descriptor elsewhere(folder ? ::open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1);
  int where = folder ? elsewhere.get() : place->folder.get();
  std::string name;
  Descriptor file = create_unfinished(where, 0600, name);
  if (!file)
    return cannot_write(path, errno);
  unlinkat(where, name.c_str(), 0);
  return Result<Descriptor>(std::move(file));
}

} // namespace tutti::runtime::output
