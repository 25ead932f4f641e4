// A server's part in checkpoints, as rank 0 asks for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_RPC_PARTKEEPER_H
#define TUTTI_RUNTIME_SERVERS_RPC_PARTKEEPER_H

#include "runtime/support/Error.h"

#include <string>

namespace tutti::runtime::servers {

/// What the calls of Parts.proto come to. Called from any thread, by one caller.
class PartKeeper {
public:
  virtual ~PartKeeper() = default;
  /// Begins to write the tables as they are behind `step` steps, which may still have to come, but
  /// must not be over. What was begun before is finished first.
  virtual Error begin_save(int64_t step, const std::string &launch) = 0;
  /// Until that is on the disk; what kept it from it.
  virtual Error finish_save(int64_t step) = 0;
  /// Fills the tables from the checkpoint behind `step` steps, or for 0 from the file that the run
  /// begins with.
  virtual Error load(int64_t step) = 0;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_RPC_PARTKEEPER_H
