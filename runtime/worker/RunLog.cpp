// Telling about a run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/worker/RunLog.h"

#include "runtime/worker/Buffers.h"

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
  int64_t epochs = (steps + steps_per_epoch - 1) / steps_per_epoch;
  RunLog log(std::move(*writer),
             Progress(is_speaker ? config.run.progress : "none", stdout, steps, epochs));
  log.metrics = manifest.metrics;
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == "loss")
      log.loss_index = int64_t(i);
  log.steps_per_epoch = steps_per_epoch;
  log.samples_per_step = manifest.samples_per_step;
  log.is_speaker = is_speaker;
  return log;
}

void RunLog::record(int64_t step, double seconds, void *const *results, RankSummary &summary) {
  StepRecord record = {
      step + 1, step / steps_per_epoch + 1, {}, double(samples_per_step) / seconds};
  for (size_t i = 0; i < metrics.size(); ++i)
    record.metrics.push_back(read_number(metrics[i].type, results[i]));
  bool has_loss = loss_index >= 0;
  double loss = has_loss ? record.metrics[loss_index] : 0;
  record_loss(step, loss, summary);
  writer.write(record);
  std::chrono::duration<double> since_begin = std::chrono::steady_clock::now() - begin;
  progress.show(record.step, record.epoch, loss, has_loss,
                double(samples_per_step) * double(record.step) / since_begin.count());
}

void RunLog::record_loss(int64_t step, double loss, RankSummary &summary) {
  if (step == 0)
    summary.first_loss = loss;
  summary.last_loss = loss;
  if (std::isfinite(loss) || summary.first_bad_step != 0)
    return;
  summary.first_bad_step = step + 1;
  progress.finish();
  if (is_speaker)
    std::fprintf(stderr, "warning: the loss of step %" PRId64 " is not finite (%g)\n", step + 1,
                 loss);
}

Error RunLog::close() {
  progress.finish();
  return writer.close();
}

} // namespace tutti::runtime::worker
