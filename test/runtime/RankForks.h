// Runs a function on N ranks, each a process of its own that shares memory with the others, as the
// launcher does it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_RUNTIME_RANKFORKS_H
#define TUTTI_TEST_RUNTIME_RANKFORKS_H

#include "runtime/engine/backends/shm/segment/Segment.h"
#include "tutti/context.h"

#include <functional>
#include <string>
#include <vector>

/// What a rank does; returns "" if all is well.
using RankBody = std::function<std::string(tutti_context *context, int32_t rank)>;

struct RankForks {
  int32_t ranks = 1;
  const tutti_backend *backend = tutti_backend_shm();
  double stall_error = 60;
  int64_t arena_bytes = int64_t(64) << 20;
  bool is_staged =
      false; ///< ranks stage private buffers even where the system lets peers read them
  /// Called in the parent once the ranks run, for tests that disturb them.
  std::function<void(const tutti::runtime::shm::Segment &, const std::vector<int> &pids)> disturb;

  /// The first complaint of a rank (with its number), or how it died; "" if there is none.
  std::string run(const RankBody &body) const;
};

#endif // TUTTI_TEST_RUNTIME_RANKFORKS_H
