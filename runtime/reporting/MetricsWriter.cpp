// Writing metrics. Keys keep their order; a number that is not finite, which JSON cannot say,
// becomes null.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/reporting/MetricsWriter.h"

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace tutti::runtime::worker {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

Result<MetricsWriter> MetricsWriter::open(const std::string &path, std::vector<std::string> names) {
  MetricsWriter writer;
  writer.names = std::move(names);
  if (path.empty())
    return Result<MetricsWriter>(std::move(writer));
  Result<output::OutputFile> file = output::OutputFile::open(path);
  if (!file)
    return Error::make(file.error().status, "metrics: ", file.error().message);
  writer.file.emplace(std::move(*file));
  return Result<MetricsWriter>(std::move(writer));
}

void MetricsWriter::write(const StepRecord &record) {
  if (!file || file->error())
    return;
  nlohmann::ordered_json line = {{"step", record.step}, {"epoch", record.epoch}};
  for (size_t i = 0; i < names.size(); ++i)
    line[names[i]] = record.metrics[i];
  line["samples_per_second"] = record.samples_per_second;
  for (const auto &[name, value] : record.evaluation)
    line["evaluation"][name] = value;
  lines += line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  if (now() - last_flush > 1)
    flush();
}

void MetricsWriter::flush() {
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
  if (!lines.empty())
    flush();
  Error error = last_flush > 0 ? file->commit() : Error::success();
  file.reset();
  return error ? Error::make(error.status, "metrics: ", error.message) : error;
}

} // namespace tutti::runtime::worker
