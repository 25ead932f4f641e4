// Steps, messages and bytes of each kind of call, and the seconds that they take.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/cost/CommunicationCost.h"

#include "dialects/interfaces/Communication.h"

#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace mlir;
using namespace tutti::cost;
using tutti::GroupForm;
using tutti::GroupOpInterface;

GroupShape tutti::cost::shapeOfWorld(const Cluster &cluster, int64_t ranks) {
  return {std::min(ranks, cluster.ranksPerNode), cluster.nodesFor(ranks), 1};
}

/// The shape of a set of world ranks, where all ranks are in sets like it.
static GroupShape shapeOfSet(ArrayRef<int64_t> set, const Cluster &cluster, int64_t ranks) {
  std::map<int64_t, int64_t> membersOfNode;
  for (int64_t rank : set)
    ++membersOfNode[rank / cluster.ranksPerNode];
  GroupShape shape;
  shape.nodes = membersOfNode.size();
  for (auto [node, members] : membersOfNode)
    shape.perNode = std::max(shape.perNode, members);
  shape.setsPerNode = std::max<int64_t>(1, std::min(ranks, cluster.ranksPerNode) / shape.perNode);
  return shape;
}

GroupShape tutti::cost::shapeOfGroup(ModuleOp module, StringRef name, const Cluster &cluster,
                                     int64_t ranks) {
  GroupShape world = shapeOfWorld(cluster, ranks);
  auto group = dyn_cast_or_null<GroupOpInterface>(module.lookupSymbol(name));
  if (!group || group.isOfWholeWorld())
    return world;
  GroupForm form = group.getGroupForm();
  if (form.kind == GroupForm::PerNode)
    return {world.perNode, 1, 1};
  if (form.kind == GroupForm::AcrossNodes)
    return {1, world.nodes, world.perNode};
  std::optional<SmallVector<int64_t>> set = tutti::getSetOf(group, 0);
  return set && !set->empty() ? shapeOfSet(*set, cluster, ranks) : world;
}

namespace {

/// The runtime's limits: runtime/algorithms/SlicedReduction.cpp, runtime/backends/shm/TeamMemory.h.
constexpr double kPieceBytes = 8 << 20;
constexpr double kFlatBytes = 4 << 10;

double logarithm(double value) { return value <= 1 ? 0 : std::ceil(std::log2(value)); }

/// What a call does where ranks see each other's memory.
struct MemoryTraffic {
  double meetings = 2;
  double bytes = 0; ///< that a rank reads and writes; of the busiest rank
};

MemoryTraffic trafficOf(StringRef operation, double bytes, double members) {
  if (operation == "all_reduce" && bytes <= kFlatBytes)
    return {1, bytes * members + bytes};
  if (operation == "barrier")
    return {1, 0};
  double touched = llvm::StringSwitch<double>(operation)
                       .Case("all_reduce", 2 * bytes) // a slice of all, to all
                       .Case("reduce_scatter", bytes + bytes / members)
                       .Case("all_gather", 2 * bytes * members)
                       .Case("reduce", bytes + bytes / members)
                       .Case("gather", 2 * bytes * members)
                       .Case("scatter", 2 * bytes / members)
                       .Default(2 * bytes);
  return {2, touched};
}

/// What a call does where ranks send messages.
struct MessageTraffic {
  double steps = 1;
  double messages = 0; ///< that a rank sends
  double sent = 0;     ///< bytes that a rank sends to all others
  double leaving = 0;  ///< bytes that leave a node, or come to it, for one set
};

/// N members, g of them on each node: every rank keeps 1/N and sends (N - g)/N to other nodes.
class Exchanges {
public:
  Exchanges(double bytes, const GroupShape &shape)
      : bytes(bytes), members(shape.size()), near(shape.perNode), nodes(shape.nodes),
        others(members - 1), far(members - near) {}

