// Writing metrics. Keys keep their order; a number that is not finite, which JSON cannot say,
// becomes null.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/reporting/MetricsWriter.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tutti::runtime::worker {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

Result<MetricsWriter> MetricsWriter::open(const std::string &path, std::vector<std::string> names) {
  MetricsWriter writer;
  writer.path = path;
  writer.names = std::move(names);
  if (path.empty())
    return Result<MetricsWriter>(std::move(writer));
  Result<output::OutputFile> file = output::OutputFile::open(path);
  if (!file)
    return Error::make(file.error().status, "metrics: ", file.error().message);
  writer.file.emplace(std::move(*file));
  return Result<MetricsWriter>(std::move(writer));
}

void MetricsWriter::go_on_after(int64_t step) {
  bool is_descriptor = path.rfind("/dev/", 0) == 0 || path.rfind("/proc/", 0) == 0;
  if (!file || step == 0 || is_descriptor || !std::filesystem::is_regular_file(path))
    return;
  std::ifstream older(path);
  for (std::string line; std::getline(older, line);) {
    auto parsed = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    bool is_kept = parsed.is_object() && parsed.contains("step") &&
                   parsed["step"].is_number_integer() && parsed["step"] <= step;
    if (is_kept)
      lines += line + "\n";
  }
}

void MetricsWriter::write(const StepRecord &record) {
  if (!file || file->error())
    return;
  nlohmann::ordered_json line = {{"step", record.step}, {"epoch", record.epoch}};
  for (size_t i = 0; i < record.metrics.size(); ++i)
    line[names[i]] = record.metrics[i];
  if (!record.metrics.empty() || record.evaluation.empty())
    line["samples_per_second"] = record.samples_per_second;
  for (const auto &[name, value] : record.evaluation)
    line["evaluation"][name] = value;
  add(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void MetricsWriter::write(int64_t step, const std::vector<ServerRecord> &records) {
  if (!file || file->error() || records.empty())
    return;
  nlohmann::ordered_json line = {{"step", step}, {"servers", nlohmann::ordered_json::array()}};
  for (const ServerRecord &record : records) {
    nlohmann::ordered_json told = {{"server", record.server}, {"table", record.table}};
    for (const auto &[name, value] : record.numbers)
      told[name] = value;
    for (const auto &[name, value] : record.means)
      told[name] = value;
    line["servers"].push_back(std::move(told));
  }
  add(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void MetricsWriter::add(const std::string &line) {
  lines += line + "\n";
  if (now() - last_flush > 1)
    flush();
}

void MetricsWriter::flush() {
  if (lines.empty() || !file || file->error())
    return;
  file->write(lines);
  file->appear();
  lines.clear();
  last_flush = now();
  if (file->error())
    std::fprintf(stderr, "warning: metrics: %s; training goes on without them\n",
                 file->error().message.c_str());
}

Error MetricsWriter::close() {
  if (!file)
    return Error::success();
  flush();
  Error error = last_flush > 0 ? file->commit() : Error::success();
  file.reset();
  return error ? Error::make(error.status, "metrics: ", error.message) : error;
}

} // namespace tutti::runtime::worker
