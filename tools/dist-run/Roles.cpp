// Which process of a cluster this is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/Roles.h"

#include "runtime/program/Manifest.h"
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

static llvm::Expected<ClusterSpec> readOptions(const RoleOptions &given) {
  ClusterSpec spec;
  spec.servers = given.servers;
  spec.workers = given.workers;
  spec.chief = given.chief;
  spec.evaluator = given.evaluator;
  spec.index = given.index;
  runtime::Result<ClusterSpec::Role> role = ClusterSpec::parse_role(given.role);
  if (!role)
    return makeError("--role: " + role.error().message);
  spec.role = *role;
  if (runtime::Error error = spec.check())
    return makeError(error.message);
  return spec;
}

llvm::Expected<std::optional<Roles>> tutti::findRoles(const RunOptions &options, bool hasLauncher) {
  if (!options.roles.role.empty()) {
    llvm::Expected<ClusterSpec> spec = readOptions(options.roles);
    if (!spec)
      return spec.takeError();
    return Roles{*spec, "--role"};
  }
  const char *config = std::getenv("TF_CONFIG");
  if (!config || hasLauncher || options.hasRanks || options.given.count("--local-cluster") > 0)
    return std::nullopt;
  runtime::Result<ClusterSpec> spec = ClusterSpec::parse(config);
  if (!spec)
    return makeError(spec.error().message);
  return Roles{*spec, "TF_CONFIG"};
}

llvm::Error tutti::configureRoles(const Roles &roles, worker::RunConfig &config) {
  config.servers = roles.spec.servers;
  for (const std::string &address : config.servers)
    if (config.server_token.empty() && !runtime::servers::is_local(address))
      return makeError("the server at '" + address +
                       "' can be reached from other machines: give "
                       "--server-token FILE, so that nobody else talks to it");
  bool needsRendezvous =
      roles.spec.ranks() > 1 && config.rendezvous.empty() && !config.model_dir.empty();
  if (needsRendezvous) { // as all tasks of a TF_CONFIG see it
    config.rendezvous = config.model_dir + "/rendezvous";
    std::error_code error;
    std::filesystem::create_directories(config.rendezvous, error);
    if (error)
      return makeError("cannot make '" + config.rendezvous + "': " + error.message());
  }
  return llvm::Error::success();
}

llvm::Error tutti::checkRoles(const Roles &roles, const worker::RunConfig &config,
                              const worker::Manifest &manifest) {
  const ClusterSpec &spec = roles.spec;
  if (spec.servers.empty() && !manifest.tables.empty())
    return makeError("the program has tables on servers, but " + roles.source +
                     " lists no server (ps)");
  if (!spec.servers.empty() && manifest.tables.empty())
    return makeError(roles.source + " lists servers (ps), but the program leaves them nothing: say "
                                    "--distribute=\"serve=auto\", serve=* or the names of "
                                    "variables");
  if (spec.ranks() > 1 && config.rendezvous.empty() && !manifest.is_asynchronous())
    return makeError("workers find each other in a folder that all of them see: give --model-dir "
                     "or --rendezvous FOLDER");
  return llvm::Error::success();
}
