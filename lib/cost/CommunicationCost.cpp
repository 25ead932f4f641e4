// Steps, messages and bytes of each kind of call, and the seconds that they take.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/cost/CommunicationCost.h"

#include "dialects/interfaces/ranks/Communication.h"
#include "runtime/engine/schedules/Chain.h"
#include "runtime/engine/schedules/Traffic.h"

#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace mlir;
using namespace tutti::cost;
using tutti::GroupForm;
using tutti::GroupOpInterface;
namespace schedules = tutti::runtime::schedules;

GroupShape tutti::cost::shapeOfWorld(const Cluster &cluster, int64_t ranks) {
  return {std::min(ranks, cluster.ranksPerNode), cluster.nodesFor(ranks), 1};
}

GroupShape tutti::cost::shapeOfSet(ArrayRef<int64_t> set, const Cluster &cluster, int64_t ranks) {
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

/// The runtime's limits: runtime/engine/schedules/Slices.cpp,
/// runtime/engine/backends/shm/segment/TeamMemory.h.
constexpr double kPieceBytes = 8 << 20;
constexpr double kFlatBytes = 4 << 10;
/// That a rank reads and writes in a call while caches hold them
/// (runtime/host/calibration/CalibrateCommunication.cpp).
constexpr double kNearBytes = 8 << 20;

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
  // A line of a result is fetched before it is written, unless the result is where an operand was.
  constexpr double kWritten = 2;
  double touched = llvm::StringSwitch<double>(operation)
                       .Case("all_reduce", 2 * bytes) // a slice of all, to all
                       .Case("reduce_scatter", bytes + kWritten * bytes / members)
                       .Case("all_gather", (1 + kWritten) * bytes * members)
                       .Case("reduce", bytes + kWritten * bytes / members)
                       .Case("gather", (1 + kWritten) * bytes * members)
                       .Case("scatter", (1 + kWritten) * bytes / members)
                       .Default((1 + kWritten) * bytes);
  return {2, touched};
}

/// What a call does where ranks send messages.
struct MessageTraffic {
  double steps = 1;
  double messages = 0; ///< that a rank sends
  double sent = 0;     ///< bytes that a rank sends to all others
  double leaving = 0;  ///< bytes that leave a node, or come to it, for one set
  double filling = 0;  ///< bytes that pass one after another before all ranks have something to do
};

/// N members, g of them on each node: every rank keeps 1/N and sends (N - g)/N to other nodes.
class Exchanges {
public:
  Exchanges(double bytes, const GroupShape &shape)
      : bytes(bytes), members(shape.size()), near(shape.perNode), nodes(shape.nodes),
        others(members - 1), far(members - near) {}

