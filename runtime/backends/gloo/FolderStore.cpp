// Files as a store of keys. Waits by looking again and again, because shared file systems do not
// tell of changes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/gloo/FolderStore.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gloo/common/error.h>
#include <iterator>
#include <thread>
#include <unistd.h>

namespace tutti::runtime::gloo_backend {
namespace {

constexpr std::chrono::milliseconds shortest_sleep(1), longest_sleep(20);

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

Error write_file(const std::string &path, const void *data, size_t bytes) {
  std::string temporary = text(path, ".", getpid(), ".new");
  {
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file.write(static_cast<const char *>(data), std::streamsize(bytes));
    file.flush();
    if (!file)
      return Error::make(TUTTI_SYSTEM_ERROR, "cannot write '", temporary,
                         "': ", std::strerror(errno));
  }
  if (std::rename(temporary.c_str(), path.c_str()) == 0)
    return Error::success();
  return Error::make(TUTTI_SYSTEM_ERROR, "cannot write '", path, "': ", std::strerror(errno));
}

std::optional<std::string> read_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

FolderStore::FolderStore(std::string folder, std::string prefix, std::vector<int32_t> members,
                         int32_t world_rank, plugin::StallLimits limits)
    : folder(std::move(folder)), prefix(std::move(prefix)), members(std::move(members)),
      world_rank(world_rank), limits(limits) {}

FolderStore::~FolderStore() {
  for (const std::string &path : written)
    unlink(path.c_str());
}

std::string FolderStore::path_of(const std::string &key) const {
  return folder + "/" + prefix + "." + key;
}

/// "rank 3" for a key that member 3 sets.
std::string FolderStore::name_of(const std::string &key) const {
  size_t begin = key.rfind('_') + 1; // 0 if there is none
  size_t member = size_t(std::atoi(key.c_str() + begin));
  return text("rank ", member < members.size() ? members[member] : -1);
}

void FolderStore::give_up(Error error) {
  problem = std::move(error);
  throw ::gloo::IoException(problem.message);
}

void FolderStore::set(const std::string &key, const std::vector<char> &data) {
  if (Error error = write_file(path_of(key), data.data(), data.size()))
    give_up(error);
  written.push_back(path_of(key));
}

std::vector<char> FolderStore::get(const std::string &key) {
  wait({key});
  std::optional<std::string> content = read_file(path_of(key));
  if (!content)
    give_up(Error::make(TUTTI_SYSTEM_ERROR, "cannot read '", path_of(key),
                        "': ", std::strerror(errno)));
  return std::vector<char>(content->begin(), content->end());
}

void FolderStore::wait(const std::vector<std::string> &keys) {
  wait(keys, std::chrono::milliseconds(0));
}

/// Gloo's own timeouts are not ours: a rank may come minutes after another.
void FolderStore::wait(const std::vector<std::string> &keys, const std::chrono::milliseconds &) {
  auto begin = std::chrono::steady_clock::now();
  bool has_warned = false;
  auto sleep = shortest_sleep;
  for (const std::string &key : keys)
    while (access(path_of(key).c_str(), R_OK) != 0) {
      double waited = seconds_since(begin);
      std::string what = text("rank ", world_rank, " waited ", int64_t(waited), " s for ",
                              name_of(key), " to come to '", folder, "'");
      if (waited >= limits.error)
        give_up(Error::make(TUTTI_STALLED, what));
      if (waited >= limits.warning && !has_warned)
        std::fprintf(stderr, "tutti: warning: %s\n", what.c_str());
      has_warned |= waited >= limits.warning;
      std::this_thread::sleep_for(sleep);
      sleep = std::min(sleep * 2, longest_sleep);
    }
}

} // namespace tutti::runtime::gloo_backend
