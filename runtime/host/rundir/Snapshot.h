// The variables of one rank as they were after a step, while training goes on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUNDIR_SNAPSHOT_H
#define TUTTI_RUNTIME_HOST_RUNDIR_SNAPSHOT_H

#include "runtime/host/checkpoint/Safetensors.h"
#include "runtime/host/program/Buffers.h"
#include "runtime/host/rundir/folder/RunState.h"

namespace tutti::runtime::rundir {

/// What one rank writes: rank 0 what all hold alike, and every rank what it alone holds. Memory for
/// a copy of that is taken once, with the first.
class Snapshot {
public:
  Snapshot(const worker::Manifest &manifest, int64_t rank);

  /// Whether this rank has anything to write.
  bool is_empty() const { return variables.empty(); }
  /// Copies what `buffers` holds now.
  void take(const worker::Buffers &buffers);
  /// Writes the copy and `state`, with a checksum, as output::OutputFile does: whole or not at all.
  Error write(const std::string &path, const RunState &state);

private:
  std::vector<checkpoint::Variable> variables; ///< in `memory`
  std::vector<size_t> indices;                 ///< of the same, into the manifest
  std::vector<int64_t> bytes;                  ///< of the same
  std::vector<char> memory;
};

} // namespace tutti::runtime::rundir

#endif // TUTTI_RUNTIME_HOST_RUNDIR_SNAPSHOT_H
