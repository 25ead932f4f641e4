// Parsing manifests. The text comes from a compiler that may be of another version, so every field
// is checked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/Manifest.h"

#include "runtime/host/program/Blocks.h"
#include "runtime/support/Json.h"
#include "runtime/support/Names.h"
#include "tutti/context.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace tutti::runtime::worker {
namespace {

using nlohmann::json;

/// Thrown inside this file only.
[[noreturn]] void bad(const std::string &what) { throw std::invalid_argument(what); }

const json &field(const json &object, const std::string &name) {
  if (!object.is_object() || !object.contains(name))
    bad(text("field '", name, "' is missing"));
  return object[name];
}

/// Whether `value` is a whole number that an int64_t can hold.
bool is_int64(const json &value) {
  return value.is_number_integer() &&
         (!value.is_number_unsigned() || value.get<uint64_t>() <= uint64_t(INT64_MAX));
}

/// Visits the fields of a structure (tutti/manifest.h) and reads them.
class Reader {
public:
  explicit Reader(const json &object) : object(object) {
    if (!object.is_object())
      bad("an entry is not an object");
  }

  template <typename T>
  void value(const char *name, T &member, manifest::Presence presence = manifest::always,
             int64_t least = std::numeric_limits<int64_t>::min()) {
    if (is_there(name, presence))
      read(object[name], name, member, least);
  }
  void count(const char *name, int64_t &member, manifest::Presence presence) {
    if (is_there(name, presence))
      read_count(object[name], name, member);
  }
  void count(const char *name, std::vector<int64_t> &members, manifest::Presence presence) {
    if (is_there(name, presence))
      for (const json &entry : list(object[name], name))
        read_count(entry, name, members.emplace_back());
  }
  void type(const char *name, int32_t &member) {
    std::string spelled;
    value(name, spelled);
    std::optional<int32_t> number = type_from_name(spelled);
    if (!number)
      bad(text("unknown type '", spelled, "'"));
    member = *number;
  }
  template <typename T, typename... Words>
  void word(const char *name, T &member, manifest::Presence presence, Words... words) {
    if (!is_there(name, presence))
      return;
    std::string given, all;
    read(object[name], name, given, 0);
    int place = 0;
    for (const char *word : {words...}) {
      if (given == word) {
        member = T(place);
        return;
      }
      all += text(place++ > 0 ? ", " : "", word);
    }
    bad(text("field '", name, "' is '", given, "', which is none of ", all));
  }
  void either(const char *name, bool &member, const char *no, const char *yes) {
    word(name, member, manifest::always, no, yes);
  }

private:
  /// An evaluation that is null is none.
  bool is_there(const char *name, manifest::Presence presence) const {
    if (presence == manifest::always)
      field(object, name);
    return object.contains(name) && !(presence == manifest::optional && object[name].is_null());
  }
  static const json &list(const json &given, const char *name) {
    if (!given.is_array())
      bad(text("field '", name, "' is not a list"));
    return given;
  }
  static void read(const json &given, const char *name, std::string &member, int64_t) {
    if (!given.is_string())
      bad(text("field '", name, "' is not a string"));
    member = given;
  }
  static void read(const json &given, const char *name, bool &member, int64_t) {
    if (!given.is_boolean())
      bad(text("field '", name, "' is not true or false"));
    member = given;
  }
  static void read(const json &given, const char *name, int64_t &member, int64_t least) {
    if (!is_int64(given))
      bad(text("field '", name, "' is not an integer"));
    if (given.get<int64_t>() < least)
      bad(text("field '", name, "' is not an integer of at least ", least));
    member = given;
  }
  static void read_count(const json &given, const char *name, int64_t &member) {
    member = manifest::PlanEntry::unknown;
    if (!given.is_null())
      read(given, name, member, 0);
  }
  static void read(const json &given, const char *name, double &member, int64_t) {
    if (!given.is_number())
      bad(text("field '", name, "' is not a number"));
    member = given;
  }
  template <typename T>
  static void read(const json &given, const char *name, std::optional<T> &member, int64_t least) {
    read(given, name, member.emplace(), least);
  }
  template <typename T>
  static void read(const json &given, const char *name, std::vector<T> &members, int64_t least) {
    for (const json &entry : list(given, name))
      read(entry, name, members.emplace_back(), least);
  }
  template <typename T>
  static void read(const json &given, const char *name, std::map<std::string, T> &members,
                   int64_t least) {
    if (!given.is_object())
      bad(text("field '", name, "' is not an object"));
    for (const auto &[key, entry] : given.items())
      read(entry, name, members[key], least);
  }
  template <typename... T>
  static void read(const json &given, const char *name, std::tuple<T...> &members, int64_t least) {
    if (list(given, name).size() != sizeof...(T))
      bad(text("field '", name, "' has an entry of ", given.size(), " parts instead of ",
               sizeof...(T)));
    size_t place = 0;
    std::apply([&](T &...member) { (read(given[place++], name, member, least), ...); }, members);
  }
  template <typename T> static void read(const json &given, const char *name, T &member, int64_t) {
    if (!given.is_object())
      bad(text("field '", name, "' is not an object"));
    try {
      T::fields(member, Reader(given));
    } catch (const std::invalid_argument &error) {
      if (given.contains("name") && given["name"].is_string())
        bad(text("'", given["name"].get<std::string>(), "': ", error.what()));
      throw;
    }
  }

