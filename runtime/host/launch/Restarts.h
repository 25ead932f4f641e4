// When a run that has failed is started again, and when not any more.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_LAUNCH_RESTARTS_H
#define TUTTI_RUNTIME_HOST_LAUNCH_RESTARTS_H

#include <cstdint>
#include <string>

namespace tutti::runtime::worker {

/// How an attempt ended.
struct Failure {
  std::string what; ///< equal texts for failures of one kind, whichever process had them
  int64_t step = 0; ///< in which
};

/// The restarts of one run, or of one worker that others do not wait for. An attempt that got
/// further than all before it makes the count begin anew: then it was worth it.
class Restarts {
public:
  /// Up to `most` without any progress.
  explicit Restarts(int64_t most) : most(most) {}

  struct Decision {
    bool goes_on = false;
    int64_t number = 0;  ///< of this restart, from 1
    int64_t seconds = 0; ///< to wait before it: 1, and twice as long each time, up to a minute
    std::string why_not; ///< after the message of the failure
  };
  /// An attempt has failed. `reached`: how far the run is kept, as a number that grows.
  Decision after(const Failure &failure, int64_t reached);

private:
  int64_t most, count = 0, farthest = 0, equal = 0;
  Failure last;
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_LAUNCH_RESTARTS_H
