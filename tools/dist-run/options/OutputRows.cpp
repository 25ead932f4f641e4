// The options of what a run leaves: the run directory, the trace and the report.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/options/OptionRow.h"

using namespace tutti;
using runtime::worker::RunConfig;

static std::string endsBeforeSaving(const RunOptions &options, const RunFacts &facts) {
  return noEffect(!isEvaluation(options) &&
                      options.config.save_checkpoints_steps > facts.lastStep(),
                  "the run ends after " + llvm::Twine(facts.lastStep()) +
                      " steps, with a checkpoint of its own");
}

static std::string isRestartedByOthers(const RunOptions &options, const RunFacts &facts) {
  return noEffect(!isCalibration(options) && !facts.launcher.empty(),
                  facts.launcher + " started the ranks, and would have to start them again");
}

std::vector<OptionRow> tutti::directoryRows() {
  return {
      text("--model-dir", &RunConfig::model_dir,
           "The run directory: go on from its newest checkpoint, and write checkpoints there")
          .takes("FOLDER")
          .idle({calibrates}),
      number("--save-checkpoints-steps", &RunConfig::save_checkpoints_steps, stepRange,
             "Write a checkpoint after every N steps (default: 100)")
          .needs({"--model-dir"})
          .idle({calibrates, onlyEvaluates, endsBeforeSaving}),
      number("--save-checkpoints-secs", &RunConfig::save_checkpoints_secs, secondRange,
             "Write one after every so many seconds instead")
          .takes("SECONDS")
          .needs({"--model-dir"})
          .excludes({"--save-checkpoints-steps"})
          .idle({calibrates, onlyEvaluates}),
      number("--keep-checkpoint-max", &RunConfig::keep_checkpoint_max, {0},
             "Keep the newest N checkpoints (default: 5), or all of them, if N is 0")
          .needs({"--model-dir"})
          .idle({calibrates, onlyEvaluates}),
      number("--save-summary-steps", &RunConfig::save_summary_steps, stepRange,
             "Write loss, learning rate and the like for TensorBoard and as JSON lines after "
             "every N steps (default: 100)")
          .needs({"--model-dir"})
          .idle({calibrates, onlyEvaluates}),
      number("--max-restarts", &RunConfig::max_restarts, {0, 1 << 20},
             "When a rank dies or stalls, start all of them again from the newest checkpoint, up "
             "to R times (default: 0)")
          .takes("R")
          .needs({"--model-dir"})
          .idle({calibrates, isRestartedByOthers}),
      texts("--resume-anyway", &RunConfig::resume_anyway,
            "Go on although these differ from what the checkpoint was made with: seed, data, "
            "program, learning-rate and what else decides the numbers")
          .takes("KEY,...")
          .needs({"--model-dir"})
          .idle({calibrates, onlyEvaluates}),
      flag("--follow", &RunOptions::follow,
           "With --evaluate-only: evaluate each new checkpoint there, until the run that "
           "writes them has done all its steps")
          .needs({"--model-dir", "--evaluate-only"}),
  };
}

/// FIRST, or FIRST:COUNT.
static void parseTraceSteps(RunOptions &options, const std::string &text) {
  auto read = [&](const std::string &part) {
    auto number = runtime::parse_integer<int64_t>(part, 1);
    if (!number)
      throw CLI::ValidationError("--trace-steps",
                                 "'" + text + "' is not FIRST[:COUNT]: " + number.error().message);
    return *number;
  };
  size_t colon = text.find(':');
  options.config.trace_first = read(text.substr(0, colon));
  if (colon != text.npos)
    options.config.trace_count = read(text.substr(colon + 1));
}

static std::string endsBeforeTrace(const RunOptions &options, const RunFacts &facts) {
  const RunConfig &config = options.config;
  int64_t steps = facts.lastStep();
  if (config.trace.empty() || config.trace_first > steps)
    return noEffect(!config.trace.empty(),
                    "the run has " + llvm::Twine(steps) + " steps, so the trace has none of them");
  if (config.trace_count <= steps - config.trace_first + 1)
    return "";
  return ("has less effect than was asked for: it asks for " + llvm::Twine(config.trace_count) +
          " steps from step " + llvm::Twine(config.trace_first) + " on, but the run ends after " +
          llvm::Twine(steps))
      .str();
}

std::vector<OptionRow> tutti::traceRows() {
  return {
      text("--trace", &RunConfig::trace,
           "Write what every rank did and when, for chrome://tracing or ui.perfetto.dev")
          .takes("FILE.json")
          .idle({calibrates}),
      value("--trace-steps", parseTraceSteps,
            "Only of these steps, e.g. 100:20 for 100 to 119 (default: all, while there is room)")
          .takes("FIRST[:COUNT]")
          .needs({"--trace"})
          .idle({calibrates, endsBeforeTrace}),
      text("--report", &RunOptions::report,
           "Write a page that shows the run: curves, times, memory, plan; with "
           "--model-dir alone of the run there, also while it goes on")
          .takes("FILE.html")
          .idle({calibrates}),
      text("--report-against", &RunOptions::reportAgainst,
           "Show in the report, for comparison, the curves of the run in this run directory")
          .takes("FOLDER")
          .needs({"--report"})
          .idle({calibrates}),
  };
}
