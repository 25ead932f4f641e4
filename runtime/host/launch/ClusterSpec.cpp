// TF_CONFIG.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/launch/ClusterSpec.h"

#include "runtime/support/Json.h"
#include "runtime/support/Numbers.h"

#include <set>

namespace tutti::runtime::worker {
namespace {

using nlohmann::json;
using Role = ClusterSpec::Role;

constexpr const char *role_names[] = {"chief", "worker", "ps", "evaluator"};

Error read_hosts(const json &cluster, const char *name, std::vector<std::string> &out) {
  if (!cluster.contains(name))
    return Error::success();
  const json &hosts = cluster[name];
  if (!hosts.is_array())
    return Error::invalid_argument("'cluster.", name, "' is not a list of \"host:port\"");
  for (const json &host : hosts) {
    if (!host.is_string())
      return Error::invalid_argument("'cluster.", name, "' has ", host.dump(),
                                     ", which is not \"host:port\"");
    out.push_back(host);
  }
  return Error::success();
}

Error read_cluster(const json &root, ClusterSpec &spec) {
  if (!root.contains("cluster") || !root["cluster"].is_object())
    return Error::invalid_argument("there is no object 'cluster'");
  for (const auto &entry : root["cluster"].items()) {
    // TensorFlow 1 calls the chief master.
    if (Result<Role> role = ClusterSpec::parse_role(entry.key()); !role)
      return Error::invalid_argument("'cluster': ", role.error().message);
  }
  Error error = read_hosts(root["cluster"], "chief", spec.chief);
  if (!error)
    error = read_hosts(root["cluster"], "master", spec.chief);
  if (!error)
    error = read_hosts(root["cluster"], "worker", spec.workers);
  if (!error)
    error = read_hosts(root["cluster"], "ps", spec.servers);
  return error ? error : read_hosts(root["cluster"], "evaluator", spec.evaluator);
}

Error read_task(const json &root, ClusterSpec &spec) {
  if (!root.contains("task") || !root["task"].is_object())
    return Error::invalid_argument("there is no object 'task'");
  const json &task = root["task"];
  if (!task.contains("type") || !task["type"].is_string())
    return Error::invalid_argument("'task' has no text 'type'");
  Result<Role> role = ClusterSpec::parse_role(task["type"].get<std::string>());
  if (!role)
    return Error::invalid_argument("'task.type': ", role.error().message);
  spec.role = *role;
  if (!task.contains("index"))
    return Error::success();
  const json &index = task["index"];
  if (index.is_number_integer()) {
    spec.index = index;
    return Error::success();
  }
  Result<int64_t> number = index.is_string() ? parse_integer<int64_t>(index.get<std::string>(), 0)
                                             : Error::invalid_argument("it is no number");
  if (!number)
    return Error::invalid_argument("'task.index' is ", index.dump(), ": ", number.error().message);
  spec.index = *number;
  return Error::success();
}

Error check_address(const std::string &address) {
  size_t colon = address.rfind(':');
  Result<int64_t> port =
      colon == address.npos || colon == 0
          ? Error::invalid_argument("a host and a port are expected, as in 10.0.0.1:2222")
          : parse_integer<int64_t>(address.substr(colon + 1), 1, 65535);
  return port ? Error::success()
              : Error::invalid_argument("'", address, "' is no address: ", port.error().message);
}

} // namespace

const char *spell(Role role) { return role_names[int(role)]; }

Result<Role> ClusterSpec::parse_role(std::string_view name) {
  if (name == "master")
    return Role::chief;
  for (Role role : {Role::chief, Role::worker, Role::ps, Role::evaluator})
    if (name == spell(role))
      return role;
  return Error::invalid_argument("'", name, "' is none of chief, worker, ps, evaluator");
}

Result<ClusterSpec> ClusterSpec::parse(std::string_view text) {
  Result<json> root = parse_json_object(text, TUTTI_INVALID_ARGUMENT);
  ClusterSpec spec;
  Error error = root.error();
  if (!error)
    error = read_cluster(*root, spec);
  if (!error)
    error = read_task(*root, spec);
  if (!error)
    error = spec.check();
  if (error)
    return Error::invalid_argument("TF_CONFIG: ", error.message);
  return spec;
}

std::vector<std::string> ClusterSpec::rank_names() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < chief.size(); ++i)
    names.push_back(text(spell(Role::chief), " ", i));
  for (size_t i = 0; i < workers.size(); ++i)
    names.push_back(text(spell(Role::worker), " ", i));
  return names;
}

std::vector<std::string> ClusterSpec::rank_addresses() const {
  std::vector<std::string> addresses = chief;
  addresses.insert(addresses.end(), workers.begin(), workers.end());
  return addresses;
}

std::string ClusterSpec::describe() const {
  std::string all;
  for (auto [role, list] : {std::pair(Role::chief, &chief),
                            {Role::worker, &workers},
                            {Role::ps, &servers},
                            {Role::evaluator, &evaluator}})
    if (!list->empty())
      all += text(all.empty() ? "" : ", ", list->size(), " ", spell(role),
                  role == Role::worker && list->size() > 1 ? "s" : "");
  return all;
}

std::string ClusterSpec::own_address() const {
  const std::vector<std::string> &list = role == Role::chief    ? chief
                                         : role == Role::worker ? workers
                                         : role == Role::ps     ? servers
                                                                : evaluator;
  return size_t(index) < list.size() ? list[size_t(index)] : "";
}

Error ClusterSpec::check() const {
  const std::vector<std::string> *hosts[] = {&chief, &workers, &servers, &evaluator};
  if (ranks() == 0)
    return Error::invalid_argument("the cluster has neither a chief nor workers");
  for (auto [role, list] : {std::pair(Role::chief, &chief), {Role::evaluator, &evaluator}})
    if (list->size() > 1)
      return Error::invalid_argument("the cluster has ", list->size(), " addresses of role ",
                                     spell(role), ", of which there is one");
  std::set<std::string> known;
  for (const std::vector<std::string> *list : hosts)
    for (const std::string &address : *list) {
      if (Error error = check_address(address))
        return error;
      if (!known.insert(address).second)
        return Error::invalid_argument("the address '", address, "' is there twice");
    }
  size_t count = hosts[int(role)]->size();
  // An evaluator need not be listed: nobody talks to it.
  bool is_unlisted = role == Role::evaluator && count == 0 && index == 0;
  if (!is_unlisted && (index < 0 || size_t(index) >= count))
    return Error::invalid_argument("this is task ", index, " of role ", spell(role),
                                   ", of which the cluster has ", count);
  return Error::success();
}

LaunchEnvironment environment_of(const ClusterSpec &spec, const std::string &source) {
  LaunchEnvironment launched;
  launched.launcher = source;
  launched.size = text(spec.ranks(), " chief and workers");
  launched.rank = spec.is_rank() ? spec.rank() : spec.ranks() + spec.index;
  launched.ranks = spec.ranks();
  launched.local_ranks = 1;
  launched.backend = "gloo";
  launched.run = "cluster";
  launched.meeting = spec.chief.empty() ? spec.workers.front() : spec.chief.front();
  launched.may_be_apart = true;
  return launched;
}

} // namespace tutti::runtime::worker
