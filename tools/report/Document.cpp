// Reading what a run left. Whoever wrote it may have been of another version, or not careful.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/report/Document.h"

#include "runtime/host/rundir/folder/Folder.h"
#include "runtime/output/OutputFile.h"
#include "runtime/support/Json.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

using namespace tutti;
using nlohmann::json;
using runtime::Error;
using runtime::Result;
using runtime::text;

/// What a page has room for.
constexpr size_t mostVariables = 200, mostEntries = 500, mostPoints = 4000;

static json listOf(const json &object, const char *key) {
  json list = object.value(key, json::array());
  return list.is_array() ? list : json::array();
}

static int64_t bytesOf(const json &variable) {
  static const std::map<std::string, int64_t> sizes = {
      {"f64", 8},  {"i64", 8}, {"u64", 8}, {"f32", 4},  {"i32", 4}, {"u32", 4}, {"f16", 2},
      {"bf16", 2}, {"i16", 2}, {"u16", 2}, {"bool", 1}, {"i8", 1},  {"u8", 1}};
  auto size = sizes.find(variable.value("type", ""));
  int64_t bytes = size == sizes.end() ? 0 : size->second;
  for (const json &extent : listOf(variable, "shape"))
    bytes *= extent.is_number_integer() ? extent.get<int64_t>() : 1;
  return bytes;
}

json report::describeProgram(const std::string &manifest) {
  json parsed = json::parse(manifest, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object())
    return json::object();
  std::vector<json> variables;
  std::map<std::string, int64_t> sums;
  for (json variable : listOf(parsed, "variables")) {
    variable["bytes"] = bytesOf(variable);
    sums[variable.value("class", "other")] += variable["bytes"].get<int64_t>();
    variables.push_back(std::move(variable));
  }
  std::stable_sort(variables.begin(), variables.end(),
                   [](const json &a, const json &b) { return a["bytes"] > b["bytes"]; });
  json plan = listOf(parsed, "plan");
  size_t allEntries = plan.size(), allVariables = variables.size();
  if (plan.size() > mostEntries)
    plan.erase(plan.begin() + mostEntries, plan.end());
  variables.resize(std::min(variables.size(), mostVariables));
  return {{"name", parsed.value("program", "")},
          {"variables", variables},
          {"variables_in_all", allVariables},
          {"variable_bytes", sums},
          {"arena", parsed.value("arena", json::object())},
          {"layout", parsed.value("layout", json::object())},
          {"plan", plan},
          {"plan_in_all", allEntries}};
}

json report::describeSummary(const runtime::worker::RankSummary &summary) {
  return {{"steps", summary.steps},
          {"steps_before", summary.steps_before},
          {"steps_wanted", summary.steps_wanted},
          {"steps_per_epoch", summary.steps_per_epoch},
          {"samples_per_step", summary.samples_per_step},
          {"bytes_moved", summary.bytes_moved},
          {"collectives", summary.collectives},
          {"planned_bytes", summary.planned_bytes},
          {"peak_bytes", summary.peak_bytes},
          {"run_seconds", summary.run_seconds},
          {"compute_seconds", summary.compute_seconds},
          {"communication_seconds", summary.communication_seconds},
          {"data_seconds", summary.data_seconds},
          {"data_seconds_beside", summary.data_seconds_beside},
          {"first_step_seconds", summary.first_step_seconds},
          {"median_step_seconds", summary.median_step_seconds},
          {"p95_step_seconds", summary.p95_step_seconds},
          {"first_loss", summary.first_loss},
          {"last_loss", summary.last_loss},
          {"first_bad_step", summary.first_bad_step},
          {"evaluated_samples", summary.evaluated_samples}};
}

Error report::writeRecord(const std::string &path, const json &record) {
  Result<runtime::output::OutputFile> file = runtime::output::OutputFile::open(path);
  if (!file)
    return file.error();
  file->write(record.dump(-1, ' ', false, json::error_handler_t::replace));
  return file->commit();
}

static bool exists(const std::string &path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// Null if there is no file.
static Result<json> readJson(const std::string &path) {
  if (!exists(path))
    return json();
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), {}};
  if (file.bad() || !file)
    return Error::make(TUTTI_INVALID_ARGUMENT, "'", path, "' cannot be read");
  Result<json> parsed = runtime::parse_json_object(content, TUTTI_INVALID_ARGUMENT);
  if (!parsed)
    return Error::make(TUTTI_INVALID_ARGUMENT, "'", path, "' is damaged: ", parsed.error().message,
                       ". Remove it: the report then shows what else is there, and the next launch "
                       "of the run writes it anew");
  if (parsed->value("format", json()) != report::recordFormat)
    return Error::make(TUTTI_INVALID_ARGUMENT, "'", path, "' has the format ",
                       parsed->value("format", json()).dump(), ", and this version reads ",
                       report::recordFormat, ": make the report with the version that trained");
  return parsed;
}

/// Of the lines that MetricsWriter writes, those that are whole.
static json readMetrics(const std::string &path) {
  std::vector<std::string> names;
  json points = json::array(), evaluations = json::array();
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    json parsed = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!parsed.is_object() || !parsed.value("step", json()).is_number_integer())
      continue;
    if (parsed.value("evaluation", json()).is_object())
      evaluations.push_back({{"step", parsed["step"]}, {"values", parsed["evaluation"]}});
    if (!parsed.contains("samples_per_second"))
      continue;
    if (names.empty())
      for (const auto &[key, value] : parsed.items())
        if (key != "step" && key != "epoch" && key != "evaluation" && key != "samples_per_second")
          names.push_back(key);
    json values = json::array();
    for (const std::string &name : names)
      values.push_back(parsed.value(name, json()));
    values.push_back(parsed["samples_per_second"]);
    points.push_back({parsed["step"], parsed["step"], values, values, values});
  }
  if (points.empty() && evaluations.empty())
    return json();
  for (size_t every = 2; points.size() > mostPoints;) {
    json fewer = json::array();
    for (size_t i = 0; i < points.size(); i += every)
      fewer.push_back(std::move(points[i]));
    points = std::move(fewer);
  }
  return {{"names", names}, {"points", points}, {"evaluations", evaluations}, {"is_sparse", true}};
}

static Result<json> readCurve(const runtime::rundir::Folder &folder) {
  Result<json> curve = readJson(folder.curve());
  if (!curve || !curve->is_null())
    return curve;
  return readMetrics(folder.metrics());
}

static std::string stateOf(const runtime::rundir::Folder &folder, const json &document) {
  if (exists(folder.owner()))
    return "running";
  if (document.contains("result"))
    return document["result"].value("state", "unknown");
  return folder.is_finished() ? "finished" : "unknown";
}

Result<json> report::readDocument(const std::string &path) {
  runtime::rundir::Folder folder(path);
  if (!exists(path))
    return Error::make(TUTTI_INVALID_ARGUMENT, "there is no folder '", path, "'");
  Result<json> document = readJson(folder.record());
  if (!document)
    return document.error();
  Result<json> curve = readCurve(folder);
  if (!curve)
    return curve.error();
  if (document->is_null() && curve->is_null())
    return Error::make(TUTTI_INVALID_ARGUMENT, "'", path,
                       "' has neither report.json nor metrics.jsonl: no run has written there yet");
  if (document->is_null())
    *document = {{"note", "This folder has no report.json: the run was of an older version, so its "
                          "curve is all there is."}};
  (*document)["curve"] = *curve;
  (*document)["folder"] = path;
  (*document)["state"] = stateOf(folder, *document);
  return document;
}
