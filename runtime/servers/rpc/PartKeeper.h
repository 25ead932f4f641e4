// A server's part in checkpoints, as rank 0 asks for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_RPC_PARTKEEPER_H
#define TUTTI_RUNTIME_SERVERS_RPC_PARTKEEPER_H

#include "runtime/support/Error.h"

#include <string>
#include <vector>

namespace tutti::runtime::servers {

/// How far a checkpoint is.
struct SaveProgress {
  bool is_done = false;
  int64_t rows = 0;        ///< that are written so far
  std::string whom = "it"; ///< who is not done
};

/// What the calls of Parts.proto come to. Called from any thread, by one caller.
class PartKeeper {
public:
  virtual ~PartKeeper() = default;
  /// Asynchronous tables take no more pushes until a save begins. How many each worker has made, of
  /// the table that has seen the most.
  virtual Result<std::vector<int64_t>> hold() = 0;
  /// Begins to write the tables as they are after `step` steps, which may still have to come, but
  /// must not be over; asynchronous tables after as many of each worker as `workers` says. What
  /// was begun before is finished first.
  virtual Error begin_save(int64_t step, const std::string &launch,
                           const std::vector<int64_t> &workers) = 0;
  /// How far that is, once it is on the disk, or at the latest in `seconds`; what kept it from it.
  virtual Result<SaveProgress> follow_save(int64_t step, double seconds) = 0;
  /// Fills the tables from the checkpoint after `step` steps, or for 0 from the file that the run
  /// begins with, if it has one. Asynchronous tables answer nobody before.
  virtual Error load(int64_t step) = 0;
};

/// Until all parts of the checkpoint after `step` steps are on the disk; what kept them from it.
/// Where nothing is written for `warning` seconds that is said, with the servers that are waited
/// for; after `limit` seconds it is the error.
Error await_save(PartKeeper &parts, int64_t step, double warning, double limit);

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_RPC_PARTKEEPER_H
