// From measurements to a file that appears only when it is whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/calibration/Calibration.h"

#include "runtime/output/OutputFile.h"
#include "runtime/output/StandardStreams.h"
#include "runtime/support/Names.h"
#include "tutti/collectives.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace tutti::runtime::worker {
namespace {

using nlohmann::ordered_json;

/// How many times longer things take with the rate `together` than with `alone`.
double slowdown(double alone, double together) { return std::max(1.0, alone / together); }

ordered_json json_of(const MeasuredLevel &level) {
  ordered_json object = {{"transport", level.shares_memory ? "memory" : "messages"},
                         {"latency", level.latency},
                         {"bandwidth", level.bandwidth}};
  if (level.shares_memory && level.far_bandwidth > 0)
    object["far_bandwidth"] = level.far_bandwidth;
  if (!level.shares_memory) {
    object["message_overhead"] = level.message_overhead;
    object["processor_per_byte"] = level.processor_per_byte;
  }
  return object;
}

/// A single rank of a node has nobody to talk to; what the file must have is then that of memory.
MeasuredLevel node_of(const Calibration &calibration) {
  MeasuredLevel alone;
  alone.shares_memory = true;
  alone.bandwidth = calibration.compute.alone.memory;
  return calibration.node.value_or(alone);
}

std::string line_of(const char *name, const MeasuredLevel &level) {
  char line[160], far[32] = "";
  if (level.far_bandwidth > 0)
    std::snprintf(far, sizeof far, ", far %.3f GB/s", level.far_bandwidth / 1e9);
  std::snprintf(line, sizeof line, "  %-8s %-8s latency %10.2f us   bandwidth %9.3f GB/s%s\n", name,
                level.backend.c_str(), level.latency * 1e6, level.bandwidth / 1e9, far);
  return line;
}

std::string line_of(const char *name, const MeasuredRates &rates) {
  char line[160];
  std::snprintf(
      line, sizeof line,
      "  %-18s matmul %.1f GFLOP/s, %.1f GB/s   convolution %.1f GFLOP/s   loops %.2f Gop/s, "
      "%.1f GB/s\n",
      name, rates.matmul / 1e9, rates.matmul_memory / 1e9, rates.convolution / 1e9,
      rates.loop / 1e9, rates.memory / 1e9);
  return line;
}

} // namespace

std::string to_json(const Calibration &calibration) {
  const MeasuredCompute &compute = calibration.compute;
  ordered_json root = {{"nodes", calibration.nodes},
                       {"ranks_per_node", calibration.ranks_per_node},
                       {"cores_per_node", calibration.cores_per_node}};
  root["levels"]["node"] = json_of(node_of(calibration));
  if (calibration.network)
    root["levels"]["network"] = json_of(*calibration.network);
  const MeasuredRates &alone = compute.alone, &together = compute.together;
  root["compute"] = {
      {"matmul", alone.matmul},           {"matmul_memory", alone.matmul_memory},
      {"convolution", alone.convolution}, {"loop", alone.loop},
      {"memory", alone.memory},           {"kernel_overhead", compute.kernel_overhead}};
  root["compute"]["sharing"] = {{"matmul", slowdown(alone.matmul, together.matmul)},
                                {"convolution", slowdown(alone.convolution, together.convolution)},
                                {"loop", slowdown(alone.loop, together.loop)},
                                {"memory", slowdown(alone.memory, together.memory)}};
  return root.dump(2) + "\n";
}

std::string calibration_text(const Calibration &calibration) {
  char text[512];
  std::snprintf(text, sizeof text, "%lld node(s) of %lld rank(s) and %.1f core(s)\n",
                static_cast<long long>(calibration.nodes),
                static_cast<long long>(calibration.ranks_per_node), calibration.cores_per_node);
  std::string out = text;
  if (calibration.node)
    out += line_of("node", *calibration.node);
  if (calibration.network)
    out += line_of("network", *calibration.network);
  out += line_of("a rank alone:    ", calibration.compute.alone);
  out += line_of("while all compute:", calibration.compute.together);
  std::snprintf(text, sizeof text, "  kernel call %.2f us\n",
                calibration.compute.kernel_overhead * 1e6);
  return out + text;
}

Error calibrate(tutti_context *context, const std::string &path) {
  Calibration calibration;
  measure_communication(context, calibration);
  measure_compute(context, calibration.compute);
  if (tutti_context_status(context) != TUTTI_OK)
    return {tutti_context_status(context), tutti_context_message(context)};
  if (tutti_group_rank(context, TUTTI_GROUP_WORLD) != 0)
    return Error::success();
  Result<output::OutputFile> file = output::OutputFile::open(path);
  if (!file)
    return file.error();
  file->write(to_json(calibration));
  if (Error error = file->commit())
    return error;
  output::print(calibration_text(calibration) + "written to " + path + "\n");
  return Error::success();
}

} // namespace tutti::runtime::worker
