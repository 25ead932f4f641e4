// Writing metrics. Keys keep their order; a number that is not finite, which JSON cannot say,
// becomes null.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/worker/MetricsWriter.h"

#include <cerrno>
#include <chrono>
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
    return writer;
  writer.file.reset(std::fopen(path.c_str(), "we"));
  if (!writer.file)
    return Error::make(TUTTI_SYSTEM_ERROR, "cannot write metrics to '", path,
                       "': ", system_message(errno));
  return writer;
}

void MetricsWriter::write(const StepRecord &record) {
  if (!file)
    return;
  nlohmann::ordered_json line = {{"step", record.step}, {"epoch", record.epoch}};
  for (size_t i = 0; i < names.size(); ++i)
    line[names[i]] = record.metrics[i];
  line["samples_per_second"] = record.samples_per_second;
  std::string text = line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::fprintf(file.get(), "%s\n", text.c_str());
  if (double time = now(); time - last_flush > 1) {
    std::fflush(file.get());
    last_flush = time;
  }
}

Error MetricsWriter::close() {
  if (file && (std::fflush(file.get()) != 0 || std::ferror(file.get())))
    return Error::make(TUTTI_SYSTEM_ERROR, "cannot write metrics to '", path,
                       "': ", system_message(errno));
  file.reset();
  return Error::success();
}

} // namespace tutti::runtime::worker
