// The files of one checkpoint, mapped.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_RUNDIR_WHOLECHECKPOINT_H
#define TUTTI_RUNTIME_RUNDIR_WHOLECHECKPOINT_H

#include "runtime/checkpoint/Safetensors.h"
#include "runtime/rundir/Folder.h"
#include "runtime/rundir/ServerPart.h"
#include "runtime/support/MappedFile.h"

namespace tutti::runtime::rundir {

/// A checkpoint of which every rank's and every server's file is there, of one launch.
class WholeCheckpoint {
public:
  struct Part {
    std::string path;
    std::shared_ptr<const MappedFile> file; ///< keeps the tensors
    checkpoint::StoredFile stored;
    RunState state;
  };
  struct ServerFile {
    std::string path;
    std::shared_ptr<const MappedFile> file; ///< keeps the tensors
    checkpoint::StoredFile stored;
    ServerPart part;
  };

  /// Reads headers only; an error says what is missing, or damaged in them, and names the file.
  /// `out_lacks_part`, unless it is null: whether the error is that a part is missing, or of
  /// another launch, as a run leaves it that is killed while it writes.
  static Result<WholeCheckpoint> open(const Folder &folder, int64_t step,
                                      bool *out_lacks_part = nullptr);

  /// Reads everything; an error names the file whose checksum is wrong.
  Error verify() const;
  const RunState &state() const { return parts.front().state; }
  const std::string &path() const { return parts.front().path; }
  /// By rank.
  const std::vector<Part> &files() const { return parts; }
  /// Of those who held tables, by their numbers.
  const std::vector<ServerFile> &server_files() const { return of_servers; }

private:
  Error open_servers(const Folder &folder, bool &out_lacks_part);

  std::vector<Part> parts;
  std::vector<ServerFile> of_servers;
};

} // namespace tutti::runtime::rundir

#endif // TUTTI_RUNTIME_RUNDIR_WHOLECHECKPOINT_H
