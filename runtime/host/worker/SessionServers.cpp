// A rank whose program has tables: it joins their servers, and lets them load and save.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/HostExchange.h"
#include "runtime/host/serving/Serving.h"
#include "runtime/host/worker/Servers.h"
#include "runtime/host/worker/Session.h"
#include "tutti/collectives.h"

#include <algorithm>

namespace tutti::runtime::worker {

Error Session::join_servers() {
  RunTrace::Phase phase(trace, "connect to servers");
  Result<const Serving *> serving = load_serving();
  if (!serving)
    return serving.error();
  Result<std::unique_ptr<servers::RemoteRows>> connected =
      (*serving)->connect_to_servers(config, manifest(), is_alone() ? agreement() : "");
  if (!connected)
    return connected.error();
  rows = std::move(*connected);
  tutti_context_set_rows(context.get(), rows->service());
  if (config.rank != 0)
    return Error::success();
  Result<std::unique_ptr<servers::PartKeeper>> connected_parts =
      (*serving)->connect_to_parts(config);
  if (!connected_parts)
    return connected_parts.error();
  parts = std::move(*connected_parts);
  if (directory)
    directory->set_table_parts(
        {[this](int64_t step, const std::string &launch) { return begin_parts(step, launch); },
         [this](int64_t step) {
           return servers::await_save(*parts, step, config.run.stall_warning,
                                      config.run.stall_error);
         }});
  return Error::success();
}

/// Workers that do not wait for each other are asked where they are: what the tables have then is
/// all of their pushes up to there. This one's may still be on their way.
Error Session::begin_parts(int64_t step, const std::string &launch) {
  if (!is_alone())
    return parts->begin_save(step, launch, {});
  Result<std::vector<int64_t>> steps = parts->hold();
  if (!steps)
    return steps.error();
  if (!steps->empty())
    steps->front() = step;
  // What some have pushed in a common step waits for the others.
  for (const ServedTable &table : manifest().tables)
    for (int64_t &of_worker : *steps)
      of_worker = std::max(of_worker, std::min(step, table.warm_up));
  if (step >= this->steps()) // the last checkpoint waits for all
    std::fill(steps->begin(), steps->end(), step);
  return parts->begin_save(step, launch, *steps);
}

/// Nobody asks for rows before servers have them.
Error Session::load_tables(bool goes_on) {
  if (rows && is_alone())
    return parts ? parts->load(result.steps_before) : go_on_by_servers();
  bool has_file = !config.run.load.empty() && !goes_on;
  if (!rows || (!goes_on && !has_file))
    return Error::success();
  if (Error error = parts ? parts->load(result.steps_before) : Error::success())
    return error;
  tutti_barrier(context.get(), entry_of(manifest(), HostExchange::start), TUTTI_GROUP_WORLD);
  return context_error();
}

/// What servers have of this worker's pushes is not computed again.
Error Session::go_on_by_servers() {
  Result<int64_t> steps = rows->position();
  if (!steps)
    return steps.error();
  if (!only_evaluates(config.run))
    result.steps = result.steps_before = *steps;
  return Error::success();
}

} // namespace tutti::runtime::worker
