// Collecting the record, and comparing two of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/run/RunRecord.h"

#include "runtime/support/Crc32c.h"
#include "runtime/support/system/MappedFile.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

namespace tutti::runtime::worker {
namespace {

/// As it is given: "0.01", and exact.
std::string number_text(double value) {
  char digits[32];
  for (int precision : {6, 9, 17}) {
    std::snprintf(digits, sizeof digits, "%.*g", precision, value);
    if (std::strtod(digits, nullptr) == value)
      break;
  }
  return digits;
}

/// The recipe spells it learning-rate, the program learning_rate.
std::string key_of(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

/// A sum over pieces of the file, and its size.
std::string sample_file(const std::string &path, int64_t offset = 0, int64_t bytes = INT64_MAX) {
  constexpr size_t pieces = 64, bytes_of_piece = 1 << 16;
  auto file = MappedFile::open(path);
  if (!file)
    return "unreadable"; // whoever needs it says why
  std::string_view all = (*file)->bytes();
  all = all.substr(std::min(size_t(offset), all.size()), size_t(bytes));
  Crc32c sum;
  for (size_t piece = 0; piece < pieces && !all.empty(); ++piece)
    sum.add(all.substr(all.size() / pieces * piece, bytes_of_piece));
  char digits[16];
  std::snprintf(digits, sizeof digits, "%08x", sum.value());
  return text(all.size(), " bytes ", digits);
}

/// Whether ranks hold parts of their own, which they bring together to save them.
bool has_parts(const Manifest &manifest) {
  return std::any_of(
      manifest.variables.begin(), manifest.variables.end(),
      [](const Variable &variable) { return variable.placement != Placement::replicate; });
}

/// How rows of tables begin that no step has reached yet.
std::string first_rows(const RunConfig &config, const Manifest &manifest) {
  std::string all;
  for (size_t i = 0; i < manifest.tables.size() && i < config.tables.size(); ++i) {
    const ValuePlace &place = config.tables[i].first;
    if (manifest.tables[i].initial.distribution != ServedTable::Distribution::given ||
        place.path.empty())
      continue;
    int64_t bytes = manifest.tables[i].rows() * manifest.tables[i].row_bytes();
    all += text(all.empty() ? "" : ", ", manifest.tables[i].name, " ",
                sample_file(place.path, place.offset, bytes));
  }
  return all;
}

constexpr const char *key_of_code = "instructions", *key_of_kernels = "onednn-max-cpu-isa";

/// Kernels take what the processor has, or less where the environment says so.
std::string most_instructions_of_kernels() {
  for (const char *name : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"})
    if (const char *value = std::getenv(name))
      return value;
  return "none";
}

const char *given(bool is_given) { return is_given ? "given" : "none"; }

std::string value_of(const RunRecord &record, const std::string &key) {
  constexpr size_t shown_letters = 80;
  auto found = record.find(key);
  return found == record.end() ? "the default" : found->second.substr(0, shown_letters);
}

/// Checkpoints before version 0.2 do not tell with which instructions they were made.
bool is_told_of(const RunRecord &saved, bool is_partial, const std::string &key) {
  bool is_of_instructions = key == key_of_code || key == key_of_kernels;
  return saved.count(key) > 0 || !(is_partial || is_of_instructions);
}

/// The keys in which they differ.
std::vector<std::string> differences(const RunRecord &saved, bool is_partial,
                                     const RunRecord &now) {
  std::set<std::string> keys;
  for (const auto &[key, value] : saved)
    keys.insert(key);
  for (const auto &[key, value] : now)
    if (is_told_of(saved, is_partial, key))
      keys.insert(key);
  std::vector<std::string> differ;
  for (const std::string &key : keys) {
    auto before = saved.find(key), after = now.find(key);
    bool is_same = before != saved.end() && after != now.end() && before->second == after->second;
    if (!is_same)
      differ.push_back(key);
  }
  return differ;
}

std::string join(const std::vector<std::string> &words) {
  std::string out;
  for (const std::string &word : words)
    out += (out.empty() ? "" : ",") + word;
  return out;
}

/// What --resume-anyway names must be a key.
Error check_known(const RunRecord &saved, const RunRecord &now,
                  const std::vector<std::string> &accepted) {
  RunRecord all = saved;
  all.insert(now.begin(), now.end());
  std::vector<std::string> known;
  for (const auto &[key, value] : all)
    known.push_back(key);
  for (const std::string &key : accepted)
    if (all.count(key) == 0)
      return Error::make(TUTTI_INVALID_ARGUMENT, "--resume-anyway: nothing is called '", key,
                         "' of what decides the numbers of this run: ", join(known));
  return Error::success();
}

} // namespace

RunRecord record_of(const RunConfig &config, const Manifest &manifest,
                    const data::BatchLoader *loader) {
  RunRecord record = config.decides;
  record["seed"] = std::to_string(config.seed);
  if (config.reductions != "ordered")
    record["reductions"] = config.reductions;
  record[key_of_code] = config.instructions;
  record[key_of_kernels] = most_instructions_of_kernels();
  for (const Hyperparameter &parameter : manifest.hyperparameters)
    record[key_of(parameter.tensor.name)] = number_text(parameter.value);
  for (const auto &[name, value] : config.hyperparameters)
    record[key_of(name)] = number_text(value);
  if (std::string rows = first_rows(config, manifest); !rows.empty())
    record["first-rows"] = rows;
  if (!loader)
    return record;
  record["shuffle"] = !config.shuffle        ? "false"
                      : config.shuffle_block ? text("block:", config.shuffle_block)
                                             : "true";
  record["samples"] = std::to_string(loader->samples());
  record["global-batch"] =
      std::to_string(std::min(manifest.global_batch, manifest.samples_per_step));
  // The others give each sample of a batch the same weight, whatever the number of ranks.
  record["batch-policy"] = manifest.batch_policy == "pad" ? "pad" : "exact";
  record["data"] = loader->fingerprint();
  return record;
}

RunRecord agreement_of(const RunConfig &config, const Manifest &manifest,
                       const data::BatchLoader *loader, const data::RowGatherer *evaluation) {
  RunRecord record = record_of(config, manifest, loader);
  Result<int64_t> steps = count_steps(config, loader ? loader->steps_per_epoch() : 1);
  record["steps"] = steps ? std::to_string(*steps) : "too many";
  record["evaluate"] = evaluation ? evaluation->fingerprint() : "none";
  record["evaluate-every"] = std::to_string(config.evaluate_every);
  record["model-dir"] = given(!config.model_dir.empty());
  record["save-checkpoints-steps"] = std::to_string(config.save_checkpoints_steps);
  record["save-checkpoints-secs"] = std::to_string(config.save_checkpoints_secs);
  record["load"] = config.load.empty() ? "none" : sample_file(config.load);
  record["on-non-finite"] = config.on_non_finite;
  record["reductions"] = config.reductions;
  if (has_parts(manifest)) {
    record["save"] = given(!config.save.empty());
    record["export"] = given(!config.exports.empty());
  }
  return record;
}

std::string spell(const RunRecord &record) {
  std::string lines;
  for (const auto &[key, value] : record)
    lines += key + ": " + value + "\n";
  return lines;
}

Error check_same_run(const RunRecord &saved, bool is_partial, const RunRecord &now,
                     const std::vector<std::string> &accepted,
                     std::vector<std::string> &out_notes) {
  constexpr size_t most_told = 4;
  if (Error error = check_known(saved, now, accepted))
    return error;
  std::vector<std::string> refused;
  std::string told;
  for (const std::string &key : differences(saved, is_partial, now)) {
    std::string before = value_of(saved, key), after = value_of(now, key);
    if (std::count(accepted.begin(), accepted.end(), key) > 0) {
      out_notes.push_back(
          text("was made with ", key, " ", before, ", the run goes on with ", after));
      continue;
    }
    if (refused.size() < most_told)
      told += text(refused.empty() ? "" : "; ", key, " ", before, " there, ", after, " now");
    refused.push_back(key);
  }
  if (refused.empty())
    return Error::success();
  if (refused.size() > most_told)
    told += text("; and ", refused.size() - most_told, " more");
  return Error::make(
      TUTTI_INVALID_ARGUMENT, "it was made by another run, whose numbers would not go on\n  ", told,
      "\n  give what it was made with, another --model-dir, or --resume-anyway=", join(refused),
      " to go on all the same");
}

} // namespace tutti::runtime::worker
