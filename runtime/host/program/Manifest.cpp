// Parsing manifests. The text comes from a compiler that may be of another version, so every field
// is checked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/Manifest.h"

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

const json &field(const json &object, const char *name) {
  if (!object.is_object() || !object.contains(name))
    bad(text("field '", name, "' is missing"));
  return object[name];
}

std::string string_of(const json &object, const char *name) {
  const json &value = field(object, name);
  if (!value.is_string())
    bad(text("field '", name, "' is not a string"));
  return value;
}

bool truth_of(const json &object, const char *name) {
  const json &value = field(object, name);
  if (!value.is_boolean())
    bad(text("field '", name, "' is not true or false"));
  return value;
}

/// Whether `value` is a whole number that an int64_t can hold.
bool is_int64(const json &value) {
  return value.is_number_integer() &&
         (!value.is_number_unsigned() || value.get<uint64_t>() <= uint64_t(INT64_MAX));
}

int64_t integer_of(const json &object, const char *name, int64_t least) {
  const json &value = field(object, name);
  if (!is_int64(value) || value.get<int64_t>() < least)
    bad(text("field '", name, "' is not an integer of at least ", least));
  return value;
}

const json &list_of(const json &object, const char *name) {
  const json &value = field(object, name);
  if (!value.is_array())
    bad(text("field '", name, "' is not a list"));
  return value;
}

std::vector<int64_t> shape_of(const json &entry, const char *field, const std::string &tensor) {
  std::vector<int64_t> shape;
  for (const json &dim : list_of(entry, field)) {
    if (!is_int64(dim))
      bad(text("'", tensor, "' has a dimension that is not an integer"));
    shape.push_back(dim);
  }
  return shape;
}

Tensor tensor_of(const json &entry) {
  Tensor tensor;
  tensor.name = string_of(entry, "name");
  std::string type = string_of(entry, "type");
  std::optional<int32_t> number = type_from_name(type);
  if (!number)
    bad(text("'", tensor.name, "' has the unknown type '", type, "'"));
  tensor.type = *number;
  tensor.shape = shape_of(entry, "shape", tensor.name);
  Result<int64_t> bytes = data::array_bytes(tensor.type, tensor.shape);
  if (!bytes)
    bad(text("'", tensor.name, "': ", bytes.error().message));
  return tensor;
}

data::IndexBounds bounds_of(const json &entry) {
  data::IndexBounds bounds;
  constexpr int64_t any = std::numeric_limits<int64_t>::min();
  bounds.low = integer_of(entry, "low", any);
  bounds.high = integer_of(entry, "high", bounds.low);
  if (entry.contains("ignored"))
    bounds.ignored = integer_of(entry, "ignored", any);
  bounds.node = string_of(entry, "node");
  bounds.is_class = string_of(entry, "of") == "classes";
  return bounds;
}

/// A tensor that the program is given.
Tensor input_of(const json &entry) {
  Tensor input = tensor_of(entry);
  if (entry.contains("indices"))
    for (const json &bounds : list_of(entry, "indices"))
      input.indices.push_back(bounds_of(bounds));
  if (entry.contains("labels"))
    input.holds_labels = truth_of(entry, "labels");
  if (entry.contains("axis"))
    input.axis = integer_of(entry, "axis", 0);
  return input;
}

std::vector<int64_t> whole_of(const json &entry, const Tensor &part, int64_t ranks) {
  std::vector<int64_t> whole = shape_of(entry, "whole", part.name);
  Result<int64_t> bytes = data::array_bytes(part.type, whole);
  if (!bytes)
    bad(text("'", part.name, "': ", bytes.error().message));
  int64_t elements = *bytes / type_bytes(part.type);
  if (part.shape.size() != 1 || part.shape[0] != elements / ranks + (elements % ranks != 0))
    bad(text("'", part.name, "' is ", data::describe(part.type, part.shape),
             ", which is not one of ", ranks, " equal parts of ",
             data::describe(part.type, whole)));
  return whole;
}

