// What lies where in a run directory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUNDIR_FOLDER_FOLDER_H
#define TUTTI_RUNTIME_HOST_RUNDIR_FOLDER_FOLDER_H

#include "runtime/support/Error.h"

#include <map>
#include <optional>
#include <vector>

namespace tutti::runtime::rundir {

/// The file of a checkpoint that rank `rank` of `ranks` writes. Rank 0's is the checkpoint to all
/// who look: DIR/checkpoints/step-300.safetensors, that of another rank
/// DIR/checkpoints/step-300.rank-1-of-4.safetensors, that of a server, which holds rows of tables,
/// DIR/checkpoints/step-300.server-0-of-2.safetensors.
struct PartName {
  int64_t step = 0, rank = 0, ranks = 1; ///< rank 0's name does not tell `ranks`, which is 1 then
  bool is_server = false;                ///< then `rank` and `ranks` count servers

  std::string text() const;
  /// Nothing if `name` is that of another file.
  static std::optional<PartName> parse(const std::string &name);
};

/// A folder that a user has named.
class Folder {
public:
  explicit Folder(std::string root) : root(std::move(root)) {}

  const std::string &path() const { return root; }
  std::string metrics() const { return root + "/metrics.jsonl"; }
  /// Metrics over steps, see CurveWriter; and what else a report shows (tools/report).
  std::string curve() const { return root + "/curve.json"; }
  std::string record() const { return root + "/report.json"; }
  std::string checkpoints() const { return root + "/checkpoints"; }
  /// See CheckpointList.
  std::string list() const { return root + "/checkpoints.json"; }
  /// See Lease.
  std::string owner() const;
  /// What the ranks communicated last before they failed, a file a rank.
  std::string flight() const { return root + "/flight"; }
  /// Those of an earlier launch go; harmless where they cannot.
  void forget_flight() const;
  /// Where checkpoints go that nobody could read.
  std::string set_aside() const { return root + "/set-aside"; }
  std::string part(const PartName &name) const { return checkpoints() + "/" + name.text(); }

  /// Makes the folders that are missing, and says why nothing could be written there.
  Error prepare() const;
  /// The parts of checkpoints that are there, by step, whole or not. None if there is no folder.
  Result<std::map<int64_t, std::vector<PartName>>> parts() const;

  /// DIR/finished.json says that the run has done all its steps, and how many.
  std::string finished() const { return root + "/finished.json"; }
  Error tell_finished(int64_t steps) const;
  /// A run goes on, or begins anew.
  void forget_finished() const;
  bool is_finished() const;

private:
  std::string root;
};

} // namespace tutti::runtime::rundir

#endif // TUTTI_RUNTIME_HOST_RUNDIR_FOLDER_FOLDER_H
