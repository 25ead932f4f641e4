// What a rank tells of its run at the end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/HostExchange.h"
#include "runtime/host/run/Report.h"
#include "runtime/host/worker/Session.h"
#include "runtime/output/StandardStreams.h"
#include "tutti/collectives.h"

#include <cstdlib>
#include <cstring>
#include <fstream>

namespace tutti::runtime::worker {

/// Beside the steps, when the time to stop is over.
std::string Session::describe_late() const {
  return text("rank ", config.rank, ": ", spell_signal(stop->own_signal()), ": ",
              config.run.grace_period,
              " s (--grace-period) were not enough to finish the step and save; what is left is ",
              rundir::CheckpointList::describe_last(config.run.model_dir));
}
namespace {

/// Of this program. What getrusage tells is also of the one that became this one.
int64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  constexpr std::string_view field = "VmHWM:";
  for (std::string line; std::getline(status, line);)
    if (line.compare(0, field.size(), field) == 0)
      return std::atoll(line.c_str() + field.size()) * 1024;
  return 0;
}

} // namespace

void Session::report() {
  result.peak_bytes = peak_memory();
  result.samples_per_step = manifest().samples_per_step;
  if (next_batch)
    result.data_seconds_beside = next_batch->seconds_beside();
  if (loader) {
    result.steps_per_epoch = loader->steps_per_epoch();
    result.dropped_per_epoch = loader->dropped_per_epoch();
    result.repeated_per_step = loader->repeated_per_step();
  }
  if (context) {
    tutti_counters counters;
    tutti_context_counters(context.get(), &counters);
    result.planned_bytes = counters.allocated_bytes + (states ? manifest().window : 0);
  }
}

void Session::hand_over_report() {
  if (segment)
    std::memcpy(segment->slot(config.rank).report, &result, sizeof result);
}

/// Of workers that do not meet each tells its own.
Error Session::print_own_summary() {
  output::print(summary_text(manifest(), {result}, config.run.save, exported_model(config.run)));
  return context_error();
}

/// Under a launcher of others: rank 0 collects what all have to report, and tells it.
Error Session::print_summary() {
  std::vector<RankSummary> all(size_t(config.run.ranks));
  const void *own = &result;
  void *gathered = all.data();
  int64_t bytes = sizeof result, entry = entry_of(manifest(), HostExchange::summary);
  tutti_gather(context.get(), entry, TUTTI_GROUP_WORLD, 0, TUTTI_U8, 1, &own, &gathered, &bytes);
  if (config.rank == 0 && !context_error())
    output::print(summary_text(manifest(), all, config.run.save, exported_model(config.run)));
  // Launchers end all ranks once one of them has ended with a status other than 0.
  tutti_barrier(context.get(), entry, TUTTI_GROUP_WORLD);
  return context_error();
}

} // namespace tutti::runtime::worker
