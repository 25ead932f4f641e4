// Manifests: what is read from them, and that each wrong field is named; configurations of ranks
// likewise.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/Manifest.h"
#include "runtime/host/program/DeclaredGroups.h"
#include "runtime/host/run/RunConfig.h"
#include "test/runtime/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using nlohmann::json;
using testing::HasSubstr;

namespace {

json good() {
  return json::parse(R"({
    "abi": 7, "program": "p", "fingerprint": "f", "ranks": 2, "global_batch": 8, "local_batch": 4,
    "samples_per_step": 8, "batch_policy": "error", "shard": "contiguous",
    "arena": {"initialize": 10, "step": 300, "evaluate": 20},
    "variables": [{"name": "w", "class": "trainable", "type": "f32", "shape": [2, 3]}],
    "step": {"inputs": [{"name": "x", "type": "f32", "shape": [4, 2]}],
             "hyperparameters": [{"name": "lr", "type": "f32", "shape": [], "value": 0.5}],
             "metrics": [{"name": "loss", "type": "f32", "shape": []}], "outputs": []},
    "evaluate": {"variables": [0], "batch": 3, "inputs": [{"name": "x", "type": "f32", "shape": [3, 2]}],
                 "metrics": [{"name": "loss", "type": "f32", "shape": [3]}]},
    "groups": [{"number": 1, "name": "pair", "members": "ranks", "sets": [[1, 0]]},
               {"number": 2, "name": "node", "members": "per_node", "size": 2}],
    "values": [{"name": "w", "bytes": 24, "initial": true}],
    "plan": [{"id": 0, "op": "all_reduce", "reduction": "mean", "source": ["w", "b", "c"]}]})");
}

/// The complaint about a manifest whose value at `pointer` is `value`.
std::string complaint(const char *pointer, const json &value) {
  json changed = good();
  changed[json::json_pointer(pointer)] = value;
  Result<Manifest> manifest = Manifest::parse(changed.dump());
  return manifest ? "no error" : manifest.error().message;
}

std::string complaint_without(const char *field) {
  json changed = good();
  changed.erase(field);
  Result<Manifest> manifest = Manifest::parse(changed.dump());
  return manifest ? "no error" : manifest.error().message;
}

} // namespace

TEST(Manifest, placements_are_read_and_checked) {
  json some = good();
  some["variables"].push_back({{"name", "m"},
                               {"class", "state"},
                               {"type", "f32"},
                               {"shape", {4}},
                               {"placement", "shard"},
                               {"whole", {7, 1}}});
  some["variables"].push_back({{"name", "e"},
                               {"class", "state"},
                               {"type", "f32"},
                               {"shape", {7}},
                               {"placement", "per_rank"}});
  Result<Manifest> manifest = Manifest::parse(some.dump());
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(manifest->variables[0].placement, Placement::replicate);
  EXPECT_EQ(manifest->variables[0].kind, "trainable");
  EXPECT_EQ(manifest->variables[1].placement, Placement::shard);
  EXPECT_EQ(manifest->variables[1].whole, (std::vector<int64_t>{7, 1}));
  EXPECT_EQ(manifest->variables[2].placement, Placement::per_rank);
  auto complaint_of = [&](const char *field, const json &value) {
    json changed = some;
    changed["variables"][1][field] = value;
    return Manifest::parse(changed.dump()).error().message;
  };
  EXPECT_THAT(complaint_of("placement", "half"),
              HasSubstr("'m': field 'placement' is 'half', which is none of replicate, "
                        "shard, per_rank"));
  EXPECT_THAT(complaint_of("whole", {8, 8}),
              HasSubstr("'m' is f32 [4], which is not one of 2 equal parts of f32 [8, 8]"));
  EXPECT_THAT(complaint_of("whole", {"x"}), HasSubstr("'m': field 'whole' is not an integer"));
  EXPECT_THAT(complaint_of("whole", {-7}), HasSubstr("'m': "));
  EXPECT_THAT(complaint_of("whole", 7), HasSubstr("field 'whole' is not a list"));
}

