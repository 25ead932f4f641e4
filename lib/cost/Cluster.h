// What is known of the machines that a program will run on: how many, how fast, how far apart.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_COST_CLUSTER_H
#define TUTTI_LIB_COST_CLUSTER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>

namespace tutti::cost {

/// How data gets from rank to rank.
enum class Transport {
  Memory,  ///< ranks read and write each other's memory
  Messages ///< ranks send each other messages
};

/// What connects ranks: inside a node, or between nodes.
struct Level {
  Transport transport = Transport::Messages;
  /// Seconds until all have met (memory), or of one exchange of messages.
  double latency = 0;
  /// Bytes a second. Memory: that one rank reads and writes in a collective. Messages: that leave a
  /// node, in each direction, reduction included.
  double bandwidth = 0;
  /// Memory: the same of bytes beyond what caches hold; 0: as near ones.
  double farBandwidth = 0;
  /// Processor seconds of a rank for each message.
  double overhead = 0;
  /// Processor seconds of a rank for each byte that it sends.
  double processor = 0;
};

/// How many times longer each kind of work takes while all ranks of a node compute.
struct Sharing {
  double matmul = 1, convolution = 1, loop = 1, memory = 1;
};

/// What one rank computes in a second.
struct Compute {
  double matmul = 0; ///< floating point operations a second
  /// Bytes a second of operands and results of matrix products that are too large to be near; 0: as
  /// loops read and write.
  double matmulMemory = 0;
  double convolution = 0; ///< floating point operations a second
  double loop = 0;        ///< scalar operations a second, where data is near
  double memory = 0;      ///< bytes a second that loops read and write
  double kernel = 0;      ///< seconds to call a kernel
  double step = 0;        ///< seconds of a step beside all this: reading data, keeping books
  Sharing sharing;
};

/// A cluster.json; docs/plan.md describes the file.
struct Cluster {
  int64_t nodes = 1;
  int64_t ranksPerNode = 1;
  double coresPerNode = 1; ///< a part of one where nodes share a machine
  Level node;
  std::optional<Level> network; ///< may be absent with one node
  Compute compute;

  int64_t ranks() const { return nodes * ranksPerNode; }
  /// Nodes that `ranks` fill, whether this cluster has them or not.
  int64_t nodesFor(int64_t ranks) const { return (ranks + ranksPerNode - 1) / ranksPerNode; }
};

/// One core of a processor of today, for choices that must not depend on the machine.
Cluster commonCore();

/// Parses the text of the file `name`; an error names file and key, and what was expected.
llvm::Expected<Cluster> parseCluster(llvm::StringRef text, llvm::StringRef name);

llvm::Expected<Cluster> readCluster(llvm::StringRef path);

} // namespace tutti::cost

#endif // TUTTI_LIB_COST_CLUSTER_H
