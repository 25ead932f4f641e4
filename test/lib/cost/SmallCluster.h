// A cluster of round numbers: times can be worked out in the head.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_LIB_COST_SMALLCLUSTER_H
#define TUTTI_TEST_LIB_COST_SMALLCLUSTER_H

#include "lib/cost/Cluster.h"

namespace tutti::test {

/// Nodes of 4 ranks: memory of 1 us and 1 GB/s, a network of 1 ms and 1 MB/s. Every operation takes
/// a microsecond, every byte of a loop a nanosecond.
inline cost::Cluster smallCluster() {
  cost::Cluster cluster;
  cluster.nodes = 2;
  cluster.ranksPerNode = 4;
  cluster.coresPerNode = 8;
  cluster.node = {cost::Transport::Memory, 1e-6, 1e9, 0, 0};
  cluster.network = cost::Level{cost::Transport::Messages, 1e-3, 1e6, 0, 0};
  cluster.compute = {1e6, 0, 1e6, 1e6, 1e9, 0, 0, {}};
  return cluster;
}

} // namespace tutti::test

#endif // TUTTI_TEST_LIB_COST_SMALLCLUSTER_H
