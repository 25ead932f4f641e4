// The files of one checkpoint, mapped.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUNDIR_WHOLECHECKPOINT_H
#define TUTTI_RUNTIME_HOST_RUNDIR_WHOLECHECKPOINT_H

#include "runtime/host/checkpoint/Safetensors.h"
#include "runtime/host/rundir/ServerPart.h"
#include "runtime/host/rundir/folder/Folder.h"
#include "runtime/support/system/MappedFile.h"

#include <map>

namespace tutti::runtime::rundir {

/// A checkpoint of which every rank's and every server's file is there, of one launch. Used by one
/// thread.
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

  /// Reads the headers of all files; an error says what is missing, or damaged in them, and names
  /// the file. `out_lacks_part`, unless it is null: whether the error is that a part is missing, or
  /// of another launch, as a run leaves it that is killed while it writes.
  static Result<WholeCheckpoint> open(const Folder &folder, int64_t step,
                                      bool *out_lacks_part = nullptr);
  /// One that somebody else has found to be whole. Reads rank 0's header; another rank's file is
  /// opened when it is asked for, so that N ranks that read N files do not open N times N.
  static Result<WholeCheckpoint> open_first(const Folder &folder, int64_t step);

  /// Reads everything; an error names the file whose checksum is wrong.
  Error verify() const;
  /// The same for one file: of a rank, then those of servers; below `files` + servers.
  Error verify_file(int64_t number) const;
  int64_t all_files() const { return files() + state().servers; }
  const RunState &state() const { return first.state; }
  const std::string &path() const { return first.path; }
  /// How many ranks have a file.
  int64_t files() const { return state().files; }
  /// That of a rank below `files`.
  Result<const Part *> file(int64_t rank) const;
  /// Of those who held tables, by their numbers; none if only the first file was opened.
  const std::vector<ServerFile> &server_files() const { return of_servers; }
  /// Tables that servers held.
  Result<std::vector<std::string>> tables() const;

private:
  WholeCheckpoint(Folder folder, Part first) : folder(std::move(folder)), first(std::move(first)) {}
  Result<const Part *> file(int64_t rank, bool &out_lacks_part) const;
  Result<ServerFile> open_server(int64_t server, bool &out_lacks_part) const;
  Error open_servers(bool &out_lacks_part);

  Folder folder;
  Part first;
  mutable std::map<int64_t, Part> others; ///< that were asked for, by rank
  std::vector<ServerFile> of_servers;
};

} // namespace tutti::runtime::rundir

#endif // TUTTI_RUNTIME_HOST_RUNDIR_WHOLECHECKPOINT_H
