// Telling about a run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/reporting/RunLog.h"

#include "runtime/host/program/Buffers.h"
#include "runtime/host/run/Report.h"
#include "runtime/host/run/ReportText.h"
#include "runtime/output/StandardStreams.h"
#include "runtime/support/Names.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>

namespace tutti::runtime::worker {
Result<RunLog> RunLog::open(const WorkerConfig &config, const Manifest &manifest, int64_t steps,
                            int64_t steps_per_epoch) {
  bool is_speaker = config.rank == 0;
  std::vector<std::string> names;
  for (const Tensor &metric : manifest.metrics)
    names.push_back(metric.name);
  Result<MetricsWriter> writer = MetricsWriter::open(is_speaker ? config.run.metrics : "", names);
  if (!writer)
    return writer.error();
  steps_per_epoch = std::max<int64_t>(1, steps_per_epoch);
  int64_t epochs = (steps + steps_per_epoch - 1) / steps_per_epoch;
  RunLog log(std::move(*writer), CurveWriter(is_speaker ? config.run.curve : "", names),
             Progress(is_speaker ? config.run.progress : "none", ProgressScreen::standard_output(),
                      steps, epochs, manifest.samples_per_step));
  log.manifest.metrics = manifest.metrics;
  log.manifest.evaluation = manifest.evaluation;
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == "loss")
      log.loss_index = int64_t(i);
  if (log.loss_index < 0 && names.size() == 1) // under whatever name the model has it
    log.loss_index = 0;
  log.steps = steps;
  log.steps_per_epoch = steps_per_epoch;
  log.samples_per_step = manifest.samples_per_step;
  log.is_speaker = is_speaker;
  log.config = config;
  log.progress.log_every(config.run.log_step_count_steps);
  log.is_silent = config.run.progress == "none";
  return Result<RunLog>(std::move(log));
}

Error RunLog::begin(const Manifest &manifest, int64_t samples, const std::string &backend,
                    int64_t steps_before) {
  writer.go_on_after(steps_before);
  curve.go_on_after(steps_before);
  progress.begin_after(steps_before);
  int64_t parameters = 0;
  for (const Variable &variable : manifest.variables)
    if (variable.kind == "trainable")
      parameters += elements_of(variable);
  std::string data = samples > 0 ? text(", ", grouped_text(samples), " samples, ",
                                        grouped_text(samples_per_step), " a step")
                                 : "";
  std::string ranks = manifest.ranks == 1 ? std::string("1 rank")
                                          : text(manifest.ranks, " ranks over ",
                                                 backend == "shm" ? "shared memory" : backend);
  std::string place = steps == 0 ? ", the checkpoint of step " : ", going on after step ";
  if (is_speaker && !is_silent)
    output::print(text(steps == 0 ? "evaluating " : "training ", manifest.program, ": ",
                       grouped_text(parameters), " parameters", data,
                       steps == 0
                           ? std::string()
                           : text(", ", grouped_text(steps), steps == 1 ? " step" : " steps"),
                       steps_before ? place + grouped_text(steps_before) : "", ", ", ranks, "\n"));
  Error error = open_summaries(manifest, steps_before);
  first_step = std::chrono::steady_clock::now();
  return error;
}

/// With the hyperparameters that are no metric of the step, as a learning rate is that a schedule
/// changes.
Error RunLog::open_summaries(const Manifest &manifest, int64_t steps_before) {
  const RunConfig &run = config.run;
  if (!is_speaker || run.model_dir.empty() || run.save_summary_steps == 0 || steps == 0)
    return Error::success();
  std::vector<std::string> names;
  for (const Tensor &metric : manifest.metrics)
    names.push_back(metric.name);
  summaries::Scalars constants;
  for (const Hyperparameter &parameter : manifest.hyperparameters) {
    auto set = run.hyperparameters.find(parameter.tensor.name);
    if (std::find(names.begin(), names.end(), parameter.tensor.name) == names.end())
      constants.push_back({parameter.tensor.name,
                           set == run.hyperparameters.end() ? parameter.value : set->second});
  }
  Result<SummaryWriter> opened = SummaryWriter::open(run.model_dir, run.save_summary_steps,
                                                     steps_before, steps, names, constants);
  if (!opened)
    return Error::make(opened.error().status, "summaries: ", opened.error().message);
  summaries.emplace(std::move(*opened));
  return Error::success();
}

void RunLog::add_evaluation(StepRecord &record, const RankSummary &summary) const {
  for (int64_t m = 0; m < summary.evaluation_metrics; ++m)
    if (manifest.evaluation->means[m].is_reported())
      record.evaluation.push_back({manifest.evaluation->metrics[m].name, summary.evaluation[m]});
}

/// A line of its own, and a field of the step's metrics.
void RunLog::tell_evaluation(StepRecord &record, const RankSummary &summary) {
  add_evaluation(record, summary);
  if (!is_speaker || is_silent)
    return;
  progress.finish();
  output::print(
      text("evaluation after step ", record.step, ": ", evaluation_text(manifest, summary), "\n"));
}

void RunLog::record(int64_t step, double seconds, void *const *results, RankSummary &summary,
                    bool is_evaluated) {
  const std::vector<Tensor> &metrics = manifest.metrics;
  last.step = step + 1;
  last.epoch = step / steps_per_epoch + 1;
  last.samples_per_second = double(samples_per_step) / seconds;
  last.metrics.clear();
  last.evaluation.clear();
  for (size_t i = 0; i < metrics.size(); ++i)
    last.metrics.push_back(read_number(metrics[i].type, results[i]));
  bool has_loss = loss_index >= 0;
  double loss = has_loss ? last.metrics[loss_index] : 0;
  record_loss(step, loss, summary);
  if (is_evaluated)
    tell_evaluation(last, summary);
  writer.write(last);
  curve.record(last);
  if (summaries)
    summaries->record(last);
  std::chrono::duration<double> since_begin = std::chrono::steady_clock::now() - first_step;
  progress.show({last.step, last.epoch, has_loss ? std::optional<double>(loss) : std::nullopt,
                 since_begin.count()});
}

void RunLog::record_loss(int64_t step, double loss, RankSummary &summary) {
  if (!has_loss_of_first)
    summary.first_loss = loss;
  has_loss_of_first = true;
  summary.last_loss = loss;
  if (std::isfinite(loss) || summary.first_bad_step != 0)
    return;
  summary.first_bad_step = step + 1;
  if (config.run.on_non_finite == "ignore")
    return;
  progress.finish();
  if (is_speaker) // a nan has a sign, which says nothing
    std::fprintf(stderr, "warning: the loss of step %" PRId64 " is not finite (%g)\n", step + 1,
                 std::isnan(loss) ? std::abs(loss) : loss);
}

void RunLog::flush() {
  writer.flush();
  curve.flush();
  if (summaries)
    summaries->flush();
}

Error RunLog::close_summaries(const RankSummary &summary, bool is_evaluated) {
  StepRecord record = {summary.steps, (summary.steps - 1) / steps_per_epoch + 1, {}, 0};
  if (is_evaluated)
    add_evaluation(record, summary);
  if (!record.evaluation.empty())
    curve.record_evaluation(record);
  curve.flush();
  if (!summaries)
    return Error::success();
  if (!record.evaluation.empty())
    summaries->record_evaluation(record);
  return summaries->close();
}

Error RunLog::close() {
  progress.finish();
  curve.flush(); // also of a run that fails, which has nothing else to come
  return writer.close();
}

} // namespace tutti::runtime::worker