TEST(Manifest, blocks_and_parts_of_them_are_checked) {
  auto complaint_of = [](const std::string &fields) {
    return complaint("/variables/1", json::parse(R"({"name": "m", "class": "state", "type": "f32",
        "placement": "shard", "whole": [4, 6], )" +
                                                 fields + "}"));
  };
  EXPECT_EQ(complaint_of(R"("shape": [4, 3], "blocks": 2, "dimension": 1, "outer": 3)"),
            "no error");
  EXPECT_EQ(complaint_of(R"("shape": [12], "blocks": 1, "parts": 2)"), "no error");
  EXPECT_THAT(complaint_of(R"("shape": [11], "blocks": 1, "parts": 2)"),
              HasSubstr("'m' is f32 [11], which is not one of 2 equal parts of one of 1 blocks of "
                        "f32 [4, 6] on 2 ranks"));
  EXPECT_THAT(complaint_of(R"("shape": [12], "blocks": 2, "parts": 2)"), HasSubstr("'m' is f32"));
}

TEST(Manifest, groups_are_read_and_checked) {
  Result<Manifest> manifest = Manifest::parse(good().dump());
  ASSERT_TRUE(manifest) << manifest.error().message;
  ASSERT_EQ(manifest->groups.size(), 2u);
  EXPECT_EQ(manifest->groups[0].number, 1);
  EXPECT_EQ(manifest->groups[0].sets, (std::vector<std::vector<int64_t>>{{1, 0}}));
  EXPECT_EQ(manifest->groups[0].size, 0);
  EXPECT_EQ(manifest->groups[1].size, 2);
  // Ranks compare their groups with their plans.
  EXPECT_THAT(manifest->plan_text(), HasSubstr("per_node"));
  EXPECT_THAT(complaint("/groups/0/number", 0),
              HasSubstr("'number' is not an integer of at least 1"));
  EXPECT_THAT(complaint("/groups/0/members", "all"),
              HasSubstr("group 'pair' has unknown members 'all'"));
  EXPECT_THAT(complaint("/groups/0/sets/0/0", 2),
              HasSubstr("a group has the member 2, but there are 2 ranks"));
  EXPECT_THAT(complaint("/groups/0/sets/0", json::array()), HasSubstr("is not a list of ranks"));
  EXPECT_THAT(complaint("/groups/1/size", 0), HasSubstr("'size' is not an integer of at least 1"));
}

TEST(DeclaredGroups, sets_follow_the_nodes) {
  using Sets = std::vector<std::vector<int64_t>>;
  std::vector<int64_t> node_of_rank = {0, 1, 0, 1, 0}; // three ranks on one node, two on the other
  DeclaredGroup node{1, "node", "per_node", {}, 0, ""},
      cross{2, "cross", "across_nodes", {}, 0, ""};
  EXPECT_EQ(*sets_of(node, node_of_rank), (Sets{{0, 2, 4}, {1, 3}}));
  EXPECT_EQ(*sets_of(cross, node_of_rank), (Sets{{0, 1}, {2, 3}, {4}}));
  EXPECT_EQ(*sets_of({3, "pair", "ranks", {{4, 1}}, 2, ""}, node_of_rank), (Sets{{4, 1}}));
  EXPECT_TRUE(sets_of({4, "later", "at_run_time", {}, 2, ""}, node_of_rank)->empty());
}

TEST(DeclaredGroups, a_size_that_the_program_relies_on_is_checked) {
  DeclaredGroup node{1, "node", "per_node", {}, 2, ""};
  EXPECT_TRUE(sets_of(node, {0, 0, 1, 1}));
  auto sets = sets_of(node, {0, 0, 1, 1, 1});
  ASSERT_FALSE(sets);
  EXPECT_THAT(sets.error().message,
              HasSubstr("the program relies on 2 ranks in each set of group 'node' (per_node), but "
                        "the set of rank 2 has 3"));
}

