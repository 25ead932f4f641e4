// A mapping whose pages come and go as the step says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/StateFile.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace tutti::runtime::worker {
namespace {

constexpr int64_t uses_at_once = TUTTI_STATE_USES_AT_ONCE;

int32_t release_states(void *self, int64_t use, char *message, int64_t message_bytes) {
  Error error = static_cast<StateFile *>(self)->release(use);
  if (error)
    std::snprintf(message, size_t(message_bytes), "%s", error.message.c_str());
  return error.status;
}

/// Each variable has pages of its own, as lower-offload-states counts them.
int64_t in_pages(int64_t bytes) {
  static const int64_t page = sysconf(_SC_PAGESIZE);
  return (bytes + page - 1) / page * page;
}

int64_t free_bytes(const struct statvfs &room) {
  return int64_t(room.f_bavail) * int64_t(room.f_frsize);
}

} // namespace

StateFile::StateFile(std::string folder) : folder(std::move(folder)) {
  offered.struct_bytes = sizeof offered;
  offered.self = this;
  offered.release = release_states;
}

StateFile::~StateFile() {
  if (memory)
    munmap(memory, size_t(bytes));
}

Result<std::unique_ptr<StateFile>> StateFile::create(const std::string &folder,
                                                     const Manifest &manifest) {
  std::unique_ptr<StateFile> states(new StateFile(folder));
  states->lay_out(manifest);
  Result<std::unique_ptr<PrivateFile>> file = PrivateFile::make(folder, states->bytes);
  if (!file)
    return Error::make(file.error().status, "--offload: ", file.error().message);
  states->file = std::move(*file);
  if (Error error = states->reserve())
    return error;
  if (Error error = states->map())
    return error;
  return states;
}

/// Uses one after the other, so that each is one range.
void StateFile::lay_out(const Manifest &manifest) {
  ranges.resize(manifest.variables.size());
  for (const Variable &variable : manifest.variables)
    uses.resize(std::max(uses.size(), variable.use ? size_t(*variable.use) + 1 : 0));
  for (size_t use = 0; use < uses.size(); ++use) {
    uses[use].offset = bytes;
    for (size_t i = 0; i < manifest.variables.size(); ++i) {
      const Variable &variable = manifest.variables[i];
      if (variable.use != int64_t(use))
        continue;
      ranges[i] = {bytes, in_pages(*data::array_bytes(variable.type, variable.shape))};
      bytes += ranges[i].bytes;
    }
    uses[use].bytes = bytes - uses[use].offset;
  }
}

/// What has no room now would end the rank by a signal later.
Error StateFile::reserve() {
  struct statfs system = {};
  bool is_known = fstatfs(file->descriptor, &system) == 0;
  if (is_known && (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC))
    return Error::make(TUTTI_INVALID_ARGUMENT, "--offload: '", folder,
                       "' lies in memory, of which states in files are to save; name a folder of a "
                       "disk");
  struct statvfs room = {};
  bool is_full = fstatvfs(file->descriptor, &room) == 0 && bytes > free_bytes(room);
  int failed = is_full      ? ENOSPC // before any of it is taken
               : bytes == 0 ? 0
                            : posix_fallocate(file->descriptor, 0, bytes);
  if (failed == ENOSPC || failed == EDQUOT)
    return Error::make(TUTTI_SYSTEM_ERROR, "--offload: '", folder,
                       "' has no room for the states: ", bytes, " bytes are wanted, and ",
                       free_bytes(room), " are free; name a folder with more");
  errno = failed;
  return failed ? system_error("cannot take room for the states there") : Error::success();
}

Error StateFile::map() {
  addresses.assign(ranges.size(), nullptr);
  if (bytes == 0)
    return Error::success();
  void *mapped = mmap(nullptr, size_t(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file->descriptor,
                      /*offset=*/0);
  if (mapped == MAP_FAILED)
    return system_error("cannot map a file of it");
  memory = static_cast<char *>(mapped);
  madvise(memory, size_t(bytes), MADV_RANDOM); // nothing comes that nobody asked for
  name.emplace(memory, size_t(bytes), text("the states of optimizers in '", folder, "'"));
  for (size_t i = 0; i < ranges.size(); ++i)
    addresses[i] = ranges[i].bytes == 0 ? nullptr : memory + ranges[i].offset;
  return Error::success();
}

bool StateFile::has_window() const { return int64_t(uses.size()) > uses_at_once; }

Error StateFile::release(int64_t use) {
  if (use < 0 || use >= int64_t(uses.size()))
    return Error::make(TUTTI_BAD_PROGRAM, "the program has no use ", use, " of states");
  if (!has_window())
    return Error::success();
  if (Error error = begin_writing(uses[use]))
    return error;
  if (written && *written != use)
    if (Error error = give_back(uses[*written]))
      return error;
  written = use;
  begin_reading(uses[(use + uses_at_once - 1) % int64_t(uses.size())]);
  return Error::success();
}

void StateFile::let_go(size_t variable) const {
  if (!has_window())
    return;
  if (ranges[variable].bytes > 0)
    (void)give_back(ranges[variable]);
  if (variable + 1 < ranges.size())
    begin_reading(ranges[variable + 1]);
}

void StateFile::expect_all() const {
  if (memory)
    madvise(memory, size_t(bytes), MADV_NORMAL);
}

Error StateFile::release_all() {
  if (!has_window())
    return Error::success();
  madvise(memory, size_t(bytes), MADV_RANDOM);
  for (const Range &range : uses)
    if (Error error = begin_writing(range))
      return error;
  for (const Range &range : uses)
    if (Error error = give_back(range))
      return error;
  written.reset();
  for (int64_t use = 0; use + 1 < uses_at_once; ++use)
    begin_reading(uses[use]);
  return Error::success();
}

Error StateFile::begin_writing(const Range &range) const {
  return sync_file_range(file->descriptor, range.offset, range.bytes, SYNC_FILE_RANGE_WRITE) == 0
             ? Error::success()
             : system_error("cannot write states there");
}

/// Pages that are mapped, or are not written yet, would stay.
Error StateFile::give_back(const Range &range) const {
  constexpr unsigned all =
      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  if (madvise(memory + range.offset, size_t(range.bytes), MADV_DONTNEED) != 0 ||
      sync_file_range(file->descriptor, range.offset, range.bytes, all) != 0)
    return system_error("cannot write states there");
  posix_fadvise(file->descriptor, range.offset, range.bytes, POSIX_FADV_DONTNEED); // a hint
  return Error::success();
}

/// A hint. The system reads no more of one than its window of reading ahead has.
void StateFile::begin_reading(const Range &range) const {
  constexpr int64_t chunk = 128 << 10;
  for (int64_t at = 0; at < range.bytes; at += chunk)
    posix_fadvise(file->descriptor, range.offset + at, std::min(chunk, range.bytes - at),
                  POSIX_FADV_WILLNEED);
}

Error StateFile::system_error(const char *what) const {
  return Error::make(TUTTI_SYSTEM_ERROR, "--offload: '", folder, "': ", what, ": ",
                     system_message(errno));
}

} // namespace tutti::runtime::worker