Variable variable_of(const json &entry, int64_t ranks) {
  Variable variable;
  static_cast<Tensor &>(variable) = tensor_of(entry);
  variable.kind = string_of(entry, "class");
  std::string placement = entry.contains("placement") ? string_of(entry, "placement") : "replicate";
  if (placement == "per_rank") {
    variable.placement = Placement::per_rank;
  } else if (placement == "shard") {
    variable.placement = Placement::shard;
    variable.whole = whole_of(entry, variable, ranks);
  } else if (placement != "replicate") {
    bad(text("'", variable.name, "' has the unknown placement '", placement, "'"));
  }
  return variable;
}

bool truth_of(const json &object, const char *name, const std::string &whose) {
  const json &value = field(object, name);
  if (!value.is_boolean())
    bad(text(whose, ": field '", name, "' is neither true nor false"));
  return value;
}

Value value_of(const json &entry) {
  Value value{string_of(entry, "name"), integer_of(entry, "bytes", 1), false};
  value.is_initial = truth_of(entry, "initial", "value '" + value.name + "'");
  return value;
}

double number_of(const json &object, const char *name) {
  const json &value = field(object, name);
  if (!value.is_number())
    bad(text("field '", name, "' is not a number"));
  return value;
}

/// Which of `words` the field is.
template <typename Enum>
Enum word_of(const json &object, const char *name, std::initializer_list<const char *> words) {
  std::string given = string_of(object, name), all;
  int place = 0;
  for (const char *word : words) {
    if (given == word)
      return Enum(place);
    all += text(place++ > 0 ? ", " : "", word);
  }
  bad(text("field '", name, "' is '", given, "', which is none of ", all));
}

ServedTable table_of(const json &entry) {
  ServedTable table;
  static_cast<Tensor &>(table) = tensor_of(entry);
  std::string whose = "table '" + table.name + "'";
  table.is_whole = truth_of(entry, "whole", whose);
  table.is_asynchronous = truth_of(entry, "asynchronous", whose);
  table.staleness = integer_of(entry, "staleness", -1);
  table.warm_up = table.is_asynchronous ? integer_of(entry, "warm_up", 0) : 0;
  if (!table.is_whole && (table.shape.empty() || table.shape[0] < 1))
    bad(whose + " has no rows");
  const json &initial = field(entry, "initial");
  table.initial =
      word_of<ServedTable::Initial>(initial, "distribution", {"given", "uniform", "normal"});
  if (table.initial != ServedTable::Initial::given) {
    table.first = number_of(initial, "first");
    table.second = number_of(initial, "second");
  }
  for (const json &state : list_of(entry, "states"))
    table.states.push_back({string_of(state, "name"), number_of(state, "value"),
                            word_of<int>(state, "per", {"element", "row"}) == 1});
  table.placement = word_of<ServedTable::Placement>(entry, "placement", {"range", "hash"});
  table.wire = word_of<ServedTable::Wire>(entry, "wire", {"none", "bf16", "f16"});
  if (table.wire != ServedTable::Wire::none && table.type != TUTTI_F32)
    bad(whose + " is not of f32, but travels in 16 bits");
  table.is_mean = word_of<int>(entry, "reduction", {"mean", "sum"}) == 0;
  table.line = string_of(entry, "plan");
  return table;
}

/// A list that may be absent.
std::vector<Tensor> tensors_of(const json &object, const char *name,
                               Tensor (*one)(const json &) = tensor_of) {
  std::vector<Tensor> tensors;
  if (object.contains(name))
    for (const json &entry : list_of(object, name))
      tensors.push_back(one(entry));
  return tensors;
}

std::string describe_entry(const json &entry) {
  std::string out = string_of(entry, "op");
  if (entry.contains("reduction") && entry["reduction"].is_string() && entry["reduction"] != "")
    out += " " + entry["reduction"].get<std::string>();
  if (!entry.contains("source") || !entry["source"].is_array() || entry["source"].empty() ||
      !entry["source"][0].is_string() || entry["source"][0] == "")
    return out;
  if (entry.contains("table"))
    return text(out, " of table '", string_of(entry, "table"), "' for ",
                entry["source"][0].get<std::string>());
  out += " of " + entry["source"][0].get<std::string>();
  size_t more = entry["source"].size() - 1;
  return more == 0 ? out : out + text(" and ", more, " more");
}

