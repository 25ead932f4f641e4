// A cluster of roles: which processes there are, and which of them this one is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_LAUNCH_CLUSTERSPEC_H
#define TUTTI_RUNTIME_HOST_LAUNCH_CLUSTERSPEC_H

#include "runtime/host/launch/LaunchEnvironment.h"

namespace tutti::runtime::worker {

/// The tasks of a cluster by their addresses, "host:port", as TF_CONFIG of TensorFlow has them.
/// Ranks are the chief, if there is one, and then the workers; the first of them saves, restores
/// and writes summaries. Servers (ps) hold what the program hands to them. The evaluator evaluates
/// checkpoints. Field by field, see "Distributed training with TensorFlow: TF_CONFIG".
struct ClusterSpec {
  enum class Role { chief, worker, ps, evaluator };

  std::vector<std::string> chief, workers, servers, evaluator;
  Role role = Role::worker;
  int64_t index = 0; ///< of this process among those of its role

  int64_t ranks() const { return int64_t(chief.size() + workers.size()); }
  bool is_rank() const { return role == Role::chief || role == Role::worker; }
  /// Of a process that is one.
  int64_t rank() const { return role == Role::chief ? 0 : int64_t(chief.size()) + index; }

  /// Of all ranks, in their order: "chief 0", "worker 0".
  std::vector<std::string> rank_names() const;
  /// And their addresses.
  std::vector<std::string> rank_addresses() const;
  /// "1 chief, 3 workers, 2 ps"
  std::string describe() const;
  /// Of this process; "" of an evaluator that is not listed.
  std::string own_address() const;

  /// Parses TF_CONFIG; an error says which field is wrong.
  static Result<ClusterSpec> parse(std::string_view json);
  static Result<Role> parse_role(std::string_view name);
  /// What is wrong with it, if anything.
  Error check() const;
};

/// "ps" and the like.
const char *spell(ClusterSpec::Role role);

/// As a launcher would say it: ranks meet at the address of the first. `source` names where it is
/// from: TF_CONFIG or --role.
LaunchEnvironment environment_of(const ClusterSpec &spec, const std::string &source);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_LAUNCH_CLUSTERSPEC_H