TEST(Manifest, is_read_whole) {
  Result<Manifest> manifest = Manifest::parse(good().dump());
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(manifest->program, "p");
  EXPECT_EQ(manifest->ranks, 2);
  EXPECT_EQ(manifest->shard_mode, TUTTI_SHARD_CONTIGUOUS);
  EXPECT_EQ(manifest->arena_bytes, 300);
  EXPECT_EQ(manifest->variables[0].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(manifest->hyperparameters[0].value, 0.5);
  EXPECT_EQ(manifest->evaluation->batch, 3);
  EXPECT_EQ(manifest->plan[0].description, "all_reduce mean of w and 2 more");
  EXPECT_GE(manifest->memory_bytes(), 300 + 24 + 32 + 4 + 4);
}

TEST(Manifest, predictions_are_read_and_not_compared_between_ranks) {
  Manifest without = *Manifest::parse(good().dump());
  EXPECT_LT(without.plan[0].predicted_seconds, 0);
  json predicted = good();
  predicted["plan"][0]["predicted_seconds"] = 0.5;
  predicted["plan"][0]["function"] = "step";
  Manifest with = *Manifest::parse(predicted.dump());
  EXPECT_EQ(with.plan[0].predicted_seconds, 0.5);
  EXPECT_EQ(with.plan[0].function, "step");
  predicted["plan"][0]["predicted_seconds"] = 0.25;
  EXPECT_EQ(Manifest::parse(predicted.dump())->plan_text(), with.plan_text());
  EXPECT_THAT(complaint("/plan/0/predicted_seconds", "soon"),
              HasSubstr("field 'predicted_seconds' is not a number"));
}

TEST(Manifest, values_are_read_and_checked) {
  Manifest with = *Manifest::parse(good().dump());
  ASSERT_EQ(with.values.size(), 1u);
  EXPECT_EQ(with.values[0].name, "w");
  EXPECT_EQ(with.values[0].bytes, 24);
  EXPECT_TRUE(with.values[0].is_initial);
  EXPECT_EQ(complaint_without("values"), "no error");
  EXPECT_THAT(complaint("/values", 3), HasSubstr("field 'values' is not a list"));
  EXPECT_THAT(complaint("/values/0/name", 3), HasSubstr("field 'name' is not a string"));
  EXPECT_THAT(complaint("/values/0/bytes", 0), HasSubstr("'bytes' is not an integer of at least"));
  EXPECT_THAT(complaint("/values/0/initial", "yes"),
              HasSubstr("'w': field 'initial' is not true or false"));
}

TEST(Manifest, may_lack_evaluation) { EXPECT_EQ(complaint_without("evaluate"), "no error"); }

TEST(Manifest, names_missing_fields) {
  for (const char *field :
       {"abi", "program", "fingerprint", "ranks", "global_batch", "local_batch", "samples_per_step",
        "batch_policy", "shard", "arena", "variables", "step", "plan"})
    EXPECT_THAT(complaint_without(field), HasSubstr(text("field '", field, "' is missing")));
}

TEST(Manifest, names_wrong_fields) {
  EXPECT_THAT(complaint("/abi", 2), HasSubstr("compiled for version 2 of the runtime, this is 7"));
  EXPECT_THAT(complaint("/program", 3), HasSubstr("field 'program' is not a string"));
  EXPECT_THAT(complaint("/ranks", 0), HasSubstr("'ranks' is not an integer of at least 1"));
  EXPECT_THAT(complaint("/ranks", "2"), HasSubstr("'ranks' is not an integer"));
  EXPECT_THAT(complaint("/shard", "diagonal"),
              HasSubstr("'shard' is 'diagonal', which is none of none, strided"));
  EXPECT_THAT(complaint("/variables", 3), HasSubstr("field 'variables' is not a list"));
  EXPECT_THAT(complaint("/variables/0/type", "f31"), HasSubstr("'w': unknown type 'f31'"));
  EXPECT_THAT(complaint("/variables/0/shape/0", -2), HasSubstr("'w': a dimension is negative"));
  EXPECT_THAT(complaint("/variables/0/shape/0", 0.5),
              HasSubstr("'w': field 'shape' is not an integer"));
  EXPECT_THAT(complaint("/step/inputs/0/shape/0", 5), HasSubstr("input 'x' is f32 [5, 2]"));
  EXPECT_THAT(complaint("/step/metrics/0/shape", {4}), HasSubstr("metric 'loss' of the step"));
  EXPECT_THAT(complaint("/step/hyperparameters/0/value", "x"), HasSubstr("is not a number"));
  EXPECT_THAT(complaint("/evaluate/variables/0", 1), HasSubstr("a variable that is not there"));
  EXPECT_THAT(complaint("/evaluate/metrics/0/shape", json::array()), HasSubstr("metric of eval"));
}

TEST(Manifest, weights_of_metrics_are_read_and_checked) {
  json some = good();
  some["evaluate"]["metrics"] = json::parse(
      R"([{"name": "loss", "type": "f32", "shape": [3, 2], "weight": 1},
          {"name": "weight", "type": "f64", "shape": [3, 2]},
          {"name": "ppl", "type": "f32", "shape": [3, 2], "weight": 1, "exponential": true},
          {"name": "accuracy", "type": "f32", "shape": [3]}])");
  Result<Manifest> manifest = Manifest::parse(some.dump());
  ASSERT_TRUE(manifest) << manifest.error().message;
  const std::vector<Manifest::Mean> &means = manifest->evaluation->means;
  ASSERT_EQ(means.size(), 4u);
  EXPECT_EQ(means[0].weight, 1);
  EXPECT_FALSE(means[0].is_exponential);
  EXPECT_TRUE(means[1].is_weight);
  EXPECT_EQ(means[1].weight, -1);
  EXPECT_TRUE(means[2].is_exponential);
  EXPECT_FALSE(means[3].is_weight);
  EXPECT_EQ(means[3].weight, -1);
  auto complaint_of = [&](const char *field, const json &value) {
    json changed = some;
    changed["evaluate"]["metrics"][0][field] = value;
    return Manifest::parse(changed.dump()).error().message;
  };
  EXPECT_THAT(complaint_of("weight", 4), HasSubstr("'loss' is weighed by a metric that is not"));
  EXPECT_THAT(complaint_of("weight", -1), HasSubstr("'weight' is not an integer of at least 0"));
  EXPECT_THAT(complaint_of("weight", 3),
              HasSubstr("metric of evaluate 'loss' is f32 [3, 2], its weight is f32 [3]"));
  EXPECT_THAT(complaint_of("exponential", 1), HasSubstr("'exponential' is not true or false"));
}

