// Arrays of .npz that ranks of one node, started by somebody else's launcher, inflate once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_LAUNCH_NODEARRAYS_H
#define TUTTI_RUNTIME_HOST_LAUNCH_NODEARRAYS_H

#include "runtime/host/data/PassedArrays.h"
#include "runtime/host/launch/LaunchEnvironment.h"

namespace tutti::runtime::worker {

/// The first rank of a node that needs an array inflates all that it needs, and passes the memory
/// to the others, which wait for it. Nobody has to know how many ranks are on the node: the first
/// answers as its rank, too, until all ranks of the run have met. A rank that cannot reach the
/// first inflates for itself.
class NodeArrays {
public:
  /// Ranks of a node share arrays if their `datasets` are the same files. A rank waits for the
  /// first at most `timeout` seconds.
  NodeArrays(const LaunchEnvironment &launched, const std::vector<std::string> &datasets,
             double timeout);

  /// What the first rank has inflated, in memory that this process inherits from it; nothing if
  /// this rank is the first, or by itself.
  data::InflatedArrays::Inherited take();
  /// On the first rank: the socket at which the others ask, for a data::ArrayDoor of the process
  /// that this one becomes. -1 on another rank.
  int descriptor() const { return is_first ? listening.descriptor() : -1; }

private:
  std::string name;
  bool has_others;
  double timeout;
  LocalSocket listening;
  bool is_first = false;
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_LAUNCH_NODEARRAYS_H
