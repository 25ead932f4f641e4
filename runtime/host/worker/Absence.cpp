// The same words for servers, over gRPC, and for ranks, by the backend.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/Absence.h"

#include "runtime/host/worker/RankContext.h"
#include "runtime/host/worker/ServerProcess.h"
#include "runtime/servers/rpc/FailureNotice.h"

#include <algorithm>
#include <cstdio>
#include <future>

namespace tutti::runtime::worker {
namespace {

/// The time in which others compile.
constexpr double most_seconds = 60;
constexpr std::chrono::seconds moment(2);

void refuse_workers(const WorkerConfig &config, const servers::RunOfServers &run,
                    const std::string &why, double seconds) {
  Error failure = Error::make(TUTTI_INVALID_ARGUMENT,
                              config.role.empty() ? text("server ", config.server) : config.role,
                              " cannot start: ", why);
  // Who cannot listen has nobody to tell.
  (void)servers::refuse_workers(run, config.run.servers[size_t(config.server)], failure, seconds);
}

} // namespace

void tell_servers(const WorkerConfig &config, const std::string &why, double seconds) {
  Result<servers::Security> security = security_of(config.run);
  bool has_servers = config.server < int64_t(config.run.servers.size());
  if (config.run.servers.empty() || !has_servers || !security) // then nobody takes anything of it
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

void tell_absence(const WorkerConfig &config, const std::string &why, double seconds) {
  std::future<void> ranks;
  if (config.server < 0)
    ranks = std::async(std::launch::async, [&] { decline_context(config, why, seconds); });
  tell_servers(config, why, seconds);
}

void tell_own_absence(const WorkerConfig &config) {
  double seconds = std::min(most_seconds, config.run.stall_error);
  auto told =
      std::async(std::launch::async, [&] { tell_absence(config, config.absence, seconds); });
  if (told.wait_for(moment) == std::future_status::timeout)
    std::fprintf(stderr,
                 "dist-run: %s: tells the other processes of the run why, for at most %d s\n",
                 config.role.c_str(), int(seconds));
}

} // namespace tutti::runtime::worker