  const json &object;
};

void check_size(const Tensor &tensor) {
  Result<int64_t> bytes = data::array_bytes(tensor.type, tensor.shape);
  if (!bytes)
    bad(text("'", tensor.name, "': ", bytes.error().message));
  for (const data::IndexBounds &bounds : tensor.indices)
    if (bounds.high < bounds.low)
      bad(text("'", tensor.name, "': its indices are from ", bounds.low, " to ", bounds.high));
}

template <typename Tensors> void check_sizes(const Tensors &tensors) {
  for (const Tensor &tensor : tensors)
    check_size(tensor);
}

/// Whether a rank of `ranks` holds what the numbers of a variable in blocks say.
bool is_block(const Variable &variable, int64_t ranks) {
  if (variable.dimension >= int64_t(variable.whole.size()) || ranks % variable.parts != 0 ||
      ranks / variable.parts % variable.blocks != 0 || !Blocks::are_in(variable))
    return false;
  std::vector<int64_t> block = Blocks::shape_in(variable);
  if (variable.parts == 1)
    return variable.shape == block;
  int64_t elements = *data::array_bytes(variable.type, block) / type_bytes(variable.type);
  return variable.shape == std::vector<int64_t>{(elements + variable.parts - 1) / variable.parts};
}

/// That it is one of equal blocks of one dimension, or of ranges of it, or a part of one.
void check_block(const Variable &variable, int64_t ranks) {
  if (!is_block(variable, ranks))
    bad(text("'", variable.name, "' is ", data::describe(variable.type, variable.shape),
             ", which is not one of ",
             variable.parts > 1 ? text(variable.parts, " equal parts of one of ") : "",
             variable.blocks, " blocks of ",
             variable.outer > 1 ? text("each of ", variable.outer, " ranges of ") : "",
             data::describe(variable.type, variable.whole), " on ", ranks, " ranks"));
}

void check_variable(const Variable &variable, int64_t ranks) {
  check_size(variable);
  if (variable.placement != Placement::shard)
    return;
  Result<int64_t> bytes = data::array_bytes(variable.type, variable.whole);
  if (!bytes)
    bad(text("'", variable.name, "': ", bytes.error().message));
  int64_t elements = *bytes / type_bytes(variable.type);
  if (variable.blocks > 0)
    return check_block(variable, ranks);
  if (variable.shape.size() != 1 || variable.shape[0] != elements / ranks + (elements % ranks != 0))
    bad(text("'", variable.name, "' is ", data::describe(variable.type, variable.shape),
             ", which is not one of ", ranks, " equal parts of ",
             data::describe(variable.type, variable.whole)));
}

ServedTable checked(manifest::Table given) {
  ServedTable table{std::move(given)};
  std::string whose = "table '" + table.name + "'";
  check_size(table);
  if (!table.is_whole && (table.shape.empty() || table.shape[0] < 1))
    bad(whose + " has no rows");
  if (table.wire != ServedTable::Wire::none && table.type != TUTTI_F32)
    bad(whose + " is not of f32, but travels in 16 bits");
  return table;
}

std::string describe_entry(const manifest::PlanEntry &entry) {
  std::string out = entry.operation;
  if (!entry.reduction.empty())
    out += " " + entry.reduction;
  if (entry.source.empty() || entry.source[0].empty())
    return out;
  if (!entry.table.empty())
    return text(out, " of table '", entry.table, "' for ", entry.source[0]);
  out += " of " + entry.source[0];
  size_t more = entry.source.size() - 1;
  return more == 0 ? out : out + text(" and ", more, " more");
}

/// Whether the ranks of a program have batches of two sizes, and those that exchange by `entry` all
/// of one: they are neighbours, and compute the same samples.
bool follows_own_batch(const manifest::PlanEntry &entry, const Manifest &manifest) {
  int64_t neighbours = manifest.neighbours, shares = manifest.ranks / neighbours;
  if (manifest.batch_policy != "weighted" || manifest.samples_per_step % shares == 0)
    return false;
  auto is_own = [&](const std::vector<int64_t> &set) {
    return std::all_of(set.begin(), set.end(),
                       [&](int64_t rank) { return rank / neighbours == set[0] / neighbours; });
  };
  return std::any_of(manifest.groups.begin(), manifest.groups.end(), [&](const auto &group) {
    return group.name == entry.group && group.members == "ranks" &&
           std::all_of(group.sets.begin(), group.sets.end(), is_own);
  });
}

/// What the plan of one rank must have in common with that of others: all but the prediction, and
/// but sizes that are those of a part of the ranks.
PlanEntry plan_entry_of(manifest::PlanEntry given, json text_of_it, const Manifest &manifest) {
  PlanEntry entry{std::move(given), "", "", ""};
  entry.description = describe_entry(entry);
  if (!entry.table.empty())
    entry.exchange = text(entry.function, " ", entry.operation, " of ", entry.table, ", ",
                          entry.type, " as ", entry.wire);
  text_of_it.erase("predicted_seconds");
  if (follows_own_batch(entry, manifest))
    for (const char *size : {"bytes", "elements"})
      text_of_it.erase(size);
  entry.line = text_of_it.dump();
  return entry;
}

/// A metric has values for each sample, or one number of the batch.
void check_metrics(const Manifest::Evaluation &evaluation) {
  for (size_t m = 0; m < evaluation.metrics.size(); ++m) {
    const Tensor &metric = evaluation.metrics[m];
    auto complain = [&](const auto &...wanted) {
      bad(text("metric of evaluate '", metric.name, "' is ",
               data::describe(metric.type, metric.shape), wanted...));
    };
    if (evaluation.means[m].is_of_batch() && !metric.shape.empty())
      complain(", but should be one number of the batch");
    bool has_values = !evaluation.means[m].is_of_batch();
    if (has_values && (metric.shape.empty() || metric.shape[0] != evaluation.batch))
      complain(", its first dimension should be the batch of ", evaluation.batch);
  }
}

/// Inputs have their samples along the dimension that they name.
void check_samples(const std::vector<Tensor> &inputs, int64_t batch, const char *what) {
  for (const Tensor &input : inputs)
    if (input.axis >= int64_t(input.shape.size()) || input.shape[input.axis] != batch)
      bad(text(what, " '", input.name, "' is ", data::describe(input.type, input.shape),
               ", its dimension ", input.axis, " should be the batch of ", batch));
}

void take_step(manifest::Step step, Manifest &manifest) {
  manifest.inputs = std::move(step.inputs);
  manifest.metrics = std::move(step.metrics);
  manifest.outputs = std::move(step.outputs);
  manifest.hyperparameters = std::move(step.hyperparameters);
  check_sizes(manifest.inputs);
  check_sizes(manifest.metrics);
  check_sizes(manifest.outputs);
  for (const Hyperparameter &parameter : manifest.hyperparameters)
    check_size(parameter.tensor);
  check_samples(manifest.inputs, manifest.local_batch, "input");
  for (const Tensor &metric : manifest.metrics)
    if (*data::array_bytes(metric.type, metric.shape) != type_bytes(metric.type))
      bad(text("metric '", metric.name, "' of the step is not a scalar"));
}

/// The metric beside `own` at `place`, which `what` names; -1 without one.
int64_t beside(std::optional<int64_t> place, const char *what, const char *done, const Tensor &own,
               const std::vector<manifest::Metric> &metrics) {
  if (!place)
    return -1;
  if (*place >= int64_t(metrics.size()))
    bad(text("metric of evaluate '", own.name, "' is ", done, " by a metric that is not there"));
  if (const Tensor &other = metrics[*place]; other.shape != own.shape)
    bad(text("metric of evaluate '", own.name, "' is ", data::describe(own.type, own.shape),
             ", its ", what, " is ", data::describe(other.type, other.shape)));
  return *place;
}

/// How the values of each metric become one number.
std::vector<Manifest::Mean> means_of(const std::vector<manifest::Metric> &metrics) {
  std::vector<Manifest::Mean> means(metrics.size());
  for (size_t m = 0; m < metrics.size(); ++m) {
    means[m].is_exponential = metrics[m].is_exponential;
    means[m].is_sum = metrics[m].is_sum;
    means[m].batches = metrics[m].batches;
    means[m].weight = beside(metrics[m].weight, "weight", "weighed", metrics[m], metrics);
    means[m].label = beside(metrics[m].label, "label", "labelled", metrics[m], metrics);
  }
  for (size_t m = 0; m < metrics.size(); ++m) {
    if (means[m].weight >= 0)
      means[means[m].weight].is_weight = true;
    if (means[m].label >= 0)
      means[means[m].label].is_label = true;
  }
  return means;
}

Manifest::Evaluation evaluation_of(manifest::Evaluation given, const Manifest &manifest) {
  Manifest::Evaluation evaluation;
  evaluation.batch = given.batch;
  evaluation.variables = std::move(given.variables);
  for (int64_t index : evaluation.variables)
    if (index >= int64_t(manifest.variables.size()))
      bad("evaluate names a variable that is not there");
  evaluation.inputs = std::move(given.inputs);
  evaluation.metrics = {given.metrics.begin(), given.metrics.end()};
  check_sizes(evaluation.inputs);
  check_sizes(evaluation.metrics);
  check_samples(evaluation.inputs, evaluation.batch, "input of evaluate");
  evaluation.means = means_of(given.metrics);
  check_metrics(evaluation);
  return evaluation;
}

DeclaredGroup group_of(manifest::Group given, const json &text_of_it, int64_t ranks) {
  DeclaredGroup group{std::move(given), text_of_it.dump()};
  if (group.members != "ranks" && group.members != "per_node" && group.members != "across_nodes" &&
      group.members != "at_run_time")
    bad(text("group '", group.name, "' has unknown members '", group.members, "'"));
  if (group.members == "ranks")
    field(text_of_it, "sets");
  for (const std::vector<int64_t> &set : group.sets) {
    if (set.empty())
      bad("a set of a group is not a list of ranks");
    for (int64_t rank : set)
      if (rank < 0 || rank >= ranks)
        bad(text("a group has the member ", rank, ", but there are ", ranks, " ranks"));
  }
  return group;
}

/// As few as there are variables, so that nobody makes room for more.
void check_uses(const std::vector<Variable> &variables) {
  for (const Variable &variable : variables)
    if (variable.use && *variable.use >= int64_t(variables.size()))
      bad(text("variable '", variable.name, "' has use ", *variable.use, " of ", variables.size(),
               " at most"));
}

/// The version goes first: another one may have other fields.
manifest::Manifest read_fields(const json &root) {
  int64_t abi = 0;
  Reader(root).value("abi", abi);
  if (abi != TUTTI_ABI_VERSION)
    bad(text("it is compiled for version ", abi, " of the runtime, this is ", TUTTI_ABI_VERSION,
             "; compile it again"));
  manifest::Manifest given;
  manifest::Manifest::fields(given, Reader(root));
  return given;
}

Manifest parse_checked(const json &root) {
  manifest::Manifest given = read_fields(root);
  Manifest manifest;
  manifest.program = given.program;
  manifest.fingerprint = given.fingerprint;
  manifest.batch_policy = given.batch_policy;
  manifest.ranks = given.ranks;
  manifest.global_batch = given.global_batch;
  manifest.local_batch = given.local_batch;
  manifest.samples_per_step = given.samples_per_step;
  manifest.shard_mode = given.shard;
  manifest.neighbours = given.neighbours;
  if (manifest.neighbours < 1 || manifest.ranks % manifest.neighbours != 0)
    bad(text(manifest.ranks, " ranks are no groups of ", manifest.neighbours, " neighbours"));
  manifest.arena_bytes = std::max({given.arena.initialize, given.arena.step, given.arena.prefetch});
  manifest.repeated = given.repeated;
  manifest.window = given.window;
  manifest.variables = std::move(given.variables);
  for (const Variable &variable : manifest.variables)
    check_variable(variable, manifest.ranks);
  check_uses(manifest.variables);
  take_step(std::move(given.step), manifest);
  if (given.evaluate) {
    manifest.evaluation = evaluation_of(std::move(*given.evaluate), manifest);
    manifest.evaluation->arena_bytes = given.arena.evaluate;
  }
  for (size_t i = 0; i < given.groups.size(); ++i)
    manifest.groups.push_back(
        group_of(std::move(given.groups[i]), root["groups"][i], manifest.ranks));
  manifest.values = std::move(given.values);
  for (manifest::Table &table : given.tables) {
    if (table.neighbours != 1 && table.neighbours != manifest.neighbours)
      bad(text("table '", table.name, "' counts ", table.neighbours,
               " workers as one, of which the program has ", manifest.neighbours));
    manifest.tables.push_back(checked(std::move(table)));
  }
  for (size_t i = 0; i < given.plan.size(); ++i)
    manifest.plan.push_back(plan_entry_of(std::move(given.plan[i]), root["plan"][i], manifest));
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  if (manifest.memory_bytes() == most ||
      manifest.state_bytes() > most / 2) // in pages, they are more
    bad("its tensors and arenas need more memory than can be counted");
  return manifest;
}

} // namespace

Result<Manifest> Manifest::parse(std::string_view text) {
  Result<json> parsed = parse_json_object(text, TUTTI_BAD_PROGRAM);
  if (!parsed)
    return Error::make(TUTTI_BAD_PROGRAM, "bad manifest: ", parsed.error().message);
  try {
    return parse_checked(*parsed);
  } catch (const std::exception &error) {
    return Error::make(TUTTI_BAD_PROGRAM, "bad manifest: ", error.what());
  }
}

} // namespace tutti::runtime::worker
