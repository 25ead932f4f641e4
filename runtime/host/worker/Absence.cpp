// The same words for servers, over gRPC, and for ranks, by the backend.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/Absence.h"

#include "runtime/host/serving/Serving.h"
#include "runtime/host/worker/RankContext.h"
#include "runtime/host/worker/Servers.h"

#include <algorithm>
#include <cstdio>
#include <future>

namespace tutti::runtime::worker {
namespace {

/// The time in which others compile.
constexpr double most_seconds = 60;
constexpr std::chrono::seconds moment(2);

} // namespace

void tell_servers(const WorkerConfig &config, const std::string &why, double seconds) {
  if (config.run.servers.empty())
    return;
  if (Result<const Serving *> serving = load_serving()) // else it has no way to tell them
    (*serving)->tell_who_waits(config, why, seconds);
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
