// Where ranks find each other: small files in a folder that all of them see.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_BACKENDS_GLOO_FOLDERSTORE_H
#define TUTTI_RUNTIME_BACKENDS_GLOO_FOLDERSTORE_H

#include "runtime/backends/plugin/StallWatch.h"
#include "runtime/core/Error.h"

#include <gloo/rendezvous/store.h>
#include <optional>

namespace tutti::runtime::gloo_backend {

/// The files of one communicator. Gloo names the keys: the number of a member, or rank_ and that
/// number. Functions of Gloo's interface throw.
class FolderStore : public ::gloo::rendezvous::Store {
public:
  /// `prefix` begins the names of all files. `members` are for messages.
  FolderStore(std::string folder, std::string prefix, std::vector<int32_t> members,
              int32_t world_rank, plugin::StallLimits limits);
  /// Removes what this process has set.
  ~FolderStore() override;

  void set(const std::string &key, const std::vector<char> &data) override;
  std::vector<char> get(const std::string &key) override;
  void wait(const std::vector<std::string> &keys) override;
  void wait(const std::vector<std::string> &keys,
            const std::chrono::milliseconds &timeout) override;

  /// What went wrong in a function that threw, as TUTTI_STALLED or TUTTI_SYSTEM_ERROR.
  const Error &error() const { return problem; }

private:
  std::string path_of(const std::string &key) const;
  std::string name_of(const std::string &key) const;
  [[noreturn]] void give_up(Error error);

  std::string folder, prefix;
  std::vector<int32_t> members;
  int32_t world_rank;
  plugin::StallLimits limits;
  std::vector<std::string> written;
  Error problem;
};

/// Writes a file at once: others see all of it, or the one before.
Error write_file(const std::string &path, const void *data, size_t bytes);
/// The content of a file, if there is one.
std::optional<std::string> read_file(const std::string &path);

} // namespace tutti::runtime::gloo_backend

#endif // TUTTI_RUNTIME_BACKENDS_GLOO_FOLDERSTORE_H
