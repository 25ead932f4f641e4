// What the connection text of this backend says: descriptor=7, the shared segment, inherited from
// the launcher; or path=/proc/PID/fd/7, that of another process. With staged=1 peers do not read
// this rank's private buffers, but what it stages of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_CONNECTION_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_CONNECTION_H

#include "runtime/engine/backends/shm/segment/Segment.h"

#include <string>
#include <string_view>

namespace tutti::runtime::shm {

struct Connection {
  int descriptor = -1;
  std::string path; ///< instead of the descriptor: where another process shows its own
  bool is_staged = false;

  static Result<Connection> parse(std::string_view text);
  /// Maps the segment through a descriptor of its own.
  Result<Segment> attach() const;

private:
  bool take(std::string_view item);
};

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_CONNECTION_H
