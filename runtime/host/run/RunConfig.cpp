// A run as JSON. Each field is listed once, which the compiler checks, and serves both directions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/run/RunConfig.h"

#include "runtime/support/Json.h"
#include "runtime/support/Numbers.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tutti::runtime::checkpoint {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FrameSlot, variable, offset, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Frame, target, content, slots)

} // namespace tutti::runtime::checkpoint

namespace tutti::runtime::data {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InflatedArray, file, entry, descriptor)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReadOptions, tokens, length, header, separator, columns,
                                   categories, hash, missing, vocabulary, resize, crop, random_crop,
                                   padding, flip, normalize, layout, seed, training)

} // namespace tutti::runtime::data

namespace tutti::runtime::worker {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ValuePlace, path, offset)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TableFiles, update, first)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StartSpan, name, begin, end)

namespace {

using nlohmann::json;

/// A field, and what JSON calls it.
template <typename Config, typename Value> struct Named {
  const char *name;
  Value Config::*field;
};

template <typename Config, typename Value>
constexpr Named<Config, Value> named(const char *name, Value Config::*field) {
  return {name, field};
}

#define TUTTI_RUN(field) named(#field, &RunConfig::field)
#define TUTTI_RANK(field) named(#field, &WorkerConfig::field)

constexpr auto fields_of_rank = std::make_tuple(
    TUTTI_RANK(rank), TUTTI_RANK(shared_descriptor), TUTTI_RANK(server), TUTTI_RANK(row_queues),
    TUTTI_RANK(ends_with_workers), TUTTI_RANK(trace_descriptor), TUTTI_RANK(arrays_descriptor),
    TUTTI_RANK(role), TUTTI_RANK(absence), TUTTI_RANK(absence_status), TUTTI_RANK(rank_names),
    TUTTI_RANK(rank_addresses));

constexpr auto fields_of_run = std::make_tuple(
    TUTTI_RUN(worker), TUTTI_RUN(programs), TUTTI_RUN(values), TUTTI_RUN(tables),
    TUTTI_RUN(servers), TUTTI_RUN(ranks), TUTTI_RUN(datasets), TUTTI_RUN(evaluation_datasets),
    TUTTI_RUN(inflated), TUTTI_RUN(read), TUTTI_RUN(evaluate_every), TUTTI_RUN(best),
    TUTTI_RUN(early_stop), TUTTI_RUN(bindings), TUTTI_RUN(steps), TUTTI_RUN(epochs),
    TUTTI_RUN(seed), TUTTI_RUN(shuffle), TUTTI_RUN(shuffle_block), TUTTI_RUN(decides),
    TUTTI_RUN(resume_anyway), TUTTI_RUN(hyperparameters), TUTTI_RUN(metrics), TUTTI_RUN(curve),
    TUTTI_RUN(save), TUTTI_RUN(exports), TUTTI_RUN(calibrate), TUTTI_RUN(offload), TUTTI_RUN(load),
    TUTTI_RUN(model_dir), TUTTI_RUN(save_checkpoints_steps), TUTTI_RUN(save_checkpoints_secs),
    TUTTI_RUN(keep_checkpoint_max), TUTTI_RUN(save_summary_steps), TUTTI_RUN(log_step_count_steps),
    TUTTI_RUN(max_restarts), TUTTI_RUN(trace), TUTTI_RUN(trace_first), TUTTI_RUN(trace_count),
    TUTTI_RUN(start), TUTTI_RUN(threads), TUTTI_RUN(on_non_finite), TUTTI_RUN(instructions),
    TUTTI_RUN(loads_ahead), TUTTI_RUN(check_replicas), TUTTI_RUN(grace_period),
    TUTTI_RUN(stall_warning), TUTTI_RUN(stall_error), TUTTI_RUN(progress), TUTTI_RUN(backend),
    TUTTI_RUN(one_backend), TUTTI_RUN(reductions), TUTTI_RUN(node), TUTTI_RUN(ranks_per_node),
    TUTTI_RUN(rendezvous), TUTTI_RUN(launcher_store), TUTTI_RUN(run_name), TUTTI_RUN(interface),
    TUTTI_RUN(server_storage), TUTTI_RUN(server_cache_bytes), TUTTI_RUN(server_admit_after),
    TUTTI_RUN(server_evict_after), TUTTI_RUN(server_token), TUTTI_RUN(server_certificate),
    TUTTI_RUN(server_key), TUTTI_RUN(server_authority));

#undef TUTTI_RUN
#undef TUTTI_RANK

/// Can be any value, to count the fields of a struct.
struct AnyValue {
  template <typename Value> operator Value() const;
};

template <typename Config, typename Values, typename = void> struct HasFields : std::false_type {};
template <typename Config, size_t... Index>
struct HasFields<Config, std::index_sequence<Index...>,
                 std::void_t<decltype(Config{(void(Index), AnyValue())...})>> : std::true_type {};

/// Whether `Config` has `count` fields, and no more.
template <typename Config, size_t count> constexpr bool has_exactly() {
  return HasFields<Config, std::make_index_sequence<count>>::value &&
         !HasFields<Config, std::make_index_sequence<count + 1>>::value;
}

// Two fields of RunConfig are the launcher's alone: `environment` and `binds_ranks`. The field
// `run` of WorkerConfig has a table of its own.
static_assert(has_exactly<RunConfig, std::tuple_size_v<decltype(fields_of_run)> + 2>(),
              "a field of RunConfig is missing in fields_of_run");
static_assert(has_exactly<WorkerConfig, std::tuple_size_v<decltype(fields_of_rank)> + 1>(),
              "a field of WorkerConfig is missing in fields_of_rank");

/// Calls use(name, field) for every field.
template <typename Config, typename Use> void for_each_field(Config &config, Use use) {
  auto use_all = [&](auto &part, const auto &fields) {
    std::apply([&](const auto &...row) { (use(row.name, part.*row.field), ...); }, fields);
  };
  use_all(config, fields_of_rank);
  use_all(config.run, fields_of_run);
}

Error bad(const std::string &what) {
  return Error::make(TUTTI_INVALID_ARGUMENT, "bad configuration of a rank: ", what);
}

/// Whether `value` is a number that `Field` can hold; true for other fields, which check
/// themselves.
template <typename Field> bool fits(const json &value) {
  if constexpr (std::is_same_v<Field, bool> || !std::is_integral_v<Field>)
    return true;
  else if (value.is_number_unsigned())
    return value.get<uint64_t>() <= uint64_t(std::numeric_limits<Field>::max());
  else
    return value.is_number_integer() && std::is_signed_v<Field> &&
           value.get<int64_t>() >= int64_t(std::numeric_limits<Field>::min());
}

Error fill(const json &root, WorkerConfig &config) {
  std::set<std::string> known;
  std::string wrong;
  for_each_field(config, [&](const char *name, auto &field) {
    known.insert(name);
    if (!root.contains(name))
      return;
    using Field = std::decay_t<decltype(field)>;
    if (!fits<Field>(root[name])) {
      wrong = text("field '", name, "' cannot be ", root[name].dump());
      return;
    }
    try {
      field = root[name].get<Field>();
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

std::vector<int> inherited_descriptors(const RunConfig &config) {
  std::vector<int> descriptors;
  for (const data::InflatedArray &array : config.inflated)
    descriptors.push_back(array.descriptor);
  return descriptors;
}

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
  bool will_run = config.absence.empty(); // else it has no program
  if (Error error = will_run ? check(config.run) : Error::success())
    return error;
  if (config.rank < 0 || config.rank >= config.run.ranks)
    return bad(tutti::runtime::text("rank ", config.rank, " of ", config.run.ranks));
  return config;
}

static bool is_one_of(const std::string &word, std::initializer_list<const char *> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Error check(const RunConfig &config) {
  if (config.calibrate.empty() && (config.programs.empty() || config.programs.size() > 2))
    return Error::make(TUTTI_INVALID_ARGUMENT,
                       "a run needs one compiled program, or two for the batch policy weighted");
  return check_options(config);
}

Error check_options(const RunConfig &config) {
  auto refuse = [](auto... parts) { return Error::make(TUTTI_INVALID_ARGUMENT, parts...); };
  if (config.ranks < 1)
    return refuse("a run needs at least 1 rank, not ", config.ranks);
  bool measures = !config.calibrate.empty(), evaluates = !config.evaluation_datasets.empty();
  if (config.steps < 0 || config.epochs < 0 || (!measures && !evaluates && only_evaluates(config)))
    return refuse("a run needs a number of steps or epochs, or something to evaluate on");
  if (config.shuffle_block < 0)
    return refuse("blocks of ", config.shuffle_block, " samples cannot be shuffled");
  if (config.evaluate_every < 0 || (config.evaluate_every > 0 && !evaluates))
    return refuse("evaluation after every ", config.evaluate_every,
                  " steps needs something to evaluate on");
  if (!config.best.empty() && (config.evaluate_every == 0 || config.model_dir.empty()))
    return refuse("the best step is one of several evaluations, and kept in a run directory: "
                  "--best needs --evaluate-every and --model-dir");
  if (config.early_stop < 0 || (config.early_stop > 0 && config.best.empty()))
    return refuse("training that ends after ", config.early_stop,
                  " evaluations that were no better needs --best, a metric to compare");
  if (std::min({config.save_checkpoints_steps, config.save_checkpoints_secs,
                config.keep_checkpoint_max, config.save_summary_steps,
                config.log_step_count_steps}) < 0)
    return refuse("checkpoints, summaries and progress are written after a positive number of "
                  "steps or seconds");
  if (config.max_restarts < 0 || (config.max_restarts > 0 && config.model_dir.empty()))
    return refuse(config.max_restarts, " restarts need a run directory, to go on from there");
  if (config.trace_first < 1 || config.trace_count < 0)
    return refuse("a trace is of a positive number of steps from step 1 on");
  constexpr int64_t most_threads = 1024;
  if (config.threads < 0 || config.threads > most_threads)
    return refuse("a rank cannot have ", config.threads, " threads; 1 to ", most_threads,
                  " are allowed");
  constexpr double longest = 366 * 24 * 3600.0;
  if (!(config.grace_period > 0 && config.grace_period <= longest))
    return refuse("a grace period is above 0 and up to ", int64_t(longest), " seconds, not ",
                  config.grace_period);
  for (double limit : {config.stall_warning, config.stall_error})
    if (!(limit > 0 && limit <= longest))
      return refuse("a limit for a stall is above 0 and up to ", int64_t(longest), " seconds, not ",
                    limit);
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
    return refuse("a rendezvous and a network interface are for backend gloo");
  if (config.server_cache_bytes < 0)
    return refuse("servers cannot keep rows in ", config.server_cache_bytes, " bytes");
  if (config.server_admit_after < 0)
    return refuse("servers keep rows from a push on, from 1, not ", config.server_admit_after);
  if (config.server_evict_after < -1)
    return refuse("servers cannot keep rows for ", config.server_evict_after, " steps");
  if (config.check_replicas < 0)
    return refuse("replicas cannot be compared every ", config.check_replicas, " steps");
  if (!is_one_of(config.on_non_finite, {"stop", "warn", "ignore"}))
    return refuse("what is not finite stops a run, is warned of or ignored: stop, warn or ignore, "
                  "not '",
                  config.on_non_finite, "'");
  if (!is_one_of(config.progress, {"auto", "line", "log", "none"}))
    return refuse("progress is auto, line, log or none, not '", config.progress, "'");
  return Error::success();
}

bool is_meeting_point(const std::string &rendezvous) {
  size_t colon = rendezvous.rfind(':');
  return rendezvous.find('/') == rendezvous.npos && colon != rendezvous.npos && colon > 0 &&
         parse_integer<int64_t>(rendezvous.substr(colon + 1), 1, 65535);
}

bool is_local(std::string_view address) {
  auto begins = [&](std::string_view with) { return address.substr(0, with.size()) == with; };
  return begins("unix:") || begins("127.") || begins("localhost:") || begins("[::1]:");
}

bool only_evaluates(const RunConfig &config) { return config.steps == 0 && config.epochs == 0; }

Result<int64_t> count_steps(const RunConfig &config, int64_t steps_per_epoch) {
  if (config.steps > 0)
    return config.steps;
  if (std::optional<int64_t> steps = checked_product({config.epochs, steps_per_epoch}))
    return *steps;
  return Error::make(TUTTI_INVALID_ARGUMENT, config.epochs, " epochs of ", steps_per_epoch,
                     " steps are more steps than can be counted; the most are ",
                     INT64_MAX / steps_per_epoch, " epochs");
}

} // namespace tutti::runtime::worker
