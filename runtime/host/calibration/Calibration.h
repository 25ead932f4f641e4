// dist-run --calibrate: what this machine's ranks can do, in the terms of the compiler's cost
// model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_CALIBRATION_CALIBRATION_H
#define TUTTI_RUNTIME_HOST_CALIBRATION_CALIBRATION_H

#include "runtime/support/Error.h"
#include "tutti/context.h"

#include <optional>
#include <sched.h>
#include <string>
#include <vector>

namespace tutti::runtime::worker {

/// Memory that a rank asks its context for, with room to align it.
constexpr int64_t calibration_bytes = int64_t(136) << 20;

/// What connects ranks, inside a node or between nodes; docs/plan.md has the meaning of each
/// number.
struct MeasuredLevel {
  bool shares_memory = false;
  std::string backend;
  double latency = 0, bandwidth = 0, far_bandwidth = 0, message_overhead = 0,
         processor_per_byte = 0;
};

struct MeasuredRates {
  double matmul = 0, matmul_memory = 0, convolution = 0, loop = 0, memory = 0;
};

struct MeasuredCompute {
  MeasuredRates alone, together; ///< together: while all ranks of a node compute
  double kernel_overhead = 0;
};

/// The content of a cluster.json.
struct Calibration {
  int64_t nodes = 1, ranks_per_node = 1;
  double cores_per_node = 1;
  std::optional<MeasuredLevel> node, network; ///< where there are ranks to measure it with
  MeasuredCompute compute;
};

/// Where a rank runs. Nodes that are named may be parts of one machine.
struct RankPlace {
  char machine[64];
  cpu_set_t processors; ///< that it may run on: a launcher may bind each rank to its own
};

/// The processors of all machines that one of the ranks at least may run on.
int64_t count_processors(const std::vector<RankPlace> &places);

/// Fills in nodes, ranks and cores, and measures the levels. Collective over the world; errors are
/// in the context.
void measure_communication(tutti_context *context, Calibration &calibration);

/// Measures kernels and loops: first rank 0 alone, then all ranks of the node together.
void measure_compute(tutti_context *context, MeasuredCompute &compute);

/// The file's text, and a table for people.
std::string to_json(const Calibration &calibration);
std::string calibration_text(const Calibration &calibration);

/// Measures everything; rank 0 writes the file, whole or not at all, and prints the table.
Error calibrate(tutti_context *context, const std::string &path);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_CALIBRATION_CALIBRATION_H
