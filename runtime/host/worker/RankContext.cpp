// From the configuration of a rank to its context.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/RankContext.h"

#include <cstddef>

namespace tutti::runtime::worker {
namespace {

std::string backend_name(const WorkerConfig &config) {
  if (config.run.ranks == 1)
    return "self";
  return config.run.backend == "auto" ? "shm" : config.run.backend;
}

/// The connection text; each backend states its own.
std::string connection_of(const WorkerConfig &config, const std::string &backend) {
  const RunConfig &run = config.run;
  if (backend == "self")
    return "";
  if (backend == "shm")
    return text("descriptor=", config.shared_descriptor);
  if (backend != "gloo")
    return "";
  std::string interface = run.interface.empty() ? "" : ";interface=" + run.interface;
  if (!run.launcher_store.empty())
    return text("store=", run.launcher_store, interface);
  if (is_meeting_point(run.rendezvous))
    return text("store=tcp:", run.rendezvous, ";token=", run.server_token, ";prefix=", run.run_name,
                interface);
  return text("store=file:", run.rendezvous, ";prefix=", run.run_name, interface);
}

int32_t order_of(const std::string &reductions) {
  if (reductions == "native")
    return TUTTI_ORDER_NATIVE;
  return reductions == "by-node" ? TUTTI_ORDER_NODES : TUTTI_ORDER_RANKS;
}

std::string node_of(const WorkerConfig &config) {
  if (config.run.ranks_per_node == 0)
    return config.run.node;
  return text(config.run.node, "/", config.rank / config.run.ranks_per_node);
}

} // namespace

Error open_context(const WorkerConfig &config, RankContext &out_context) {
  std::string name = backend_name(config);
  if (name == "shm" && config.shared_descriptor < 0)
    return Error::make(TUTTI_INVALID_ARGUMENT, "backend 'shm' needs ranks that dist-run starts");
  char message[2048] = {};
  tutti_context_options options = {};
  options.struct_bytes = sizeof options;
  if (int32_t status = tutti_backend_load(name.c_str(), &options.backend, message, sizeof message))
    return {status, message};
  std::string connection = connection_of(config, name);
  options.connection = connection.c_str();
  options.rank = int32_t(config.rank);
  options.size = int32_t(config.run.ranks);
  options.reduction_order = order_of(config.run.reductions);
  std::string node = node_of(config);
  options.node = node.c_str();
  options.one_backend = config.run.one_backend;
  options.limits = {config.run.stall_warning, config.run.stall_error, config.run.threads};
  tutti_context *made = nullptr;
  int32_t status = tutti_context_create(&options, &made);
  out_context.reset(made);
  return made ? Error{tutti_context_status(made), tutti_context_message(made)}
              : Error::make(status, "no memory for a context");
}

void decline_context(const WorkerConfig &config, const std::string &why, double seconds) {
  std::string name = backend_name(config);
  const tutti_backend *backend = nullptr;
  bool is_there = name != "self" && name != "shm" &&
                  tutti_backend_load(name.c_str(), &backend, nullptr, 0) == TUTTI_OK;
  constexpr size_t needed = offsetof(tutti_backend, decline) + sizeof backend->decline;
  if (!is_there || backend->struct_bytes < needed || !backend->decline)
    return;
  tutti_limits limits = {seconds, seconds, 1};
  backend->decline(connection_of(config, name).c_str(), &limits, int32_t(config.rank),
                   int32_t(config.run.ranks), why.c_str());
}

} // namespace tutti::runtime::worker