TEST(Manifest, numbers_of_batches_are_read_and_checked) {
  json some = good();
  some["evaluate"]["metrics"] =
      json::parse(R"([{"name": "loss", "type": "f32", "shape": [], "batches": "sum"},
                      {"name": "values", "type": "f32", "shape": [3], "sum": true}])");
  Result<Manifest> manifest = Manifest::parse(some.dump());
  ASSERT_TRUE(manifest) << manifest.error().message;
  const Manifest::Evaluation &evaluation = *manifest->evaluation;
  EXPECT_EQ(evaluation.means[0].batches, Manifest::Mean::Batches::sum);
  EXPECT_TRUE(evaluation.has_numbers_of_batches());
  EXPECT_FALSE(evaluation.takes_whole_batches());
  EXPECT_TRUE(evaluation.means[1].is_sum);
  EXPECT_FALSE(evaluation.means[1].is_of_batch());
  some["evaluate"]["metrics"][0]["batches"] = "whole";
  EXPECT_TRUE(Manifest::parse(some.dump())->evaluation->takes_whole_batches());
  some["evaluate"]["metrics"][0]["batches"] = "median";
  EXPECT_THAT(Manifest::parse(some.dump()).error().message,
              HasSubstr("field 'batches' is 'median', which is none of"));
  some["evaluate"]["metrics"][0]["batches"] = "mean";
  some["evaluate"]["metrics"][0]["shape"] = {3};
  EXPECT_THAT(Manifest::parse(some.dump()).error().message,
              HasSubstr("'loss' is f32 [3], but should be one number of the batch"));
}

TEST(Manifest, has_an_arena_of_the_evaluation_apart) {
  json some = good();
  some["arena"]["evaluate"] = 5000;
  Result<Manifest> manifest = Manifest::parse(some.dump());
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(manifest->arena_bytes, 300);
  EXPECT_EQ(manifest->largest_arena(), 5000);
  int64_t bytes = manifest->memory_bytes();
  manifest->evaluation.reset();
  EXPECT_EQ(manifest->largest_arena(), 300);
  EXPECT_LE(manifest->memory_bytes(), bytes - 4700);
}

