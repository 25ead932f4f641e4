// Formats the summary of a run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/worker/Report.h"

#include "runtime/core/Error.h"

#include <algorithm>
#include <cstdio>

namespace tutti::runtime::worker {
namespace {

using Ranks = std::vector<RankSummary>;

template <typename Field> Field largest(const Ranks &ranks, Field RankSummary::*field) {
  Field most = {};
  for (const RankSummary &rank : ranks)
    most = std::max(most, rank.*field);
  return most;
}

std::string number(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string seconds(const Ranks &ranks, double RankSummary::*field) {
  return number(largest(ranks, field), 3) + " s";
}

std::string bytes(int64_t given) {
  double count = double(given);
  const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  for (; count >= 1024 && unit < 4; ++unit)
    count /= 1024;
  return text(number(count, unit ? 1 : 0), " ", units[unit]);
}

std::string bytes(const Ranks &ranks, int64_t RankSummary::*field) {
  return bytes(largest(ranks, field));
}

std::string line(std::string name, const std::string &content) {
  name.resize(std::max<size_t>(name.size(), 17), ' ');
  return "  " + name + content + "\n";
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
  return line("effective batch", content);
}

/// Nothing where all of it was read where it lay.
std::string staged(const Ranks &ranks) {
  return largest(ranks, &RankSummary::staged_bytes) == 0
             ? ""
             : text(", ", bytes(ranks, &RankSummary::staged_bytes), " of it staged");
}

std::string time_lines(const Ranks &ranks) {
  double run = largest(ranks, &RankSummary::run_seconds);
  const RankSummary &rank = ranks.front();
  std::string rate =
      run > 0
          ? text(", ", number(double(rank.samples_per_step * rank.steps) / run, 0), " samples/s")
          : "";
  return line("time", number(run, 3) + " s" + rate) +
         line("  computation", seconds(ranks, &RankSummary::compute_seconds)) +
         line("  communication",
              text(seconds(ranks, &RankSummary::communication_seconds), ", ",
                   bytes(ranks, &RankSummary::bytes_moved), " a rank in ",
                   largest(ranks, &RankSummary::collectives), " collectives", staged(ranks))) +
         line("  data", seconds(ranks, &RankSummary::data_seconds));
}

/// Bytes of the variables of one kind that a rank holds and, where it holds a part, of the whole.
std::string variables_of(const Manifest &manifest, const std::string &kind) {
  int64_t held = 0, whole = 0;
  for (const Variable &variable : manifest.variables) {
    if (variable.kind != kind)
      continue;
    bool is_part = variable.placement == Placement::sharded;
    held += *data::array_bytes(variable.type, variable.shape);
    whole += *data::array_bytes(variable.type, is_part ? variable.whole : variable.shape);
  }
  return bytes(held) + " " + kind + (held == whole ? "" : " of " + bytes(whole));
}

std::string variables_line(const Manifest &manifest) {
  return line("  variables",
              text(variables_of(manifest, "trainable"), ", ", variables_of(manifest, "state"), ", ",
                   variables_of(manifest, "other")));
}

std::string evaluation_line(const Manifest &manifest, const RankSummary &rank) {
  if (!manifest.evaluation || rank.evaluation_metrics == 0)
    return "";
  std::string content = "evaluation:";
  for (int64_t m = 0; m < rank.evaluation_metrics; ++m)
    content += text(" ", manifest.evaluation->metrics[m].name, " ", number(rank.evaluation[m], 4));
  return text(content, " (", rank.evaluated_samples, " samples)\n");
}

} // namespace

std::string summary_text(const Manifest &manifest, const Ranks &ranks) {
  const RankSummary &rank = ranks.front();
  std::string losses =
      rank.steps ? text(": loss ", number(rank.first_loss, 6), " -> ", number(rank.last_loss, 6))
                 : "";
  return text("trained ", manifest.program, " for ", rank.steps, " steps on ", ranks.size(),
              ranks.size() == 1 ? " rank" : " ranks", losses, "\n") +
         batch_line(manifest, rank) + time_lines(ranks) +
         line("memory", text(bytes(ranks, &RankSummary::peak_bytes), " peak of a rank, ",
                             bytes(ranks, &RankSummary::planned_bytes), " of it planned")) +
         variables_line(manifest) + evaluation_line(manifest, rank);
}

} // namespace tutti::runtime::worker
