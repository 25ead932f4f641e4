// Choosing what is told of which step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/reporting/SummaryWriter.h"

#include "runtime/host/rundir/folder/Folder.h"

#include <cstdio>

namespace tutti::runtime::worker {

Result<SummaryWriter> SummaryWriter::open(const std::string &folder, int64_t every,
                                          int64_t steps_before, int64_t steps,
                                          std::vector<std::string> names,
                                          summaries::Scalars constants) {
  Result<summaries::EventFile> events = summaries::EventFile::open(folder, steps_before);
  if (!events)
    return events.error();
  std::vector<std::string> told = names;
  for (const auto &[name, value] : constants)
    told.push_back(name);
  Result<MetricsWriter> lines = MetricsWriter::open(rundir::Folder(folder).metrics(), told);
  if (!lines)
    return lines.error();
  lines->go_on_after(steps_before);
  SummaryWriter writer(std::move(*events), std::move(*lines));
  writer.every = every;
  writer.steps = steps;
  writer.names = std::move(told);
  writer.constants = std::move(constants);
  return Result<SummaryWriter>(std::move(writer));
}

void SummaryWriter::record(const StepRecord &given) {
  seconds_a_sample += 1 / given.samples_per_second;
  ++steps_since;
  bool is_due = given.step % every == 0 || given.step == steps;
  if (!is_due && given.evaluation.empty())
    return;
  StepRecord record = given;
  for (const auto &[name, value] : constants)
    record.metrics.push_back(value);
  record.samples_per_second = double(steps_since) / seconds_a_sample;
  seconds_a_sample = 0;
  steps_since = 0;
  lines.write(record);
  write_events(record);
}

void SummaryWriter::record_evaluation(const StepRecord &record) {
  lines.write(record);
  write_events(record);
}

void SummaryWriter::write_events(const StepRecord &record) {
  summaries::Scalars scalars;
  for (size_t i = 0; i < record.metrics.size(); ++i)
    scalars.push_back({names[i], record.metrics[i]});
  if (!record.metrics.empty())
    scalars.push_back({"samples_per_second", record.samples_per_second});
  for (const auto &[name, value] : record.evaluation)
    scalars.push_back({"evaluation/" + name, value});
  events.write(record.step, scalars);
  if (events.error() && !has_warned)
    std::fprintf(stderr, "warning: summaries: %s; training goes on without them\n",
                 events.error().message.c_str());
  has_warned = bool(events.error());
}

Error SummaryWriter::close() {
  Error error = events.close();
  if (Error of_lines = lines.close(); !error && of_lines)
    error = of_lines;
  return error ? Error::make(error.status, "summaries: ", error.message) : error;
}

} // namespace tutti::runtime::worker