TEST(Manifest, labels_are_read_and_checked) {
  json some = good();
  some["step"]["inputs"][0]["labels"] = true;
  some["evaluate"]["metrics"] =
      json::parse(R"([{"name": "auc", "type": "f32", "shape": [3, 1], "label": 1},
                      {"name": "label", "type": "f32", "shape": [3, 1]},
                      {"name": "loss", "type": "f32", "shape": [3]}])");
  Result<Manifest> manifest = Manifest::parse(some.dump());
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_TRUE(manifest->inputs[0].holds_labels);
  const std::vector<Manifest::Mean> &means = manifest->evaluation->means;
  EXPECT_EQ(means[0].label, 1);
  EXPECT_TRUE(means[0].is_area() && means[0].is_reported());
  EXPECT_FALSE(means[1].is_area() || means[1].is_reported());
  EXPECT_FALSE(means[2].is_area());
  EXPECT_TRUE(means[2].is_reported());
  some["evaluate"]["metrics"][0]["label"] = 3;
  EXPECT_THAT(Manifest::parse(some.dump()).error().message,
              HasSubstr("'auc' is labelled by a metric that is not there"));
  some["evaluate"]["metrics"][0]["label"] = 2;
  EXPECT_THAT(Manifest::parse(some.dump()).error().message,
              HasSubstr("metric of evaluate 'auc' is f32 [3, 1], its label is f32 [3]"));
  some["evaluate"]["metrics"][0].erase("label");
  some["step"]["inputs"][0]["labels"] = 1;
  EXPECT_THAT(Manifest::parse(some.dump()).error().message,
              HasSubstr("'labels' is not true or false"));
}

TEST(Manifest, indices_of_inputs_are_read_and_checked) {
  json some = good();
  some["step"]["inputs"][0]["indices"] = json::parse(
      R"([{"low": 0, "high": 9, "ignored": -100, "of": "classes", "node": "loss"},
          {"low": -4, "high": 3, "of": "entries", "node": "lookup"}])");
  Result<Manifest> manifest = Manifest::parse(some.dump());
  ASSERT_TRUE(manifest) << manifest.error().message;
  const std::vector<data::IndexBounds> &indices = manifest->inputs[0].indices;
  ASSERT_EQ(indices.size(), 2u);
  EXPECT_EQ(indices[0].high, 9);
  EXPECT_EQ(indices[0].ignored, -100);
  EXPECT_TRUE(indices[0].is_class);
  EXPECT_EQ(indices[0].node, "loss");
  EXPECT_EQ(indices[1].low, -4);
  EXPECT_FALSE(indices[1].ignored);
  EXPECT_FALSE(indices[1].is_class);
  EXPECT_TRUE(manifest->evaluation->inputs[0].indices.empty());
  auto complaint_of = [&](const char *field, const json &value) {
    json changed = some;
    changed["step"]["inputs"][0]["indices"][0][field] = value;
    return Manifest::parse(changed.dump()).error().message;
  };
  EXPECT_THAT(complaint_of("low", "x"), HasSubstr("field 'low' is not an integer"));
  EXPECT_THAT(complaint_of("high", -1), HasSubstr("'x': its indices are from 0 to -1"));
  EXPECT_THAT(complaint_of("ignored", 0.5), HasSubstr("field 'ignored' is not an integer"));
  EXPECT_THAT(complaint_of("node", 3), HasSubstr("field 'node' is not a string"));
}

TEST(Manifest, refuses_numbers_that_wrap) {
  const json beyond = json::parse("9223372036854775808");
  for (const char *field : {"/ranks", "/global_batch", "/local_batch", "/samples_per_step",
                            "/arena/step", "/evaluate/batch", "/groups/0/number", "/plan/0/id"})
    EXPECT_THAT(complaint(field, beyond), HasSubstr("is not an integer")) << field;
  EXPECT_THAT(complaint("/variables/0/shape/0", beyond),
              HasSubstr("'w': field 'shape' is not an integer"));
  EXPECT_THAT(complaint("/variables/0/shape", {INT64_MAX, 4}), HasSubstr("too large"));
  EXPECT_THAT(complaint("/arena/step", INT64_MAX), HasSubstr("more memory than can be counted"));
}

