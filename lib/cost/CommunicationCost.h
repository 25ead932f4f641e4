// How long collectives take, by the algorithms that the runtime really uses
// (runtime/engine/algorithms and runtime/engine/backends/shm state their steps and bytes).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_COST_COMMUNICATIONCOST_H
#define TUTTI_LIB_COST_COMMUNICATIONCOST_H

#include "lib/cost/Cluster.h"
#include "lib/program/plan/Plan.h"

#include "mlir/IR/BuiltinOps.h"

namespace tutti::cost {

/// How one set of a group lies on the nodes.
struct GroupShape {
  int64_t perNode = 1;     ///< members on one node
  int64_t nodes = 1;       ///< that have members
  int64_t setsPerNode = 1; ///< that communicate on a node at the same time

  int64_t size() const { return perNode * nodes; }
};

/// Of the world of `ranks` ranks that fill nodes one after another.
GroupShape shapeOfWorld(const Cluster &cluster, int64_t ranks);

/// Of the group `name` of `module`; that of the world where the group is it, or is not known.
GroupShape shapeOfGroup(mlir::ModuleOp module, llvm::StringRef name, const Cluster &cluster,
                        int64_t ranks);

/// Of a set of world ranks, where all ranks are in sets like it.
GroupShape shapeOfSet(llvm::ArrayRef<int64_t> set, const Cluster &cluster, int64_t ranks);

struct CommunicationTime {
  double seconds = 0;   ///< from the last member's arrival to the end
  double processor = 0; ///< of them, those in which a processor of each rank is busy
  double nodeLink = 0;  ///< of them, those in which the link of a rank within its node is full
  double network = 0;   ///< the same of the link of a node to others

  CommunicationTime operator*(double times) const {
    return {seconds * times, processor * times, nodeLink * times, network * times};
  }
  CommunicationTime &operator+=(const CommunicationTime &other) {
    seconds += other.seconds;
    processor += other.processor;
    nodeLink += other.nodeLink;
    network += other.network;
    return *this;
  }
};

/// Time of a call of `operation` ("all_reduce", "send", ...) in which each rank gives `bytes`, as a
/// plan counts them. 0 in a set of one rank, and for what does not communicate.
CommunicationTime timeOf(llvm::StringRef operation, int64_t bytes, const GroupShape &shape,
                         const Cluster &cluster);

/// Fills in the ways of those that reduce to all `ranks` ranks or to a group whose size is known,
/// but for groups that share memory, if `cluster` is there to say so.
void nameWays(std::vector<program::PlanEntry> &plan, mlir::ModuleOp module, int64_t ranks,
              const Cluster *cluster = nullptr);

/// Fills in the predicted seconds of each entry whose bytes are known.
void predictPlan(std::vector<program::PlanEntry> &plan, mlir::ModuleOp module,
                 const Cluster &cluster, int64_t ranks);

} // namespace tutti::cost

#endif // TUTTI_LIB_COST_COMMUNICATIONCOST_H