/// What the plan of one rank must have in common with that of others: all but the prediction.
PlanEntry plan_entry_of(json entry) {
  PlanEntry planned{integer_of(entry, "id", 0), "", describe_entry(entry), "", -1, ""};
  if (entry.contains("function"))
    planned.function = string_of(entry, "function");
  if (entry.contains("table"))
    planned.at_servers =
        text(planned.function, " ", string_of(entry, "op"), " of ", string_of(entry, "table"), ", ",
             string_of(entry, "type"), " as ", string_of(entry, "wire"));
  if (entry.contains("predicted_seconds")) {
    if (!entry["predicted_seconds"].is_number())
      bad("field 'predicted_seconds' of the plan is not a number");
    planned.predicted_seconds = entry["predicted_seconds"];
    entry.erase("predicted_seconds");
  }
  planned.line = entry.dump();
  return planned;
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

void parse_step(const json &step, Manifest &manifest) {
  manifest.inputs = tensors_of(step, "inputs", input_of);
  manifest.metrics = tensors_of(step, "metrics");
  manifest.outputs = tensors_of(step, "outputs");
  check_samples(manifest.inputs, manifest.local_batch, "input");
  if (step.contains("hyperparameters"))
    for (const json &entry : list_of(step, "hyperparameters")) {
      if (!field(entry, "value").is_number())
        bad("a hyperparameter's value is not a number");
      manifest.hyperparameters.push_back({tensor_of(entry), entry["value"].get<double>()});
    }
  for (const Tensor &metric : manifest.metrics)
    if (*data::array_bytes(metric.type, metric.shape) != type_bytes(metric.type))
      bad(text("metric '", metric.name, "' of the step is not a scalar"));
}

/// The metric, of the shape of `own`, that field `what` of its entry names; -1 without the field.
int64_t beside(const json &entry, const char *what, const char *done, const Tensor &own,
               const std::vector<Tensor> &metrics) {
  if (!entry.contains(what))
    return -1;
  int64_t place = integer_of(entry, what, 0);
  if (place >= int64_t(metrics.size()))
    bad(text("metric of evaluate '", own.name, "' is ", done, " by a metric that is not there"));
  if (const Tensor &other = metrics[place]; other.shape != own.shape)
    bad(text("metric of evaluate '", own.name, "' is ", data::describe(own.type, own.shape),
             ", its ", what, " is ", data::describe(other.type, other.shape)));
  return place;
}

/// How the values of metric number `which` become one number.
Manifest::Mean mean_of(const json &entry, size_t which, const std::vector<Tensor> &metrics) {
  Manifest::Mean mean;
  if (entry.contains("exponential"))
    mean.is_exponential = truth_of(entry, "exponential");
  if (entry.contains("sum"))
    mean.is_sum = truth_of(entry, "sum");
  if (entry.contains("batches"))
    mean.batches = word_of<Manifest::Mean::Batches>(entry, "batches",
                                                    {"none", "mean", "sum", "max", "min", "whole"});
  mean.weight = beside(entry, "weight", "weighed", metrics[which], metrics);
  mean.label = beside(entry, "label", "labelled", metrics[which], metrics);
  return mean;
}

std::vector<Manifest::Mean> means_of(const json &entries, const std::vector<Tensor> &metrics) {
  std::vector<Manifest::Mean> means;
  for (size_t m = 0; m < metrics.size(); ++m)
    means.push_back(mean_of(entries[m], m, metrics));
  for (size_t m = 0; m < metrics.size(); ++m) {
    if (means[m].weight >= 0)
      means[means[m].weight].is_weight = true;
    if (means[m].label >= 0)
      means[means[m].label].is_label = true;
  }
  return means;
}

void parse_evaluation(const json &entry, Manifest &manifest) {
  Manifest::Evaluation evaluation;
  evaluation.batch = integer_of(entry, "batch", 1);
  for (const json &index : list_of(entry, "variables")) {
    if (!index.is_number_unsigned() || index.get<uint64_t>() >= manifest.variables.size())
      bad("evaluate names a variable that is not there");
    evaluation.variables.push_back(index);
  }
  evaluation.inputs = tensors_of(entry, "inputs", input_of);
  evaluation.metrics = tensors_of(entry, "metrics");
  check_samples(evaluation.inputs, evaluation.batch, "input of evaluate");
  evaluation.means = means_of(list_of(entry, "metrics"), evaluation.metrics);
  check_metrics(evaluation);
  manifest.evaluation = std::move(evaluation);
}

std::vector<std::vector<int64_t>> sets_of(const json &entry, int64_t ranks) {
  std::vector<std::vector<int64_t>> sets;
  for (const json &set : list_of(entry, "sets")) {
    if (!set.is_array() || set.empty())
      bad("a set of a group is not a list of ranks");
    for (const json &rank : set)
      if (!rank.is_number_integer() || rank.get<int64_t>() < 0 || rank.get<int64_t>() >= ranks)
        bad(text("a group has the member ", rank.dump(), ", but there are ", ranks, " ranks"));
    sets.push_back(set.get<std::vector<int64_t>>());
  }
  return sets;
}

DeclaredGroup group_of(const json &entry, int64_t ranks) {
  DeclaredGroup group;
  group.number = integer_of(entry, "number", 1);
  group.name = string_of(entry, "name");
  group.members = string_of(entry, "members");
  if (group.members == "ranks")
    group.sets = sets_of(entry, ranks);
  else if (group.members != "per_node" && group.members != "across_nodes" &&
           group.members != "at_run_time")
    bad(text("group '", group.name, "' has unknown members '", group.members, "'"));
  if (entry.contains("size"))
    group.size = integer_of(entry, "size", 1);
  group.line = entry.dump();
  return group;
}

Manifest parse_checked(const json &root) {
  Manifest manifest;
  if (int64_t abi = integer_of(root, "abi", 0); abi != TUTTI_ABI_VERSION)
    bad(text("it is compiled for version ", abi, " of the runtime, this is ", TUTTI_ABI_VERSION,
             "; compile it again"));
  manifest.program = string_of(root, "program");
  manifest.fingerprint = string_of(root, "fingerprint");
  manifest.batch_policy = string_of(root, "batch_policy");
  manifest.ranks = integer_of(root, "ranks", 1);
  manifest.global_batch = integer_of(root, "global_batch", 1);
  manifest.local_batch = integer_of(root, "local_batch", 1);
  manifest.samples_per_step = integer_of(root, "samples_per_step", 1);
  std::optional<int32_t> mode = shard_from_name(string_of(root, "shard"));
  if (!mode)
    bad("field 'shard' is not none, strided or contiguous");
  manifest.shard_mode = *mode;
  for (const auto &[name, bytes] : field(root, "arena").items())
    if (int64_t own = integer_of(root["arena"], name.c_str(), 0); name != "evaluate")
      manifest.arena_bytes = std::max(manifest.arena_bytes, own);
  if (root.contains("repeated"))
    manifest.repeated = integer_of(root, "repeated", 0);
  for (const json &entry : list_of(root, "variables"))
    manifest.variables.push_back(variable_of(entry, manifest.ranks));
  parse_step(field(root, "step"), manifest);
  if (root.contains("evaluate") && !root["evaluate"].is_null())
    parse_evaluation(root["evaluate"], manifest);
  if (manifest.evaluation && root["arena"].contains("evaluate"))
    manifest.evaluation->arena_bytes = root["arena"]["evaluate"];
  if (root.contains("groups"))
    for (const json &entry : list_of(root, "groups"))
      manifest.groups.push_back(group_of(entry, manifest.ranks));
  if (root.contains("values"))
    for (const json &entry : list_of(root, "values"))
      manifest.values.push_back(value_of(entry));
  if (root.contains("tables"))
    for (const json &entry : list_of(root, "tables"))
      manifest.tables.push_back(table_of(entry));
  for (const json &entry : list_of(root, "plan"))
    manifest.plan.push_back(plan_entry_of(entry));
  if (manifest.memory_bytes() == std::numeric_limits<int64_t>::max())
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