TEST(Manifest, is_not_any_text) {
  EXPECT_THAT(Manifest::parse("nonsense").error().message, HasSubstr("bad manifest"));
  EXPECT_THAT(Manifest::parse("[]").error().message, HasSubstr("not a JSON object"));
  EXPECT_THAT(Manifest::parse("{}").error().message, HasSubstr("field 'abi' is missing"));
  std::string deep = "{\"step\": " + std::string(100000, '[') + std::string(100000, ']') + "}";
  EXPECT_THAT(Manifest::parse(deep).error().message, HasSubstr("nests more than 64"));
  EXPECT_THAT(worker_config_from_json(deep).error().message, HasSubstr("nests more than 64"));
}

TEST(Manifest, refuses_memory_that_cannot_be_counted) {
  json huge = good();
  huge["arena"]["step"] = INT64_MAX;
  huge["variables"][0]["shape"] = {int64_t(1) << 60};
  EXPECT_THAT(Manifest::parse(huge.dump()).error().message,
              HasSubstr("need more memory than can be counted"));
}

TEST(Manifest, is_found_in_a_shared_object_without_loading_it) {
  Result<Manifest> manifest = Manifest::read(LINEAR_1);
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(manifest->program, "linear");
}

TEST(Manifest, is_missing_in_other_files) {
  TemporaryFolder folder;
  EXPECT_THAT(Manifest::read(folder.write("a.so", "text")).error().message,
              HasSubstr("a.so' is not a compiled program"));
  EXPECT_THAT(Manifest::read(folder.path("absent.so")).error().message, HasSubstr("No such file"));
  EXPECT_THAT(Manifest::read(LIBTUTTI).error().message, HasSubstr("has no manifest"));
}

TEST(Manifest, survives_every_truncation_of_the_shared_object) {
  TemporaryFolder folder;
  std::string bytes = TemporaryFolder::read(LINEAR_1);
  auto read = [&](size_t length) {
    return Manifest::read(folder.write("a.so", bytes.substr(0, length)));
  };
  for (size_t length = 0; length < bytes.size(); length += 97)
    if (Result<Manifest> manifest = read(length)) {
      EXPECT_EQ(manifest->program, "linear") << length; // only what is not loaded was cut off
    }
  EXPECT_FALSE(read(bytes.size() / 4));
}

TEST(RunConfig, survives_json) {
  WorkerConfig config;
  config.run.worker = "w";
  config.run.programs = {"a", "b"};
  config.run.ranks = 4;
  config.run.steps = 9;
  config.run.seed = ~uint64_t(0);
  config.run.shuffle = false;
  config.run.hyperparameters = {{"lr", 0.25}};
  config.rank = 3;
  Result<WorkerConfig> back = worker_config_from_json(to_json(config));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(to_json(*back), to_json(config));
}

TEST(RunConfig, numbers_fit_their_fields) {
  WorkerConfig config;
  config.run.programs = {"a"};
  config.run.steps = 1;
  json good_config = json::parse(to_json(config));
  const json too_large = json::parse("18446744073709551616"),
             large = json::parse("9223372036854775808");
  for (const auto &[field, value] : good_config.items()) {
    if (!value.is_number_integer())
      continue;
    for (const json &bad :
         {json(1.5), json(1e30), too_large, json("1"), json(true), json(nullptr)}) {
      json changed = good_config;
      changed[field] = bad;
      Result<WorkerConfig> parsed = worker_config_from_json(changed.dump());
      // A double is what seconds are.
      EXPECT_TRUE(!parsed || field.substr(0, 5) == "stall") << field << " = " << bad;
    }
    json changed = good_config;
    changed[field] = large;
    EXPECT_EQ(bool(worker_config_from_json(changed.dump())), field == "seed") << field;
    changed[field] = json(-1);
    bool may_be_negative = field == "shared_descriptor" || field == "trace_descriptor" ||
                           field == "arrays_descriptor" || field == "server" ||
                           field == "server_evict_after"; // as the run began
    EXPECT_EQ(bool(worker_config_from_json(changed.dump())), may_be_negative) << field;
  }
}

