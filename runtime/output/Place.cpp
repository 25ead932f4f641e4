// Following a path to its end, and asking there what a write would meet.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/output/Place.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <linux/stat.h>
#include <unistd.h>
#include <utility>

namespace tutti::runtime::output {
namespace {

Error refuse(const std::string &path, const std::string &why) {
  return Error::make(TUTTI_SYSTEM_ERROR, "cannot write '", path, "': ", why);
}

std::string folder_of(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string &path) { return path.substr(path.rfind('/') + 1); }

std::string real(const std::string &path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) ? resolved : "";
}

/// The descriptor of this process that the entry `name` of the folder stands for, or -1.
int descriptor_of(const std::string &folder, const std::string &name) {
  if (folder != text("/proc/", getpid(), "/fd") || name.empty())
    return -1;
  char *end = nullptr;
  long number = std::strtol(name.c_str(), &end, 10);
  return *end == 0 && fcntl(int(number), F_GETFD) >= 0 ? int(number) : -1;
}

/// Follows links from `path` until something else is met, or a descriptor of this process.
Error follow(const std::string &given, std::string &path, Place &place) {
  constexpr int most_links = 40;
  path = given;
  for (int links = 0; links < most_links; ++links) {
    std::string folder = real(folder_of(path));
    if (folder.empty())
      return refuse(given, text("there is no folder '", folder_of(path), "'"));
    path = (folder == "/" ? "/" : folder + "/") + name_of(path);
    place.descriptor = descriptor_of(folder, name_of(path));
    char target[PATH_MAX];
    ssize_t bytes = readlink(path.c_str(), target, sizeof target);
    if (place.descriptor >= 0 || bytes < 0)
      return Error::success();
    std::string next(target, size_t(bytes));
    path = next[0] == '/' ? next : text(folder, "/", next);
  }
  return cannot_write(given, ELOOP);
}

bool is_mounted_on(const std::string &path) {
  struct statx status;
  return statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, 0, &status) == 0 &&
         (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

PlaceKind kind_of(const Place &place) {
  if (place.descriptor >= 0)
    return PlaceKind::device;
  if (!place.exists)
    return PlaceKind::file;
  if (S_ISFIFO(place.status.st_mode))
    return PlaceKind::named_pipe;
  if (!S_ISREG(place.status.st_mode))
    return PlaceKind::device;
  return is_mounted_on(place.path) ? PlaceKind::in_place : PlaceKind::file;
}

/// In a folder such as /tmp only its owner may replace a file.
bool is_kept_by_another(const Place &place, const struct stat &folder) {
  uid_t user = geteuid();
  return (folder.st_mode & S_ISVTX) && user != 0 && place.exists && place.status.st_uid != user &&
         folder.st_uid != user;
}

/// What a rename would meet, once the file is whole.
Error check_folder(const std::string &given, const Place &place) {
  struct stat folder;
  if (fstat(place.folder.get(), &folder) != 0)
    return cannot_write(given, errno);
  if (faccessat(AT_FDCWD, folder_of(place.path).c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    return refuse(given, text("no file can be made in '", folder_of(place.path),
                              "': ", system_message(errno)));
  if (is_kept_by_another(place, folder))
    return refuse(given, "it belongs to another user");
  return Error::success();
}

Error open_folder(const std::string &given, Place &place) {
  place.folder =
      Descriptor(open(folder_of(place.path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!place.folder)
    return cannot_write(given, errno);
  place.name = name_of(place.path);
  return check_folder(given, place);
}

} // namespace

Descriptor &Descriptor::operator=(Descriptor &&other) noexcept {
  std::swap(number, other.number);
  return *this;
}

Descriptor::~Descriptor() {
  if (number >= 0)
    close(number);
}

int Descriptor::release() { return std::exchange(number, -1); }

Error cannot_write(const std::string &path, int number) {
  return refuse(path, system_message(number));
}

Result<Place> Place::find(const std::string &given) {
  Place place;
  if (given.empty())
    return refuse(given, "the path is empty");
  if (given == "-")
    place.descriptor = STDOUT_FILENO;
  else if (Error error = follow(given, place.path, place))
    return error;
  place.exists = place.descriptor >= 0 ? fstat(place.descriptor, &place.status) == 0
                                       : lstat(place.path.c_str(), &place.status) == 0;
  if (place.exists && S_ISDIR(place.status.st_mode))
    return cannot_write(given, EISDIR);
  struct stat link;
  if (!place.exists && lstat(given.c_str(), &link) == 0 && S_ISLNK(link.st_mode))
    return refuse(given, text("it is a link to '", place.path, "', which does not exist"));
  if (place.descriptor < 0 && place.exists &&
      faccessat(AT_FDCWD, place.path.c_str(), W_OK, AT_EACCESS) != 0)
    return cannot_write(given, errno);
  if (place.descriptor >= 0 && (fcntl(place.descriptor, F_GETFL) & O_ACCMODE) == O_RDONLY)
    return cannot_write(given, EBADF);
  place.kind = kind_of(place);
  if (place.kind == PlaceKind::file)
    if (Error error = open_folder(given, place))
      return error;
  return Result<Place>(std::move(place));
}

} // namespace tutti::runtime::output
