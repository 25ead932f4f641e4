// Formats the summary of a run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace tutti;
using runtime::worker::LaunchResult;
using runtime::worker::Manifest;
using runtime::worker::RankSummary;

template <typename Field>
static Field largest(const LaunchResult &result, Field RankSummary::*field) {
  Field most = {};
  for (const auto &rank : result.ranks)
    most = std::max(most, rank.summary.*field);
  return most;
}

static std::string bytes(double count) {
  const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  unsigned unit = 0;
  for (; count >= 1024 && unit < 4; ++unit)
    count /= 1024;
  std::string text;
  raw_string_ostream(text) << format(unit ? "%.1f " : "%.0f ", count) << units[unit];
  return text;
}

static raw_ostream &line(raw_ostream &out, StringRef name) {
  return out << "  " << left_justify(name, 17);
}

static void printBatch(raw_ostream &out, const Manifest &manifest, const RankSummary &rank) {
  line(out, "effective batch") << rank.samples_per_step << " samples a step";
  if (rank.samples_per_step != manifest.global_batch)
    out << " (global batch " << manifest.global_batch << ", policy " << manifest.batch_policy
        << ")";
  if (rank.repeated_per_step)
    out << ", " << rank.repeated_per_step << " of them repeated";
  if (rank.dropped_per_epoch)
    out << "; " << rank.dropped_per_epoch << " samples of each epoch dropped";
  out << "\n";
}

static void printTimes(raw_ostream &out, const LaunchResult &result) {
  double run = largest(result, &RankSummary::run_seconds);
  const RankSummary &rank = result.ranks.front().summary;
  line(out, "time") << format("%.3f s", run);
  if (run > 0)
    out << format(", %.0f samples/s", double(rank.samples_per_step * rank.steps) / run);
  out << "\n";
  line(out, "  computation") << format("%.3f s\n", largest(result, &RankSummary::compute_seconds));
  line(out, "  communication") << format("%.3f s, ",
                                         largest(result, &RankSummary::communication_seconds))
                               << bytes(largest(result, &RankSummary::bytes_moved)) << " a rank in "
                               << largest(result, &RankSummary::collectives) << " collectives\n";
  line(out, "  data") << format("%.3f s\n", largest(result, &RankSummary::data_seconds));
}

static void printEvaluation(raw_ostream &out, const LaunchResult &result) {
  if (result.evaluation.empty())
    return;
  out << "evaluation:";
  for (const auto &[name, value] : result.evaluation)
    out << " " << name << format(" %.4f", value);
  out << " (" << result.ranks.front().summary.evaluated_samples << " samples)\n";
}

void tutti::printSummary(raw_ostream &out, const Manifest &manifest, const LaunchResult &result) {
  const RankSummary &rank = result.ranks.front().summary;
  out << "trained " << manifest.program << " for " << rank.steps << " steps on "
      << result.ranks.size() << (result.ranks.size() == 1 ? " rank" : " ranks");
  if (rank.steps)
    out << format(": loss %.6f -> %.6f", rank.first_loss, rank.last_loss);
  out << "\n";
  printBatch(out, manifest, rank);
  printTimes(out, result);
  line(out, "memory") << bytes(largest(result, &RankSummary::peak_bytes)) << " peak of a rank, "
                      << bytes(largest(result, &RankSummary::planned_bytes)) << " of it planned\n";
  printEvaluation(out, result);
}
