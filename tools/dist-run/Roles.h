// The run that this process is a part of: what a launcher, TF_CONFIG or --role says of it.
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

/// What this process is of a run that others started, too.
struct Part {
  std::optional<runtime::worker::LaunchEnvironment> launched;
  std::optional<Roles> roles; ///< if a cluster launched it

  /// Whether it becomes one of many processes, and starts none.
  bool isOneOfMany() const { return launched && (launched->ranks > 1 || roles); }
  bool isServer() const {
    return roles && roles->spec.role == runtime::worker::ClusterSpec::Role::ps;
  }
};

/// Finds it by --role, TF_CONFIG, or the launcher that started this process. What that says about
/// it goes into `options`. An error says what is wrong there.
llvm::Expected<Part> joinLauncher(RunOptions &options);

/// How the processes of a run reach each other, and what keeps others away, goes into `config`.
/// Before anything is compiled. `isDry`: nothing is made in the run directory.
llvm::Error connectParts(const Part &part, bool isDry, runtime::worker::RunConfig &config);

/// Says at its start what this process is of a cluster, if it is.
void sayRole(const Part &part, const RunOptions &options);

/// Where this process is one of a cluster, or of ranks that a launcher started and that meet over
/// TCP, it becomes one that tells the others why it will not come, as `message` says, and ends with
/// `status`; `worker` is the program that does so. `message` may be empty, where a diagnostic has
/// said why. Returns if nobody can be told.
void tellOthers(const Part &part, const RunOptions &options, const std::string &message,
                const std::string &worker, int status);

/// The same where the command line is wrong, as `problem` says: what it says of the cluster, of the
/// place where ranks meet, and of secrets is looked for in `argv`.
void tellOthersOfOptions(int argc, char **argv, const std::string &problem,
                         const std::string &worker, int status);

/// Whether the cluster fits the program.
llvm::Error checkRoles(const Roles &roles, const runtime::worker::Manifest &manifest);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_ROLES_H
