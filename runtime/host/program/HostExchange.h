// What ranks exchange beside the program that they run, by name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_PROGRAM_HOSTEXCHANGE_H
#define TUTTI_RUNTIME_HOST_PROGRAM_HOSTEXCHANGE_H

#include "runtime/host/program/Manifest.h"
#include "tutti/context.h"

namespace tutti::runtime::worker {

/// Each has an entry of its own after those of the plan, by which messages call it.
enum class HostExchange {
  evaluation, ///< metrics of all ranks
  summary,    ///< what each rank did
  trace,      ///< events and clocks
  start,      ///< which checkpoint the run goes on from, and whether all ranks have it
  checkpoint, ///< whether all parts of one are on file
  save,       ///< variables for --save and --export
  stop,       ///< whether a signal came
  finite,     ///< whether all is finite
  replicas,   ///< hashes of variables that ranks hold alike
};

inline int64_t entry_of(const Manifest &manifest, HostExchange exchange) {
  return int64_t(manifest.plan.size()) + int64_t(exchange);
}

/// Tells the context what its messages call them.
inline void describe_host_exchanges(tutti_context *context, const Manifest &manifest) {
  constexpr std::pair<HostExchange, const char *> names[] = {
      {HostExchange::evaluation, "the evaluation"},
      {HostExchange::summary, "the summary"},
      {HostExchange::trace, "the trace"},
      {HostExchange::start, "the agreement to start"},
      {HostExchange::checkpoint, "the checkpoint"},
      {HostExchange::save, "saving the variables"},
      {HostExchange::stop, "the agreement to go on"},
      {HostExchange::finite, "the agreement that all is finite"},
      {HostExchange::replicas, "the comparison of replicas"}};
  for (const auto &[exchange, name] : names)
    tutti_context_describe_plan_entry(context, entry_of(manifest, exchange), name);
}

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_PROGRAM_HOSTEXCHANGE_H
