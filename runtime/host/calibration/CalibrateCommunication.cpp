// Times all_reduce over sizes on each level and takes latency and bandwidth from the line through
// the times, by the steps and bytes of the algorithm (lib/cost/CommunicationCost.cpp counts alike).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/calibration/Calibration.h"

#include "runtime/engine/core/Context.h"
#include "runtime/host/calibration/LinearFit.h"
#include "runtime/host/calibration/RankStopwatch.h"
#include "runtime/host/program/DeclaredGroups.h"

#include <fstream>
#include <map>
#include <set>

namespace tutti::runtime::worker {
namespace {

constexpr int64_t node_group = 1, across_group = 2;
constexpr int64_t most_bytes = int64_t(8) << 20; ///< of messages
constexpr int64_t held_bytes = int64_t(2) << 20; ///< that caches hold
constexpr int64_t far_bytes = int64_t(32) << 20; ///< that caches do not hold
/// That a rank reads and writes in a call while caches hold them, as in
/// lib/cost/CommunicationCost.cpp.
constexpr double near_touched = double(8 << 20);
constexpr int64_t element_bytes = int64_t(sizeof(float));
constexpr double budget = 0.1; ///< seconds of each size

class Levels {
public:
  Levels(tutti_context *context, Calibration &calibration)
      : context(context), calibration(calibration) {}

  void measure() {
    if (tutti_context_alloc(context, far_bytes, &memory) != TUTTI_OK)
      return;
    count();
    Manifest groups;
    groups.groups = {{node_group, "node", "per_node", {}, 0, ""},
                     {across_group, "across", "across_nodes", {}, 0, ""}};
    if (Error error = create_groups(context, groups))
      return tutti_context_fail(context, error.status, error.message.c_str());
    if (calibration.ranks_per_node > 1)
      calibration.node = measure_level(node_group, calibration.ranks_per_node, 1);
    if (calibration.nodes > 1)
      calibration.network =
          measure_level(across_group, calibration.nodes, calibration.ranks_per_node);
    if (calibration.network && calibration.ranks_per_node > 1)
      tell_messages_from_latency(*calibration.network);
  }

private:
  void count() {
    const std::vector<int64_t> &nodes = context->node_of_rank;
    calibration.nodes = int64_t(std::set<int64_t>(nodes.begin(), nodes.end()).size());
    calibration.ranks_per_node = (context->size + calibration.nodes - 1) / calibration.nodes;
    calibration.cores_per_node =
        double(count_processors(places_of_ranks())) / double(calibration.nodes);
  }

  std::vector<RankPlace> places_of_ranks() {
    RankPlace own = {};
    std::ifstream("/proc/sys/kernel/random/boot_id").read(own.machine, sizeof own.machine - 1);
    if (sched_getaffinity(0, sizeof own.processors, &own.processors) != 0)
      CPU_SET(0, &own.processors);
    std::vector<RankPlace> all(size_t(context->size));
    const void *source = &own;
    void *destination = all.data();
    int64_t bytes = sizeof own;
    tutti_all_gather(context, no_plan_entry, TUTTI_GROUP_WORLD, TUTTI_U8, 1, &source, &destination,
                     &bytes);
    return all;
  }

  /// Of zeros, whose sum stays what it is.
  void all_reduce(int64_t group, int64_t elements) {
    const void *source = memory;
    void *destination = memory;
    tutti_all_reduce(context, no_plan_entry, group, TUTTI_SUM, TUTTI_F32, 1, &source, &destination,
                     &elements);
  }

  double seconds_of_reducing(int64_t group, int64_t elements) {
    return time_together(context, budget, [&] { all_reduce(group, elements); });
  }

  /// Of all_reduce over sizes, in bytes; larger ones are left out where a call takes long.
  std::vector<TimedSize> time_sizes(int64_t group, int64_t most) {
    constexpr double long_call = 0.2;
    std::vector<TimedSize> samples;
    for (int64_t elements = 2 << 10; elements * element_bytes <= most && context->ok();
         elements *= 4) {
      double seconds = seconds_of_reducing(group, elements);
      samples.push_back({double(elements * element_bytes), seconds});
      if (seconds > long_call && samples.size() > 2)
        break;
    }
    return samples;
  }

  /// All sets of the group work at once; `sets` of them share what leaves a node.
  MeasuredLevel measure_level(int64_t group, int64_t members, int64_t sets) {
    MeasuredLevel level;
    level.backend = tutti_context_group_backend(context, group);
    level.shares_memory = level.backend == "shm";
    LinearFit fit = fit_line(time_sizes(group, level.shares_memory ? held_bytes : most_bytes));
    constexpr double meetings = 2, passes = 2; // of shared memory: exchanges are as many
    level.latency = fit.fixed / meetings;
    double share = double(members - 1) / double(members); // of a bucket, that a rank sends
    double moved = level.shares_memory ? passes : passes * share * double(sets);
    level.bandwidth = moved / std::max(fit.per_unit, 1e-15);
    if (level.shares_memory)
      level.far_bandwidth = far_bandwidth(group, fit, passes);
    else
      level.processor_per_byte = processor_per_byte(group, passes * share);
    return level;
  }

  /// Of what is read and written beyond near bytes, which cost what `near` says.
  double far_bandwidth(int64_t group, const LinearFit &near, double passes) {
    double touched = passes * double(far_bytes) - near_touched;
    double known = near.fixed + near.per_unit * near_touched / passes;
    double seconds = seconds_of_reducing(group, far_bytes / element_bytes) - known;
    return touched / std::max({seconds, near.per_unit * touched / passes, 1e-9});
  }

  double processor_per_byte(int64_t group, double sent_share) {
    constexpr int64_t elements = 64 << 10, calls = 4;
    double before = processor_seconds();
    for (int64_t call = 0; call < calls; ++call)
      all_reduce(group, elements);
    double seconds = processor_seconds() - before;
    return largest(context, seconds / (double(calls * elements) * sizeof(float) * sent_share));
  }

  /// In the world a rank sends more messages in a step than in its set across the nodes.
  void tell_messages_from_latency(MeasuredLevel &network) {
    constexpr int64_t small = 64;
    constexpr double steps = 2;
    double across = time_together(context, budget, [&] { all_reduce(across_group, small); });
    double world = time_together(context, budget, [&] { all_reduce(TUTTI_GROUP_WORLD, small); });
    double more = steps * double(context->size - calibration.nodes);
    double busy = std::max(1.0, double(calibration.ranks_per_node) / calibration.cores_per_node);
    network.message_overhead = std::max(0.0, (world - across) / (more * busy));
    double of_messages = network.message_overhead * double(calibration.nodes - 1) * busy;
    network.latency = std::max(0.0, network.latency - of_messages);
  }

  tutti_context *context;
  Calibration &calibration;
  void *memory = nullptr; ///< the context's
};

} // namespace

int64_t count_processors(const std::vector<RankPlace> &places) {
  std::map<std::string, cpu_set_t> machines;
  for (const RankPlace &place : places) {
    cpu_set_t &all = machines[place.machine]; // none at first
    CPU_OR(&all, &all, &place.processors);
  }
  int64_t count = 0;
  for (const auto &[machine, processors] : machines)
    count += CPU_COUNT(&processors);
  return count;
}

void measure_communication(tutti_context *context, Calibration &calibration) {
  Levels(context, calibration).measure();
}

} // namespace tutti::runtime::worker
