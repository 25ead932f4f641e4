// One rank as a child process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_LAUNCH_RANKPROCESS_H
#define TUTTI_RUNTIME_HOST_LAUNCH_RANKPROCESS_H

#include "runtime/host/launch/Cores.h"
#include "runtime/support/Error.h"

#include <string>
#include <vector>

namespace tutti::runtime::worker {

/// A child that dies with its parent. Ended and reaped in the destructor at the latest.
class RankProcess {
public:
  /// Starts `program` with the configuration `json` as its argument (a file of memory) and
  /// `descriptors` inherited under the same numbers. `environment` are settings NAME=VALUE added to
  /// those of this process. Of the processors it may use only those that are given; none: all.
  static Result<RankProcess> start(const std::string &program, const std::string &json,
                                   std::vector<int> descriptors,
                                   const std::vector<std::string> &environment,
                                   const Processors &processors = {});
  RankProcess(RankProcess &&other) noexcept;
  /// Ends what was here.
  RankProcess &operator=(RankProcess &&other) noexcept;
  ~RankProcess();

  int process() const { return pid; }
  /// Becomes readable when the process ends.
  int watch_descriptor() const { return watch; }
  /// Reaps the process if it has ended; true once it has.
  bool has_ended();
  void kill();
  int exit_status() const { return status; }
  int signal() const { return ending_signal; }

private:
  RankProcess(int pid, int watch) : pid(pid), watch(watch) {}
  void keep(int wait_status);

  int pid = -1;
  int watch = -1;
  bool is_reaped = false;
  int status = 0, ending_signal = 0;
};

/// Turns this process into `program` with the configuration `json` and `descriptors`, as
/// RankProcess starts it. Returns only if that fails.
Error become_rank(const std::string &program, const std::string &json,
                  const std::vector<int> &descriptors, const std::vector<std::string> &environment);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_LAUNCH_RANKPROCESS_H
