// A run as JSON. Each field is listed once and serves both directions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/worker/RunConfig.h"

#include "runtime/core/Json.h"

#include <algorithm>
#include <set>

namespace tutti::runtime::worker {
namespace {

using nlohmann::json;

/// Calls use(name, field) for every field.
template <typename Config, typename Use> void for_each_field(Config &config, Use use) {
  auto &run = config.run;
  use("rank", config.rank);
  use("shared_descriptor", config.shared_descriptor);
  use("worker", run.worker);
  use("programs", run.programs);
  use("ranks", run.ranks);
  use("datasets", run.datasets);
  use("evaluation_datasets", run.evaluation_datasets);
  use("steps", run.steps);
  use("epochs", run.epochs);
  use("seed", run.seed);
  use("shuffle", run.shuffle);
  use("hyperparameters", run.hyperparameters);
  use("metrics", run.metrics);
  use("save", run.save);
  use("calibrate", run.calibrate);
  use("load", run.load);
  use("trace", run.trace);
  use("trace_first", run.trace_first);
  use("trace_count", run.trace_count);
  use("threads", run.threads);
  use("stall_warning", run.stall_warning);
  use("stall_error", run.stall_error);
  use("progress", run.progress);
  use("backend", run.backend);
  use("one_backend", run.one_backend);
  use("reductions", run.reductions);
  use("node", run.node);
  use("ranks_per_node", run.ranks_per_node);
  use("rendezvous", run.rendezvous);
  use("run_name", run.run_name);
  use("interface", run.interface);
}

Error bad(const std::string &what) {
  return Error::make(TUTTI_INVALID_ARGUMENT, "bad configuration of a rank: ", what);
}

Error fill(const json &root, WorkerConfig &config) {
  std::set<std::string> known;
  std::string wrong;
  for_each_field(config, [&](const char *name, auto &field) {
    known.insert(name);
    if (!root.contains(name))
      return;
    try {
      field = root[name].get<std::decay_t<decltype(field)>>();
    } catch (const json::exception &error) {
      wrong = text("field '", name, "': ", error.what());
    }
  });
  for (const auto &[name, value] : root.items())
    if (!known.count(name))
      wrong = text("field '", name, "' is unknown");
  return wrong.empty() ? Error::success() : bad(wrong);
}

} // namespace

std::string to_json(const WorkerConfig &config) {
  json root = json::object();
  for_each_field(config, [&](const char *name, const auto &field) { root[name] = field; });
  return root.dump(1, ' ', false, json::error_handler_t::replace);
}

Result<WorkerConfig> worker_config_from_json(std::string_view text) {
  Result<json> root = parse_json_object(text, TUTTI_INVALID_ARGUMENT);
  if (!root)
    return bad(root.error().message);
  WorkerConfig config;
  if (Error error = fill(*root, config))
    return error;
  if (Error error = check(config.run))
    return error;
  if (config.rank < 0 || config.rank >= config.run.ranks)
    return bad(tutti::runtime::text("rank ", config.rank, " of ", config.run.ranks));
  return config;
}

static bool is_one_of(const std::string &word, std::initializer_list<const char *> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Error check(const RunConfig &config) {
  auto refuse = [](auto... parts) { return Error::make(TUTTI_INVALID_ARGUMENT, parts...); };
  if (config.ranks < 1)
    return refuse("a run needs at least 1 rank, not ", config.ranks);
  bool trains = config.calibrate.empty();
  if (trains && (config.programs.empty() || config.programs.size() > 2))
    return refuse("a run needs one compiled program, or two for the batch policy weighted");
  if (config.steps < 0 || config.epochs < 0 || (trains && config.steps == 0 && config.epochs == 0))
    return refuse("a run needs a number of steps or epochs");
  if (config.trace_first < 1 || config.trace_count < 0)
    return refuse("a trace is of a positive number of steps from step 1 on");
  if (config.threads < 0)
    return refuse("a rank cannot have ", config.threads, " threads");
  if (!(config.stall_warning > 0) || !(config.stall_error > 0))
    return refuse("the limits for a stall must be positive");
  if (!is_one_of(config.backend, {"auto", "shm", "mpi", "openmpi", "mpich", "gloo"}))
    return refuse("a backend is auto, shm, mpi, openmpi, mpich or gloo, not '", config.backend,
                  "'");
  if (!is_one_of(config.reductions, {"ordered", "by-node", "native"}))
    return refuse("reductions are ordered, by-node or native, not '", config.reductions, "'");
  if (config.ranks_per_node < 0 ||
      (config.ranks_per_node > 0 && config.ranks % config.ranks_per_node != 0))
    return refuse("nodes of ", config.ranks_per_node, " ranks do not make up ", config.ranks,
                  " ranks");
  if (config.backend != "gloo" && !(config.rendezvous.empty() && config.interface.empty()))
    return refuse("a rendezvous folder and a network interface are for backend gloo");
  if (!is_one_of(config.progress, {"auto", "line", "log", "none"}))
    return refuse("progress is auto, line, log or none, not '", config.progress, "'");
  return Error::success();
}

} // namespace tutti::runtime::worker