  MessageTraffic of(StringRef operation) const {
    return llvm::StringSwitch<MessageTraffic>(operation)
        .Case("all_reduce", allReduce())
        .Case("reduce_scatter", parts(1, bytes))
        .Case("all_to_all", parts(1, bytes, /*pieces=*/1))
        .Case("all_gather", allGather())
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

  /// Many ranks double what they have in each step; the bytes stay the same.
  MessageTraffic allGather() const {
    constexpr double kMostAtOnce = 8; // runtime/engine/algorithms/AllGather.cpp
    MessageTraffic traffic = parts(1, bytes * members, /*pieces=*/1);
    if (members > kMostAtOnce)
      traffic.steps = traffic.messages = logarithm(members);
    return traffic;
  }

  /// By the schedule that the runtime takes; of elements of four bytes.
  MessageTraffic allReduce() const {
    constexpr int64_t kElementBytes = 4;
    schedules::Row row = {int64_t(bytes) / kElementBytes, kElementBytes, kElementBytes};
    schedules::Way way = schedules::way_of(int64_t(members), row);
    if (way == schedules::Way::slices)
      return parts(2, bytes);
    auto [steps, messages, sent] = schedules::busiest_traffic_of(way, int32_t(members), row);
    MessageTraffic traffic = {double(steps), double(messages), double(sent)};
    // A tree brings all to the node of the root; a chain comes to a node and leaves it, both ways.
    bool isTree = way == schedules::Way::tree;
    traffic.leaving = isTree ? bytes * far : 2 * bytes;
    traffic.filling = isTree ? 0 : 2 * members * double(schedules::chunk_of(row) * kElementBytes);
    return traffic;
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

const Level &levelOf(const GroupShape &shape, const Cluster &cluster) {
  return shape.nodes > 1 && cluster.network ? *cluster.network : cluster.node;
}

CommunicationTime timeInMemory(StringRef operation, double bytes, const GroupShape &shape,
                               const Cluster &cluster) {
  MemoryTraffic traffic = trafficOf(operation, bytes, double(shape.size()));
  bool knowsFar = cluster.node.farBandwidth > 0;
  double far = knowsFar ? std::max(0.0, traffic.bytes - kNearBytes) : 0;
  double copying = (traffic.bytes - far) / cluster.node.bandwidth +
                   (knowsFar ? far / cluster.node.farBandwidth : 0);
  double seconds =
      traffic.meetings * cluster.node.latency * growth(double(shape.size()), cluster) + copying;
  return {seconds, copying, 0, 0};
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
  double seconds = traffic.steps * level.latency + traffic.filling / level.bandwidth +
                   traffic.messages * level.overhead * std::max(1.0, busy) + moving;
  double full = (carried + traffic.filling) / level.bandwidth;
  bool leavesNode = shape.nodes > 1;
  return {seconds, std::min(seconds, processor), leavesNode ? 0 : full, leavesNode ? full : 0};
}

} // namespace

CommunicationTime tutti::cost::timeOf(StringRef operation, int64_t bytes, const GroupShape &shape,
                                      const Cluster &cluster) {
  if (shape.size() <= 1)
    return {};
  const Level &level = levelOf(shape, cluster);
  if (level.transport == Transport::Memory)
    return timeInMemory(operation, double(bytes), shape, cluster);
  return timeOfMessages(operation, double(bytes), shape, level, cluster);
}

/// The size of the first set of the group `name`; none where it depends on nodes or run time.
static std::optional<int64_t> membersOf(ModuleOp module, StringRef name, int64_t ranks) {
  auto group = dyn_cast_or_null<GroupOpInterface>(module.lookupSymbol(name));
  if (!group || group.isOfWholeWorld())
    return ranks;
  std::optional<SmallVector<int64_t>> set = tutti::getSetOf(group, 0);
  return set && !set->empty() ? std::optional<int64_t>(set->size()) : std::nullopt;
}

static schedules::Row rowOf(const tutti::program::PlanEntry &entry) {
  int64_t elements = llvm::sum_of(entry.elements);
  int64_t elementBytes = elements > 0 ? entry.bytes / elements : 1;
  bool isHalf = entry.wire == "f16" || entry.wire == "bf16";
  return {elements, elementBytes, isHalf ? int64_t(sizeof(float)) : elementBytes};
}

/// Whether `cluster` says that the ranks of the group share memory.
static bool sharesMemory(ModuleOp module, StringRef group, int64_t ranks, const Cluster &cluster) {
  return levelOf(shapeOfGroup(module, group, cluster, ranks), cluster).transport ==
         Transport::Memory;
}

void tutti::cost::nameWays(std::vector<program::PlanEntry> &plan, ModuleOp module, int64_t ranks,
                           const Cluster *cluster) {
  for (program::PlanEntry &entry : plan) {
    if (entry.operation != "all_reduce" || entry.bytes == program::PlanEntry::unknown ||
        (cluster && sharesMemory(module, entry.group, ranks, *cluster)))
      continue;
    std::optional<int64_t> members = membersOf(module, entry.group, ranks);
    if (members && *members > 1)
      entry.way = schedules::name_of(schedules::way_of(*members, rowOf(entry)));
  }
}

void tutti::cost::predictPlan(std::vector<program::PlanEntry> &plan, ModuleOp module,
                              const Cluster &cluster, int64_t ranks) {
  for (program::PlanEntry &entry : plan)
    if (entry.bytes != program::PlanEntry::unknown && entry.table.empty())
      entry.predicted_seconds = timeOf(entry.operation, entry.bytes,
                                       shapeOfGroup(module, entry.group, cluster, ranks), cluster)
                                    .seconds;
}
