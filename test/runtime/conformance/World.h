// The worlds that the conformance suite runs in: a backend, a number of ranks, and how the ranks
// are started.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_RUNTIME_CONFORMANCE_WORLD_H
#define TUTTI_TEST_RUNTIME_CONFORMANCE_WORLD_H

#include "runtime/support/Error.h"
#include "tutti/context.h"

#include <functional>
#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <vector>

/// What a rank does; returns "" if all is well.
using RankBody = std::function<std::string(tutti_context *context, int32_t rank)>;

enum class Start {
  forks,   ///< a process a rank
  threads, ///< a thread a rank, so that tsan sees all of them
  launcher ///< this process is one rank; mpirun or its like started the others
};

struct World {
  std::string name;
  int32_t ranks = 1;
  Start start = Start::forks;
  bool uses_native_reductions = false;
  int64_t shared_bytes = int64_t(64) << 20; ///< of each rank, where the backend shares memory
  int32_t nodes = 0; ///< as many nodes are simulated, and groups choose their backend; 0: neither
  int32_t reduction_order = TUTTI_ORDER_RANKS; ///< where it is not native
  bool is_staged = false; ///< private buffers are staged even where peers could read them

  /// Runs `body` on every rank; the complaints of all ranks, or "" (under a launcher: of this
  /// rank).
  std::string run(const RankBody &body) const;
};

/// For GoogleTest's messages.
inline void PrintTo(const World &world, std::ostream *out) {
  *out << world.ranks << " ranks on " << world.name;
}

/// The worlds of this process: with TUTTI_CONFORMANCE_BACKEND=NAME set it is one rank of a
/// launcher's world; with TUTTI_CONFORMANCE_RANKS=N it has N threads that share memory; else all
/// that this machine can fork.
std::vector<World> worlds();

/// A suite that runs in every world.
class Conformance : public testing::TestWithParam<World> {
protected:
  int32_t ranks() const { return GetParam().ranks; }
  std::string run(const RankBody &body) const { return GetParam().run(body); }
};

#define CONFORMANCE_SUITE(Suite)                                                                   \
  INSTANTIATE_TEST_SUITE_P(Worlds, Suite, testing::ValuesIn(worlds()), [](const auto &info) {      \
    return info.param.name + "_" + std::to_string(info.param.ranks);                               \
  })

/// Stands in EXPECT for ranks, whose complaints travel as text.
#define COMPLAIN_UNLESS(condition, ...)                                                            \
  if (!(condition))                                                                                \
  return tutti::runtime::text(#condition, ": ", __VA_ARGS__)

#endif // TUTTI_TEST_RUNTIME_CONFORMANCE_WORLD_H
