// The state of a run as the texts that safetensors has room for, and comparing two of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/rundir/folder/RunState.h"

#include "runtime/host/program/Blocks.h"
#include "runtime/host/rundir/folder/MetadataReader.h"
#include "runtime/support/Crc32c.h"

namespace tutti::runtime::rundir {
namespace {

using nlohmann::json;
using worker::Placement;

constexpr const char *run_format = "tutti.run";
constexpr const char *run_format_version = "1";

const char *spell(Placement placement) {
  switch (placement) {
  case Placement::replicate:
    return "replicate";
  case Placement::shard:
    return "shard";
  case Placement::per_rank:
    return "per_rank";
  }
  return "";
}

std::optional<Placement> placement_of(const std::string &word) {
  if (word == "sharded") // as checkpoints of release 0.1 spell it
    return Placement::shard;
  for (Placement placement : {Placement::replicate, Placement::shard, Placement::per_rank})
    if (word == spell(placement))
      return placement;
  return std::nullopt;
}

json to_json(const SavedPlacement &saved) {
  json entry = {{"kind", saved.kind}};
  if (saved.placement != Placement::replicate)
    entry["placement"] = spell(saved.placement);
  if (saved.placement == Placement::shard)
    entry["whole"] = saved.whole;
  if (saved.blocks > 0) {
    entry["blocks"] = saved.blocks;
    entry["dimension"] = saved.dimension;
    if (saved.outer != 1)
      entry["outer"] = saved.outer;
    if (saved.parts != 1)
      entry["parts"] = saved.parts;
  }
  return entry;
}

/// Throws what is wrong with the entry.
SavedPlacement placement_from(const json &entry) {
  SavedPlacement saved;
  saved.kind = entry.at("kind").get<std::string>();
  std::string word = entry.value("placement", "replicate");
  std::optional<Placement> placement = placement_of(word);
  if (!placement)
    throw std::invalid_argument("there is no placement '" + word + "'");
  saved.placement = *placement;
  if (*placement == Placement::shard)
    saved.whole = entry.at("whole").get<std::vector<int64_t>>();
  saved.blocks = entry.value("blocks", int64_t(0));
  saved.dimension = entry.value("dimension", int64_t(0));
  saved.outer = entry.value("outer", int64_t(1));
  saved.parts = entry.value("parts", int64_t(1));
  bool is_block = *placement == Placement::shard && saved.dimension >= 0 &&
                  saved.dimension < int64_t(saved.whole.size()) && saved.blocks > 0 &&
                  saved.outer > 0 && saved.parts > 0 && worker::Blocks::are_in(saved);
  if ((saved.blocks != 0 || saved.outer != 1 || saved.parts != 1) && !is_block)
    throw std::invalid_argument("a variable is in blocks that its shape does not have");
  return saved;
}

/// What a checkpoint without a record has of one.
worker::RunRecord record_from(const RunState &state) {
  worker::RunRecord record = {{"seed", text(state.data.seed)}};
  if (state.data.samples == 0)
    return record;
  record["shuffle"] = state.data.is_shuffled ? "true" : "false";
  record["samples"] = text(state.data.samples);
  record["global-batch"] = text(state.data.batch);
  return record;
}

json to_json(const BestStep &best) {
  return {{"metric", best.metric},
          {"step", best.step},
          {"value", best.value},
          {"later_evaluations", best.later_evaluations}};
}

/// Throws what is wrong with the entry.
BestStep best_from(const json &entry) {
  return {entry.at("metric").get<std::string>(), entry.at("step").get<int64_t>(),
          entry.at("value").get<double>(), entry.at("later_evaluations").get<int64_t>()};
}

std::string hexadecimal(uint32_t number) {
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", number);
  return digits;
}

} // namespace

RunState RunState::of(const worker::RunConfig &config, const worker::Manifest &manifest,
                      int64_t rank, const DataOrder &data, worker::RunRecord record) {
  RunState state;
  state.record = std::move(record);
  state.program = manifest.program;
  state.fingerprint = manifest.fingerprint;
  state.plan = hexadecimal(crc32c(manifest.plan_text()));
  state.data = data;
  state.global_batch = manifest.global_batch;
  state.batch_policy = manifest.batch_policy;
  state.shard_mode = manifest.shard_mode;
  state.ranks = manifest.ranks;
  state.rank = rank;
  state.servers = manifest.tables.empty() ? 0 : int64_t(config.servers.size());
  for (const worker::Hyperparameter &parameter : manifest.hyperparameters)
    state.hyperparameters[parameter.tensor.name] = parameter.value;
  for (const auto &[name, value] : config.hyperparameters)
    state.hyperparameters[name] = value;
  for (const worker::Variable &variable : manifest.variables) {
    state.variables[variable.name] = {variable.kind,   variable.placement, variable.whole,
                                      variable.blocks, variable.dimension, variable.outer,
                                      variable.parts};
    if (variable.placement != Placement::replicate)
      state.files = manifest.ranks;
  }
  return state;
}

Metadata RunState::metadata() const {
  json saved = json::object();
  for (const auto &[name, placement] : variables)
    saved[name] = to_json(placement);
  auto dump = [](const json &value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
  };
  Metadata texts = {{run_format, run_format_version},
                    {"program", program},
                    {"fingerprint", fingerprint},
                    {"plan", plan},
                    {"launch", launch},
                    {"step", text(step)},
                    {"epoch", text(epoch)},
                    {"batch_of_epoch", text(batch_of_epoch)},
                    {"seed", text(data.seed)},
                    {"shuffle", data.is_shuffled ? "true" : "false"},
                    {"samples", text(data.samples)},
                    {"batch", text(data.batch)},
                    {"global_batch", text(global_batch)},
                    {"batch_policy", batch_policy},
                    {"shard_mode", text(shard_mode)},
                    {"ranks", text(ranks)},
                    {"rank", text(rank)},
                    {"files", text(files)},
                    {"hyperparameters", dump(hyperparameters)},
                    {"record", dump(record)},
                    {"variables", dump(saved)}};
  if (servers > 0)
    texts["servers"] = text(servers);
  if (!best.metric.empty())
    texts["best"] = dump(to_json(best));
  return texts;
}

Result<RunState> RunState::parse(const Metadata &metadata) {
  auto format = metadata.find(run_format);
  if (format == metadata.end())
    return Error::make(TUTTI_BAD_DATA, "it is no checkpoint of a run directory");
  if (format->second != run_format_version)
    return Error::make(TUTTI_BAD_DATA, "it has version '", format->second,
                       "' of the format, this program reads ", run_format_version);
  RunState state;
  MetadataReader reader(metadata);
  reader.read("program", state.program);
  reader.read("fingerprint", state.fingerprint);
  reader.read("plan", state.plan);
  reader.read("launch", state.launch);
  reader.read("step", state.step);
  reader.read("epoch", state.epoch);
  reader.read("batch_of_epoch", state.batch_of_epoch);
  reader.read("seed", state.data.seed);
  reader.read("shuffle", state.data.is_shuffled);
  reader.read("samples", state.data.samples);
  reader.read("batch", state.data.batch, 1);
  reader.read("global_batch", state.global_batch, 1);
  reader.read("batch_policy", state.batch_policy);
  int64_t shard_mode = 0;
  reader.read("shard_mode", shard_mode);
  state.shard_mode = int32_t(shard_mode);
  reader.read("ranks", state.ranks, 1);
  reader.read("rank", state.rank);
  reader.read("files", state.files, 1);
  if (metadata.count("servers"))
    reader.read("servers", state.servers);
  json hyperparameters = reader.read_object("hyperparameters");
  json variables = reader.read_object("variables");
  state.is_record_partial = metadata.count("record") == 0;
  json record = state.is_record_partial ? json(record_from(state)) : reader.read_object("record");
  json best = metadata.count("best") ? reader.read_object("best") : json();
  try {
    if (!best.is_null())
      state.best = best_from(best);
    state.record = record.get<worker::RunRecord>();
    for (const auto &[name, value] : hyperparameters.items())
      state.hyperparameters[name] = value.get<double>();
    for (const auto &[name, entry] : variables.items())
      state.variables[name] = placement_from(entry);
  } catch (const std::exception &error) {
    reader.fail("best, hyperparameters, record or variables", error.what());
  }
  if (state.files != 1 && state.files != state.ranks)
    reader.fail("files", text(state.files, " files of ", state.ranks, " ranks"));
  if (reader.error())
    return reader.error();
  return state;
}

void RunState::move_to(int64_t steps_done, int64_t steps_per_epoch) {
  step = steps_done;
  epoch = steps_done / steps_per_epoch;
  batch_of_epoch = steps_done % steps_per_epoch;
}

} // namespace tutti::runtime::rundir
