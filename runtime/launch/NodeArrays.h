// Arrays of .npz that ranks of one node, started by somebody else's launcher, inflate once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_LAUNCH_NODEARRAYS_H
#define TUTTI_RUNTIME_LAUNCH_NODEARRAYS_H

#include "runtime/launch/LaunchEnvironment.h"
#include "runtime/launch/LocalSocket.h"

namespace tutti::runtime::worker {

/// The first rank that needs an array inflates all that it needs, and passes the memory to the
/// others, which wait for it. A rank that cannot reach the first inflates for itself.
class NodeArrays {
public:
  /// `launched` tells how many ranks are on the node. They share arrays if their `datasets` are the
  /// same. A rank waits for the first at most `patience` seconds.
  NodeArrays(const LaunchEnvironment &launched, const std::vector<std::string> &datasets,
             double patience);

  /// What the first rank has inflated, in memory that this process inherits from it; nothing if
  /// this rank is the first, or by itself.
  data::InflatedArrays::Inherited take();
  /// On the first rank, once it has inflated what it needs: passes it to the ranks that wait, and
  /// to those that ask within the next seconds. Does nothing on another rank.
  void give(const std::vector<data::InflatedArray> &arrays);

private:
  std::string name;
  int64_t others;
  double patience;
  LocalSocket listening;
  bool is_first = false;
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_LAUNCH_NODEARRAYS_H
