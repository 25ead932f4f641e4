// Files by device and inode; files that do not exist yet by that of their folder, and their name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/output/SameFile.h"

#include "runtime/output/OutputFile.h"

#include <filesystem>
#include <map>
#include <tuple>

namespace tutti::runtime::output {
namespace {

/// Device and inode of a file, or of the folder of one to come and its name there.
using Identity = std::tuple<dev_t, ino_t, std::string>;

Identity identity_of(const struct stat &status) { return {status.st_dev, status.st_ino, ""}; }

/// What several may write at the same time, such as /dev/null, is like no other.
bool is_shared(const Place &place) { return place.exists && !S_ISREG(place.status.st_mode); }

Identity identity_of(const Place &place) {
  if (place.exists)
    return identity_of(place.status);
  struct stat folder = {};
  fstat(place.folder.get(), &folder);
  return {folder.st_dev, folder.st_ino, place.name};
}

/// What uses a file, and the path by which it does.
struct User {
  std::string what; ///< "--dataset reads"
  std::string path;
};

using Users = std::map<Identity, User>;

void add(const std::string &path, const std::string &what, Users &users) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode))
    users.emplace(identity_of(status), User{what, path});
}

/// An input may be a folder of files.
Users users_of(const std::vector<NamedPath> &inputs) {
  Users users;
  for (const NamedPath &input : inputs) {
    std::string what = text(input.flag, " reads");
    add(input.path, what, users);
    std::error_code ignored;
    for (const auto &entry : std::filesystem::directory_iterator(input.path, ignored))
      add(entry.path(), what, users);
  }
  return users;
}

Error check_output(const NamedPath &output, Users &users) {
  if (Error error = OutputFile::check(output.path))
    return Error::make(error.status, output.flag, ": ", error.message);
  Result<Place> place = Place::find(output.path);
  if (!place || is_shared(*place))
    return place ? Error::success() : place.error();
  User user{text(output.flag, " writes"), output.path};
  auto [other, is_first] = users.emplace(identity_of(*place), user);
  if (is_first)
    return Error::success();
  const User &first = other->second;
  std::string spelled = first.path == output.path ? "" : text(" '", first.path, "'");
  return Error::make(TUTTI_INVALID_ARGUMENT, output.flag, ": '", output.path, "' is the file that ",
                     first.what, spelled, "; give each a file of its own");
}

} // namespace

Error check_outputs(const std::vector<NamedPath> &outputs, const std::vector<NamedPath> &inputs) {
  Users users = users_of(inputs);
  for (const NamedPath &output : outputs)
    if (!output.path.empty())
      if (Error error = check_output(output, users))
        return error;
  return Error::success();
}

} // namespace tutti::runtime::output
