// Formats the summary of a run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/run/Report.h"

#include "runtime/host/run/ReportText.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <cmath>
#include <csignal>

namespace tutti::runtime::worker {
namespace {

using Ranks = std::vector<RankSummary>;

template <typename Field> Field largest(const Ranks &ranks, Field RankSummary::*field) {
  Field most = {};
  for (const RankSummary &rank : ranks)
    most = std::max(most, rank.*field);
  return most;
}

/// Of the ranks together, so that parts of a time add up to it.
double mean(const Ranks &ranks, double RankSummary::*field) {
  double sum = 0;
  for (const RankSummary &rank : ranks)
    sum += rank.*field;
  return sum / double(ranks.size());
}

/// Without those of earlier launches.
int64_t steps_here(const RankSummary &rank) { return rank.steps - rank.steps_before; }

std::string seconds_text(double seconds) { return number_text(seconds, 3) + " s"; }

std::string bytes(const Ranks &ranks, int64_t RankSummary::*field) {
  return bytes_text(largest(ranks, field));
}

std::string batch_line(const Manifest &manifest, const RankSummary &rank) {
  std::string content = text(rank.samples_per_step, " samples a step");
  if (rank.samples_per_step != manifest.global_batch)
    content +=
        text(" (global batch ", manifest.global_batch, ", policy ", manifest.batch_policy, ")");
  if (rank.repeated_per_step)
    content += text(", ", rank.repeated_per_step, " of them repeated");
  if (rank.dropped_per_epoch)
    content += text("; ", rank.dropped_per_epoch, " samples of each epoch dropped");
  return summary_line("effective batch", content);
}

/// Nothing where all of it was read where it lay.
std::string staged(const Ranks &ranks) {
  return largest(ranks, &RankSummary::staged_bytes) == 0
             ? ""
             : text(", ", bytes(ranks, &RankSummary::staged_bytes), " of it staged");
}

/// The mean over the ranks in whole milliseconds: sums and differences of them are what they seem.
double milliseconds(const Ranks &ranks, double RankSummary::*field) {
  return std::round(mean(ranks, field) * 1e3);
}

/// The first step apart, which prepares kernels and meets cold caches.
std::string steps_text(const Ranks &ranks) {
  const RankSummary &rank = ranks.front();
  double first = mean(ranks, &RankSummary::first_step_seconds);
  double others = mean(ranks, &RankSummary::run_seconds) - first;
  int64_t steps = steps_here(rank);
  if (steps < 2 || others <= 0)
    return "";
  double rate = double(rank.samples_per_step * (steps - 1)) / others;
  double shown = milliseconds(ranks, &RankSummary::run_seconds) -
                 milliseconds(ranks, &RankSummary::first_step_seconds);
  return text(": ", seconds_text(first), " the first step, ", seconds_text(shown / 1e3),
              " the others: median ", step_text(rank.median_step_seconds), ", 95 % below ",
              step_text(rank.p95_step_seconds), ", ", number_text(rate, 0), " samples/s");
}

/// The rank that communicates least is the one for which the others wait.
std::string waiting_text(const Ranks &ranks) {
  double least = ranks.front().communication_seconds;
  for (const RankSummary &rank : ranks)
    least = std::min(least, rank.communication_seconds);
  double waiting = mean(ranks, &RankSummary::communication_seconds) - least;
  return ranks.size() == 1 ? "" : text(", ", seconds_text(waiting), " of it for slower ranks");
}

/// Of one step, where the compiler was given a cluster to predict with.
std::string predicted_text(const Manifest &manifest, const Ranks &ranks) {
  double predicted = 0;
  for (const PlanEntry &entry : manifest.plan)
    if (entry.function == "step") {
      if (!entry.predicted_seconds)
        return "";
      predicted += *entry.predicted_seconds;
    }
  double steps = double(steps_here(ranks.front()));
  if (predicted <= 0 || steps < 1)
    return "";
  double measured = mean(ranks, &RankSummary::communication_seconds) / steps;
  return text("; a step ", step_text(measured), ", predicted ", step_text(predicted));
}

/// Of the batches that were ready when their step began.
std::string loaded_text(const Ranks &ranks) {
  double beside = mean(ranks, &RankSummary::data_seconds_beside);
  return beside > 0 ? text("; ", seconds_text(beside), " of loading beside the steps") : "";
}

/// The last part is what the others leave of the whole.
std::string time_lines(const Manifest &manifest, const Ranks &ranks) {
  double run = milliseconds(ranks, &RankSummary::run_seconds);
  double compute = milliseconds(ranks, &RankSummary::compute_seconds);
  double communication = milliseconds(ranks, &RankSummary::communication_seconds);
  double data = milliseconds(ranks, &RankSummary::data_seconds);
  double other = std::max(0.0, run - compute - communication - data);
  compute = run - communication - data - other;
  auto part = [](double thousandths) { return seconds_text(thousandths / 1e3); };
  return summary_line("time", part(run) + steps_text(ranks)) +
         summary_line("  computation", part(compute)) +
         summary_line("  communication",
                      text(part(communication), waiting_text(ranks), "; ",
                           bytes(ranks, &RankSummary::bytes_moved), " a rank in ",
                           largest(ranks, &RankSummary::collectives), " collectives", staged(ranks),
                           predicted_text(manifest, ranks))) +
         summary_line("  data", part(data) + loaded_text(ranks)) +
         summary_line("  other", part(other));
}

std::string evaluation_line(const Manifest &manifest, const RankSummary &rank) {
  std::string content = evaluation_text(manifest, rank);
  return content.empty() ? "" : "evaluation: " + content + "\n";
}

/// "of 87.5 % ..."; nothing where all rows are in memory.
std::string found_text(const ServerSummary &server) {
  int64_t asked = server.cache_hits + server.cache_misses;
  if (server.stored_bytes == 0 || asked == 0)
    return "";
  return text(", ", bytes_text(server.stored_bytes), " on disk, ",
              number_text(100 * double(server.cache_hits) / double(asked), 1),
              " % found in memory");
}

/// How old rows were, of asynchronous tables; else nothing.
std::string staleness_text(const ServerSummary &server) {
  if (server.stale_pushes == 0)
    return "";
  double mean = double(server.staleness_sum) / double(server.stale_pushes);
  return text("; pushes ", number_text(mean, 2), " updates stale, at most ", server.staleness_max,
              ", and workers at most ", server.ahead_max, " steps ahead");
}

std::string server_text(const ServerSummary &server) {
  bool is_ruled = server.rows_admitted != server.rows_used;
  return text(server.rows_used, " rows in ", bytes_text(server.resident_bytes), found_text(server),
              is_ruled
                  ? text(", ", server.rows_admitted, " admitted, ", server.rows_evicted, " evicted")
                  : "",
              "; ", server.pulled_rows, " rows pulled (", bytes_text(server.pulled_bytes), "), ",
              server.pushed_rows, " pushed (", bytes_text(server.pushed_bytes), ") in ",
              server.updates, " updates", staleness_text(server));
}

/// All together, and each where they are few.
std::string server_lines(const RankSummary &rank) {
  if (rank.servers == 0)
    return "";
  std::string lines = summary_line(rank.servers == 1 ? "server" : text(rank.servers, " servers"),
                                   server_text(rank.all_servers));
  for (int64_t s = 0; s < rank.servers && 1 < rank.servers && rank.servers <= most_told_servers;
       ++s)
    lines += summary_line(text("  server ", s), server_text(rank.of_servers[s]));
  return lines;
}

std::string ranks_text(const Ranks &ranks) {
  return text(ranks.size(), ranks.size() == 1 ? " rank" : " ranks");
}

std::string best_line(const Manifest &manifest, const RankSummary &rank) {
  if (rank.best_step == 0 || !manifest.evaluation)
    return "";
  return text("best: ", manifest.evaluation->metrics[rank.best_metric].name, " ",
              number_text(rank.best_value, 4), " after step ", rank.best_step,
              ", whose variables are saved\n");
}

std::string steps_line(const Manifest &manifest, const Ranks &ranks) {
  const RankSummary &rank = ranks.front();
  bool is_whole = rank.interrupted_by == 0;
  if (is_whole && rank.steps_before > 0 && steps_here(rank) == 0)
    return text("trained ", manifest.program, " for ", rank.steps, " steps in earlier runs\n");
  return text("trained ", manifest.program, " for ", rank.steps,
              is_whole && !rank.is_early ? std::string() : text(" of ", rank.steps_wanted),
              " steps", rank.steps_before ? text(", ", steps_here(rank), " of them here,") : "",
              " on ", ranks_text(ranks),
              rank.is_early                   ? ", then stopped early"
              : is_whole                      ? ""
              : rank.interrupted_by == SIGINT ? ", then interrupted"
              : rank.interrupted_by == SIGHUP ? ", then hung up"
                                              : ", then terminated",
              steps_here(rank) ? text(": loss ", number_text(rank.first_loss, 6), " -> ",
                                      number_text(rank.last_loss, 6))
                               : "",
              "\n");
}

std::string checkpoint_line(const std::string &path, const RankSummary &rank) {
  return path.empty()
             ? ""
             : summary_line("checkpoint", rank.is_saved ? path : "none: no step was finished");
}

std::string model_line(const std::string &path, const RankSummary &rank) {
  return path.empty()
             ? ""
             : summary_line("model", rank.is_exported ? path : "none: no step was finished");
}

} // namespace

std::string evaluation_text(const Manifest &manifest, const RankSummary &rank) {
  if (!manifest.evaluation || rank.evaluation_metrics == 0)
    return "";
  std::string content;
  for (int64_t m = 0; m < rank.evaluation_metrics; ++m)
    if (manifest.evaluation->means[m].is_reported())
      content +=
          text(manifest.evaluation->metrics[m].name, " ", number_text(rank.evaluation[m], 4), " ");
  return text(content, "(", rank.evaluated_samples, " samples)");
}

std::string summary_text(const Manifest &manifest, const Ranks &ranks,
                         const std::string &checkpoint, const std::string &model,
                         const std::string &binding) {
  const RankSummary &rank = ranks.front();
  bool is_trained = rank.steps + rank.steps_wanted > 0 || rank.evaluation_metrics == 0;
  std::string training =
      is_trained
          ? steps_line(manifest, ranks) + batch_line(manifest, rank) + time_lines(manifest, ranks)
          : text("evaluated ", manifest.program, " on ", ranks_text(ranks), "\n");
  return training + (binding.empty() ? "" : summary_line("cores", binding)) +
         summary_line("memory", text(bytes(ranks, &RankSummary::peak_bytes), " peak of a rank, ",
                                     bytes(ranks, &RankSummary::planned_bytes), " of it planned",
                                     repeated_text(manifest))) +
         variables_line(manifest) + states_line(manifest) + server_lines(rank) +
         checkpoint_line(checkpoint, rank) + model_line(model, rank) + best_line(manifest, rank) +
         evaluation_line(manifest, rank);
}

} // namespace tutti::runtime::worker
