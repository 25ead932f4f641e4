// The cluster that this process is a part of: TF_CONFIG, or the same on the command line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_ROLES_H
#define TUTTI_TOOLS_DISTRUN_ROLES_H

#include "runtime/host/launch/ClusterSpec.h"
#include "tools/dist-run/options/Options.h"

#include "llvm/Support/Error.h"

namespace tutti {

struct Roles {
  runtime::worker::ClusterSpec spec;
  std::string source; ///< for messages: "TF_CONFIG" or "--role"

  /// "ps 0"
  std::string name() const;
};

/// What the options say; else TF_CONFIG, unless `hasLauncher` or a cluster of this machine is asked
/// for. Nothing if this process is no part of a cluster. An error says what is wrong with it.
llvm::Expected<std::optional<Roles>> findRoles(const RunOptions &options, bool hasLauncher);

/// Where servers are, and how ranks meet, goes into `config`. Before anything is compiled.
/// `isDry`: nothing is made in the run directory.
llvm::Error configureRoles(const Roles &roles, bool isDry, runtime::worker::RunConfig &config);

/// Where somebody else could reach servers or the place where ranks meet, the secret that keeps him
/// away goes into `config`: that of the user, if that is on this machine alone and none is given.
llvm::Error secureRun(runtime::worker::RunConfig &config);

/// Whether the cluster fits the program.
llvm::Error checkRoles(const Roles &roles, const runtime::worker::Manifest &manifest);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_ROLES_H
