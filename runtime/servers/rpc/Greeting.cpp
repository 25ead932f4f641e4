// Comparing what a worker and a server are about to exchange.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/Greeting.h"

#include "runtime/servers/rpc/Rows.pb.h"
#include "runtime/support/LineDifference.h"
#include "tutti/context.h"

namespace tutti::runtime::servers {
namespace {

/// Of what somebody else says.
constexpr size_t shown_letters = 600;

std::string shown(const std::string &given) { return given.substr(0, shown_letters); }

/// What differs of what a worker and a server are; "" if nothing does.
std::string difference(const RunOfServers &run, int64_t server,
                       const tutti::rows::GreetRequest &greeting) {
  auto both = [&](const std::string &what, const std::string &of_worker,
                  const std::string &of_server) {
    return text(what, ": worker ", greeting.worker(), " has ", shown(of_worker), ", server ",
                server, " has ", shown(of_server));
  };
  if (greeting.version() != tutti_version())
    return both("version of the library", text("'", greeting.version(), "'"), tutti_version());
  if (greeting.workers() != run.workers)
    return both("number of workers", std::to_string(greeting.workers()),
                std::to_string(run.workers));
  if (greeting.servers() != run.servers)
    return both("number of servers", std::to_string(greeting.servers()),
                std::to_string(run.servers));
  if (greeting.server() != server)
    return text("worker ", greeting.worker(), " takes this for server ", greeting.server(),
                ", but it is server ", server);
  if (auto found = LineDifference::find(greeting.exchanged(), run.exchanged))
    return both(text("line ", found->line, " of what they exchange"), found->first, found->second);
  if (greeting.run() != run.fingerprint)
    return both("fingerprint of the program", text("'", greeting.run(), "'"),
                text("'", run.fingerprint, "'"));
  return "";
}

} // namespace

tutti::rows::GreetRequest make_greeting(const RunOfServers &run, int64_t worker, int64_t server) {
  tutti::rows::GreetRequest greeting;
  greeting.set_run(run.fingerprint);
  greeting.set_worker(worker);
  greeting.set_workers(run.workers);
  greeting.set_server(server);
  greeting.set_servers(run.servers);
  greeting.set_version(tutti_version());
  greeting.set_exchanged(run.exchanged);
  greeting.set_described(run.described);
  return greeting;
}

Error DescribedRuns::check(const tutti::rows::GreetRequest &greeting) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!first)
    first = greeting.described(), first_worker = greeting.worker();
  auto found = LineDifference::find(*first, greeting.described());
  if (!found)
    return Error::success();
  return Error::make(TUTTI_PLAN_MISMATCH, "the workers would not compute the same run: worker ",
                     first_worker, " has ", shown(found->first), ", worker ", greeting.worker(),
                     " has ", shown(found->second),
                     ". Start all workers with the same options and the same files.");
}

Error check_greeting(const RunOfServers &run, int64_t server,
                     const tutti::rows::GreetRequest &greeting) {
  std::string found = difference(run, server, greeting);
  if (found.empty())
    return Error::success();
  return Error::make(
      TUTTI_PLAN_MISMATCH, "worker ", greeting.worker(), " and server ", server,
      " are no parts of one run: ", found,
      ". Start all roles with the same version, model, --train and --distribute, and "
      "with the same lists of workers and servers.");
}

} // namespace tutti::runtime::servers