  MessageTraffic of(StringRef operation) const {
    return llvm::StringSwitch<MessageTraffic>(operation)
        .Case("all_reduce", parts(2, bytes))
        .Case("reduce_scatter", parts(1, bytes))
        .Case("all_to_all", parts(1, bytes, /*pieces=*/1))
        .Case("all_gather", parts(1, bytes * members, /*pieces=*/1))
        .Case("reduce", reduction())
        .Case("broadcast", tree())
        .Case("gather", {1, 1, bytes, bytes * far})
        .Case("scatter", {1, others, bytes * others / members, bytes * far / members})
        .Case("barrier", {logarithm(members), logarithm(members), 0, 0})
        .Cases({"all_to_all_v", "all_to_all_vc"}, parts(1, bytes, /*pieces=*/1))
        .Cases({"send", "recv"}, MessageTraffic{1, 1, bytes, far > 0 ? bytes : 0})
        .Default({0, 0, 0, 0});
  }

private:
  /// `rounds` times everyone sends everyone else its part of `whole`.
  MessageTraffic parts(double rounds, double whole, double pieces = 0) const {
    double steps = rounds * (pieces > 0 ? pieces : std::max(1.0, std::ceil(bytes / kPieceBytes)));
    return {steps, steps * others, rounds * whole * others / members,
            rounds * near * whole * far / members};
  }

  /// A sliced reduction, and slices to the root.
  MessageTraffic reduction() const {
    MessageTraffic traffic = parts(1, bytes);
    traffic.steps *= 2;
    traffic.messages += 1;
    traffic.sent += bytes / members;
    traffic.leaving += bytes * far / members;
    return traffic;
  }

  /// A tree over ranks in order: its last steps cross nodes, from all ranks of a node at once.
  MessageTraffic tree() const {
    double steps = logarithm(members);
    return {steps, steps, bytes * steps, bytes * near * logarithm(nodes)};
  }

  double bytes, members, near, nodes, others, far;
};

/// More ranks need more rounds to meet than those that were measured.
double growth(double members, const Cluster &cluster) {
  double measured = std::max(1.0, logarithm(double(cluster.ranksPerNode)));
  return std::max(1.0, logarithm(members) / measured);
}

CommunicationTime timeInMemory(StringRef operation, double bytes, const GroupShape &shape,
                               const Cluster &cluster) {
  MemoryTraffic traffic = trafficOf(operation, bytes, double(shape.size()));
  double copying = traffic.bytes / cluster.node.bandwidth;
  double seconds =
      traffic.meetings * cluster.node.latency * growth(double(shape.size()), cluster) + copying;
  return {seconds, copying};
}

CommunicationTime timeOfMessages(StringRef operation, double bytes, const GroupShape &shape,
                                 const Level &level, const Cluster &cluster) {
  MessageTraffic traffic = Exchanges(bytes, shape).of(operation);
  double processor = traffic.messages * level.overhead + traffic.sent * level.processor;
  double busy = double(shape.perNode * shape.setsPerNode) / cluster.coresPerNode;
  // Inside a node each rank has a link of its own; between nodes all share one.
  double carried = shape.nodes > 1 ? traffic.leaving * double(shape.setsPerNode) : traffic.sent;
  double moving =
      std::max(carried / level.bandwidth, traffic.sent * level.processor * std::max(1.0, busy));
  double seconds = traffic.steps * level.latency +
                   traffic.messages * level.overhead * std::max(1.0, busy) + moving;
  return {seconds, std::min(seconds, processor)};
}

} // namespace

CommunicationTime tutti::cost::timeOf(StringRef operation, int64_t bytes, const GroupShape &shape,
                                      const Cluster &cluster) {
  if (shape.size() <= 1)
    return {};
  const Level &level = shape.nodes > 1 && cluster.network ? *cluster.network : cluster.node;
  if (level.transport == Transport::Memory)
    return timeInMemory(operation, double(bytes), shape, cluster);
  return timeOfMessages(operation, double(bytes), shape, level, cluster);
}

void tutti::cost::predictPlan(std::vector<program::PlanEntry> &plan, ModuleOp module,
                              const Cluster &cluster, int64_t ranks) {
  for (program::PlanEntry &entry : plan)
    if (entry.bytes != program::PlanEntry::kUnknown && entry.table.empty())
      entry.predictedSeconds = timeOf(entry.operation, entry.bytes,
                                      shapeOfGroup(module, entry.group, cluster, ranks), cluster)
                                   .seconds;
}
