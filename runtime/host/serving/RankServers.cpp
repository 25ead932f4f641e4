// One connection of gRPC a server.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/serving/RankServers.h"

#include "runtime/servers/rpc/FailureNotice.h"
#include "runtime/servers/rpc/RemoteParts.h"
#include "runtime/servers/rpc/ServerReports.h"

namespace tutti::runtime::worker {

/// What processes of the run prove to each other.
static Result<servers::Security> security_of(const RunConfig &run) {
  return servers::Security::read(
      {run.server_token, run.server_certificate, run.server_key, run.server_authority});
}

Result<servers::RunOfServers> run_of(const WorkerConfig &config, const Manifest &manifest) {
  const RunConfig &run = config.run;
  Result<servers::Security> security = security_of(run);
  if (!security)
    return security.error();
  bool is_supervised = config.server >= 0 && !config.ends_with_workers;
  servers::RunOfServers made = {
      manifest.fingerprint, run.ranks,     int64_t(run.servers.size()), run.stall_error,
      std::move(*security), is_supervised, manifest.exchange_text()};
  made.names = {config.rank_names, config.rank_addresses};
  made.own_name = config.role;
  made.warn_after = run.stall_warning;
  return made;
}

Result<std::unique_ptr<servers::RemoteRows>> connect_to_servers(const WorkerConfig &config,
                                                                const Manifest &manifest,
                                                                const std::string &described) {
  if (config.run.servers.empty())
    return Error::make(TUTTI_BAD_PROGRAM, "the program has ", manifest.tables.size(),
                       " tables that servers hold, but the run has no servers");
  Result<servers::RunOfServers> shared = run_of(config, manifest);
  if (!shared)
    return shared.error();
  shared->described = described;
  return servers::RemoteRows::connect(*shared, config.rank, manifest.tables, config.run.servers,
                                      config.row_queues);
}

Result<std::unique_ptr<servers::PartKeeper>> connect_to_parts(const WorkerConfig &config) {
  Result<servers::Security> security = security_of(config.run);
  if (!security)
    return security.error();
  return servers::RemoteParts::connect(config.run.servers, config.run.stall_error, *security);
}

Result<StatisticsOfServers> ask_servers(const WorkerConfig &config, const Manifest &manifest,
                                        int64_t steps) {
  Result<servers::RunOfServers> shared = run_of(config, manifest);
  if (!shared)
    return shared.error();
  return servers::ask_statistics(*shared, steps, config.run.servers);
}

static void refuse_workers(const WorkerConfig &config, const servers::RunOfServers &run,
                           const std::string &why, double seconds) {
  Error failure = Error::make(TUTTI_INVALID_ARGUMENT,
                              config.role.empty() ? text("server ", config.server) : config.role,
                              " cannot start: ", why);
  // Who cannot listen has nobody to tell.
  (void)servers::refuse_workers(run, config.run.servers[size_t(config.server)], failure, seconds);
}

void tell_who_waits(const WorkerConfig &config, const std::string &why, double seconds) {
  Result<servers::Security> security = security_of(config.run);
  bool has_servers = config.server < int64_t(config.run.servers.size());
  if (!has_servers || !security) // then nobody takes anything of it
    return;
  servers::RunOfServers run;
  run.security = std::move(*security);
  run.workers = config.run.ranks;
  if (config.server >= 0)
    refuse_workers(config, run, why, seconds);
  else
    servers::tell_failure(run, config.rank, config.run.servers, Error::make(TUTTI_PEER_FAILED, why),
                          seconds);
}

} // namespace tutti::runtime::worker
