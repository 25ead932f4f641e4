// The checksum in a checkpoint of a run, over all else that is in it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUNDIR_FOLDER_FILECHECKSUM_H
#define TUTTI_RUNTIME_HOST_RUNDIR_FOLDER_FILECHECKSUM_H

#include "runtime/host/rundir/folder/RunState.h"
#include "runtime/support/Crc32c.h"

#include <string_view>

namespace tutti::runtime::rundir {

/// Where the metadata have it.
constexpr const char *checksum_key = "checksum";

/// Does not depend on the order in which tensors are added.
class FileChecksum {
public:
  /// All of `metadata` but a checksum belong to it.
  explicit FileChecksum(const Metadata &metadata);
  /// `type` as the file spells it.
  void add(const std::string &name, const std::string &type, const std::vector<int64_t> &shape,
           std::string_view data);
  /// The same of a tensor whose data come in pieces: `begin` each, then all of its `more`.
  void begin(const std::string &name, const std::string &type, const std::vector<int64_t> &shape);
  void more(std::string_view data) { open.add(data); }
  /// "crc32c:" and eight hexadecimal digits for the metadata, and eight for the tensors.
  std::string text() const;

private:
  uint32_t metadata_sum = 0, tensor_sum = 0; ///< but for the tensor that is open
  bool has_open = false;
  Crc32c open;
};

} // namespace tutti::runtime::rundir

#endif // TUTTI_RUNTIME_HOST_RUNDIR_FOLDER_FILECHECKSUM_H
