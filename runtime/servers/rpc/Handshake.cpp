// Comparing what a worker and a server are about to exchange.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/Handshake.h"

#include "runtime/servers/rpc/Rows.pb.h"
#include "runtime/support/LineDifference.h"
#include "tutti/context.h"

namespace tutti::runtime::servers {
namespace {

/// Of what somebody else says.
constexpr size_t shown_characters = 600;

std::string shown(const std::string &given) { return given.substr(0, shown_characters); }

/// What differs of what a worker and a server are; "" if nothing does.
std::string difference(const RunOfServers &run, int64_t server,
                       const tutti::rows::HandshakeRequest &handshake) {
  auto both = [&](const std::string &what, const std::string &of_worker,
                  const std::string &of_server) {
    return text(what, ": worker ", handshake.worker(), " has ", shown(of_worker), ", server ",
                server, " has ", shown(of_server));
  };
  if (handshake.version() != tutti_version())
    return both("version of the library", text("'", handshake.version(), "'"), tutti_version());
  if (handshake.workers() != run.workers)
    return both("number of workers", std::to_string(handshake.workers()),
                std::to_string(run.workers));
  if (handshake.servers() != run.servers)
    return both("number of servers", std::to_string(handshake.servers()),
                std::to_string(run.servers));
  if (handshake.server() != server)
    return text("worker ", handshake.worker(), " takes this for server ", handshake.server(),
                ", but it is server ", server);
  if (auto found = LineDifference::find(handshake.exchanged(), run.exchanged))
    return both(text("line ", found->line, " of what they exchange"), found->first, found->second);
  if (handshake.run() != run.fingerprint)
    return both("fingerprint of the program", text("'", handshake.run(), "'"),
                text("'", run.fingerprint, "'"));
  return "";
}

} // namespace

tutti::rows::HandshakeRequest make_handshake(const RunOfServers &run, int64_t worker,
                                             int64_t server) {
  tutti::rows::HandshakeRequest handshake;
  handshake.set_run(run.fingerprint);
  handshake.set_worker(worker);
  handshake.set_workers(run.workers);
  handshake.set_server(server);
  handshake.set_servers(run.servers);
  handshake.set_version(tutti_version());
  handshake.set_exchanged(run.exchanged);
  handshake.set_described(run.described);
  return handshake;
}

Error DescribedRuns::check(const tutti::rows::HandshakeRequest &handshake) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!first)
    first = handshake.described(), first_worker = handshake.worker();
  auto found = LineDifference::find(*first, handshake.described());
  if (!found)
    return Error::success();
  return Error::make(TUTTI_PLAN_MISMATCH, "the workers would not compute the same run: worker ",
                     first_worker, " has ", shown(found->first), ", worker ", handshake.worker(),
                     " has ", shown(found->second),
                     ". Start all workers with the same options and the same files.");
}

Error check_handshake(const RunOfServers &run, int64_t server,
                      const tutti::rows::HandshakeRequest &handshake) {
  std::string found = difference(run, server, handshake);
  if (found.empty())
    return Error::success();
  return Error::make(
      TUTTI_PLAN_MISMATCH, "worker ", handshake.worker(), " and server ", server,
      " are no parts of one run: ", found,
      ". Start all roles with the same version, model, --train and --distribute, and "
      "with the same lists of workers and servers.");
}

} // namespace tutti::runtime::servers