TEST(RunConfig, epochs_are_steps_that_can_be_counted) {
  RunConfig run;
  run.epochs = 3;
  EXPECT_EQ(*count_steps(run, 7), 21);
  run.epochs = INT64_MAX / 7;
  EXPECT_EQ(*count_steps(run, 7), INT64_MAX / 7 * 7);
  ++run.epochs;
  EXPECT_EQ(
      count_steps(run, 7).error().message,
      "1317624576693539402 epochs of 7 steps are more steps than can be counted; the most are "
      "1317624576693539401 epochs");
  run.steps = 5;
  EXPECT_EQ(*count_steps(run, 7), 5);
}

TEST(RunConfig, options_are_checked_without_a_program) {
  RunConfig run;
  run.steps = 1;
  EXPECT_FALSE(check_options(run));
  EXPECT_THAT(check(run).message, HasSubstr("a run needs one compiled program"));
  auto complaint_of = [&](auto change) {
    RunConfig changed = run;
    change(changed);
    return check_options(changed).message;
  };
  EXPECT_THAT(complaint_of([](RunConfig &c) { c.ranks_per_node = 3; }),
              HasSubstr("nodes of 3 ranks do not make up 1 ranks"));
  EXPECT_THAT(complaint_of([](RunConfig &c) { c.backend = "nccl"; }), HasSubstr("not 'nccl'"));
  EXPECT_THAT(complaint_of([](RunConfig &c) { c.reductions = "any"; }), HasSubstr("not 'any'"));
  EXPECT_THAT(complaint_of([](RunConfig &c) { c.interface = "eth0"; }),
              HasSubstr("are for backend gloo"));
  EXPECT_THAT(complaint_of([](RunConfig &c) { c.trace_first = 0; }), HasSubstr("from step 1 on"));
  EXPECT_THAT(complaint_of([](RunConfig &c) { c.threads = 100000; }),
              HasSubstr("cannot have 100000 threads"));
  EXPECT_EQ(complaint_of([](RunConfig &c) { c.steps = 0, c.calibrate = "c.json"; }), "");
}

TEST(RunConfig, names_what_is_wrong) {
  WorkerConfig config;
  config.run.programs = {"a"};
  config.run.steps = 1;
  json good_config = json::parse(to_json(config));
  auto complaint_with = [&](const char *field, const json &value) {
    json changed = good_config;
    changed[field] = value;
    Result<WorkerConfig> parsed = worker_config_from_json(changed.dump());
    return parsed ? "no error" : parsed.error().message;
  };
  EXPECT_EQ(complaint_with("rank", 0), "no error");
  EXPECT_THAT(complaint_with("rank", 1), HasSubstr("rank 1 of 1"));
  EXPECT_THAT(complaint_with("colour", 1), HasSubstr("field 'colour' is unknown"));
  EXPECT_THAT(complaint_with("steps", "many"), HasSubstr("field 'steps' cannot be \"many\""));
  EXPECT_THAT(complaint_with("steps", 0), HasSubstr("needs a number of steps or epochs"));
  EXPECT_THAT(complaint_with("ranks", 0), HasSubstr("at least 1 rank"));
  EXPECT_THAT(complaint_with("programs", json::array()), HasSubstr("one compiled program"));
  EXPECT_THAT(complaint_with("threads", -1), HasSubstr("cannot have -1 threads"));
  for (const json &limit : {json(0), json(-1), json(1e9), json(nullptr)})
    EXPECT_NE(complaint_with("stall_error", limit), "no error") << limit;
  EXPECT_THAT(complaint_with("stall_error", 1e9),
              HasSubstr("a limit for a stall is above 0 and up to 31622400 seconds, not 1e+09"));
  EXPECT_THAT(complaint_with("progress", "loud"), HasSubstr("not 'loud'"));
  EXPECT_THAT(worker_config_from_json("[]").error().message, HasSubstr("not a JSON object"));
}
