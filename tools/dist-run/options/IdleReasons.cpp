// A table of options and of what makes them idle. An option that is asked for is never dropped in
// silence: where it can do nothing, that is said.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/IdleOptions.h"

#include "tools/dist-run/DataOptions.h"

#include "llvm/ADT/StringExtras.h"

using namespace tutti;

namespace {

/// Why the options `names` do nothing, if they do nothing.
struct Rule {
  std::vector<std::string> names;
  bool isIdle;
  std::string reason;
  std::string verdict = "has no effect";
};

} // namespace

static std::vector<Rule> rulesOf(const RunOptions &options, const RunFacts &facts) {
  bool traces = !options.trace.empty(), measures = !options.calibrate.empty();
  bool predicts = options.printPlan || options.dryRun || traces || !options.report.empty();
  int64_t steps = facts.steps.value_or(INT64_MAX);
  bool onlyEvaluates = !measures && options.evaluateOnly;
  int64_t warning = options.stallWarningSeconds.value_or(10);
  std::vector<std::string> idleKeys = idleReadKeys(options);
  return {
      {{"--optimizer-model",
        "--checkpoint",
        "--variables",
        "--size",
        "--train",
        "--distribute",
        "--plan",
        "--cluster",
        "--remarks",
        "--dataset",
        "--evaluate",
        "--evaluate-every",
        "--evaluate-only",
        "--bind",
        "--read",
        "--shuffle",
        "--no-load-ahead",
        "--seed",
        "--steps",
        "--epochs",
        "--on-non-finite",
        "--instructions",
        "--check-replicas",
        "--grace-period",
        "--metrics",
        "--save",
        "--load",
        "--export",
        "--model-dir",
        "--save-checkpoints-steps",
        "--save-checkpoints-secs",
        "--keep-checkpoint-max",
        "--save-summary-steps",
        "--log-step-count-steps",
        "--max-restarts",
        "--resume-anyway",
        "--server-storage",
        "--server-cache-bytes",
        "--server-admit-after",
        "--server-evict-after",
        "--trace",
        "--report",
        "--report-against",
        "--trace-steps"},
       measures,
       "--calibrate measures instead of training"},
      {{"--dataset"},
       onlyEvaluates && !evaluatesByTrainingWords(options),
       "--evaluate-only trains nothing"},
      {{"--read"},
       !measures && !idleKeys.empty(),
       "no data of this run are read by " + llvm::join(idleKeys, ", or by "),
       idleKeys.size() < options.readKeys.size() ? "has less effect than was asked for"
                                                 : "has no effect"},
      {{"--shuffle", "--no-load-ahead", "--evaluate-every", "--save", "--export", "--metrics",
        "--save-checkpoints-steps", "--save-checkpoints-secs", "--keep-checkpoint-max",
        "--save-summary-steps", "--log-step-count-steps", "--on-non-finite", "--check-replicas",
        "--resume-anyway"},
       onlyEvaluates,
       "--evaluate-only trains nothing"},
      {{"--evaluate-every"},
       !onlyEvaluates && options.evaluateEvery > steps,
       "the run ends after " + std::to_string(steps) + " steps"},
      {{"--evaluate"},
       facts.leftOut > 0,
       "nobody knows what a single sample adds to the loss, which is evaluated on whole global "
       "batches of " +
           std::to_string(facts.evaluationBatch),
       "leaves out " + std::to_string(facts.leftOut) + " of " + std::to_string(facts.evaluated) +
           " samples"},
      {{"--evaluate"},
       !facts.drawsInEvaluation.empty() && options.ranks > 1,
       "'" + facts.drawsInEvaluation +
           "' draws while the model is evaluated, for samples that other "
           "numbers of ranks deal otherwise",
       "gives other numbers than on one rank"},
      {{"--check-replicas"},
       !measures && !onlyEvaluates && options.ranks == 1,
       "one rank has no other to compare with"},
      {{"--save-checkpoints-steps"},
       !onlyEvaluates && options.directory.saveSteps.value_or(0) > steps,
       "the run ends after " + std::to_string(steps) + " steps, with a checkpoint of its own"},
      {{"--log-step-count-steps"},
       !measures && !onlyEvaluates && facts.hasTerminal,
       "progress is a line on a terminal, not a log"},
      {{"--max-restarts"},
       !measures && !facts.launcher.empty(),
       facts.launcher + " started the ranks, and would have to start them again"},
      {{"--no-pin"},
       !facts.launcher.empty(),
       facts.launcher + " started the ranks, and chooses their cores"},
      {{"--no-pin"}, facts.launcher.empty() && options.ranks == 1, "one rank shares no cores"},
      {{"--no-pin"}, measures, "--calibrate measures ranks that the system places"},
      {{"--remarks-filter", "--remarks-file"}, options.remarks.empty(), "there is no --remarks"},
      {{"--cluster"},
       !predicts && !measures,
       "predictions are part of --plan, --dry-run, --trace and --report; --distribute has a key of "
       "its own, "
       "cluster"},
      {{"--seed"},
       !measures && !onlyEvaluates && !facts.usesSeed &&
           ((!options.shuffle && !options.read.random_crop && !options.read.flip) ||
            !facts.hasInputs),
       "nothing in this run is random: no operation is, and samples are not shuffled"},
      {{"--dataset", "--shuffle", "--no-load-ahead"},
       !onlyEvaluates && !facts.hasInputs,
       "the step of the program has no inputs"},
      {{"--backend", "--reductions", "--stall-limit", "--stall-warning", "--node",
        "--ranks-per-node"},
       options.ranks == 1 && !facts.hasTables,
       "there is one rank, which talks to no other"},
      {{"--stall-warning"},
       options.ranks > 1 && warning >= options.stallLimitSeconds,
       "the run ends first, by --stall-limit " + std::to_string(options.stallLimitSeconds)},
      {{"--local-cluster"},
       !measures && options.servers && !facts.hasTables,
       "servers hold no table of this program; --distribute=\"serve=auto\" gives them large ones",
       "starts no servers"},
      {{"--server-storage", "--server-cache-bytes", "--server-admit-after", "--server-evict-after"},
       !measures && !facts.hasTables,
       "servers hold no table of this program"},
      {{"--server-cache-bytes"},
       facts.hasTables && options.rows.storage == "memory",
       "servers keep all rows in memory; --server-storage says where else"},
      {{"--server-admit-after", "--server-evict-after"},
       onlyEvaluates,
       "--evaluate-only trains nothing"},
      {{"--trace-steps"},
       traces && options.traceFirst > steps,
       "the run has " + std::to_string(steps) + " steps, so the trace has none of them"},
      {{"--trace-steps"},
       traces && options.traceFirst <= steps && options.traceCount > steps - options.traceFirst + 1,
       "it asks for " + std::to_string(options.traceCount) + " steps from step " +
           std::to_string(options.traceFirst) + " on, but the run ends after " +
           std::to_string(steps),
       "has less effect than was asked for"},
  };
}

std::vector<std::string> tutti::findIdleOptions(const RunOptions &options, const RunFacts &facts) {
  std::vector<std::string> lines;
  for (const Rule &rule : rulesOf(options, facts))
    for (const std::string &name : rule.names)
      if (rule.isIdle && options.given.count(name))
        lines.push_back(name + " " + rule.verdict + ": " + rule.reason);
  return lines;
}
