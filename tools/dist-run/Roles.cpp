// Which process of a cluster this is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/Roles.h"

#include "lib/execution/files/UserToken.h"
#include "runtime/host/program/Manifest.h"
#include "runtime/servers/rpc/Security.h"
#include "tools/dist-run/Errors.h"

#include <cstdlib>
#include <filesystem>

using namespace tutti;
namespace worker = runtime::worker;
using worker::ClusterSpec;

std::string Roles::name() const {
  return worker::spell(spec.role) + (" " + std::to_string(spec.index));
}

llvm::Expected<std::optional<Roles>> tutti::findRoles(const RunOptions &options, bool hasLauncher) {
  if (options.isGiven("--role")) {
    if (runtime::Error error = options.roles.check())
      return makeError(error.message);
    return Roles{options.roles, "--role"};
  }
  const char *config = std::getenv("TF_CONFIG");
  if (!config || hasLauncher || options.isGiven("-n") || options.isGiven("--local-cluster"))
    return std::nullopt;
  runtime::Result<ClusterSpec> spec = ClusterSpec::parse(config);
  if (!spec)
    return makeError(spec.error().message);
  return Roles{*spec, "TF_CONFIG"};
}

llvm::Error tutti::secureRun(worker::RunConfig &config) {
  std::vector<std::string> addresses = config.servers;
  if (worker::is_meeting_point(config.rendezvous))
    addresses.push_back(config.rendezvous);
  if (addresses.empty() || !config.server_token.empty())
    return llvm::Error::success();
  for (const std::string &address : addresses)
    if (!runtime::servers::is_local(address))
      return makeError((address == config.rendezvous ? "the place '" : "the server at '") +
                       address + (address == config.rendezvous ? "' where ranks meet" : "'") +
                       " can be reached from other machines: give --token FILE, a secret that all "
                       "processes of the run have, so that nobody else talks to them");
  llvm::Expected<std::string> token = execution::findUserToken();
  if (!token)
    return makeError(
        "the processes of the run need a secret, and there is no place for one of this "
        "user (" +
        llvm::toString(token.takeError()) + "): give --token FILE");
  config.server_token = *token;
  return llvm::Error::success();
}

llvm::Error tutti::configureRoles(const Roles &roles, bool isDry, worker::RunConfig &config) {
  config.servers = roles.spec.servers;
  bool needsRendezvous =
      roles.spec.ranks() > 1 && config.rendezvous.empty() && !config.model_dir.empty();
  if (needsRendezvous) { // as all tasks of a TF_CONFIG see it
    config.rendezvous = config.model_dir + "/rendezvous";
    std::error_code error;
    if (!isDry)
      std::filesystem::create_directories(config.rendezvous, error);
    if (error)
      return makeError("cannot make '" + config.rendezvous + "': " + error.message());
  }
  return llvm::Error::success();
}

llvm::Error tutti::checkRoles(const Roles &roles, const worker::Manifest &manifest) {
  const ClusterSpec &spec = roles.spec;
  if (spec.servers.empty() && !manifest.tables.empty())
    return makeError("the program has tables on servers, but " + roles.source +
                     " lists no server (ps)");
  if (!spec.servers.empty() && manifest.tables.empty())
    return makeError(roles.source + " lists servers (ps), but the program leaves them nothing: say "
                                    "--distribute=\"serve=auto\", serve=* or the names of "
                                    "variables");
  return llvm::Error::success();
}
