// What the connection text of this backend says:
//   descriptor=7;stall_warning=10;stall_error=300;threads=1
// The descriptor is the shared segment, inherited from the launcher (path=/proc/PID/fd/7 names that
// of another process); the rest has the defaults shown. `threads` is what each rank computes with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_BACKENDS_SHM_CONNECTION_H
#define TUTTI_RUNTIME_BACKENDS_SHM_CONNECTION_H

#include "runtime/backends/shm/Wait.h"

#include <string>
#include <string_view>

namespace tutti::runtime::shm {

struct Connection {
  int descriptor = -1;
  std::string path; ///< instead of the descriptor: where another process shows its own
  StallLimits limits;
  int64_t threads = 1;

  static Result<Connection> parse(std::string_view text);
  /// Maps the segment through a descriptor of its own.
  Result<Segment> attach() const;

private:
  bool take(std::string_view item);
};

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_BACKENDS_SHM_CONNECTION_H
