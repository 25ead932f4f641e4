// Flags that show what happened.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/TraceOptions.h"

#include "runtime/support/Numbers.h"

using tutti::RunOptions;

/// FIRST, or FIRST:COUNT.
static void parseSteps(const std::string &text, RunOptions &options) {
  auto read = [&](const std::string &part) {
    auto number = tutti::runtime::parse_integer<int64_t>(part, 1);
    if (!number)
      throw CLI::ValidationError("--trace-steps",
                                 "'" + text + "' is not FIRST[:COUNT]: " + number.error().message);
    return *number;
  };
  size_t colon = text.find(':');
  options.traceFirst = read(text.substr(0, colon));
  if (colon != text.npos)
    options.traceCount = read(text.substr(colon + 1));
}

static void addReportOptions(CLI::App &app, RunOptions &options) {
  auto *report =
      app.add_option("--report", options.report,
                     "Write a page that shows the run: curves, times, memory, plan; with "
                     "--model-dir alone of the run there, also while it goes on")
          ->type_name("FILE.html");
  app.add_option("--report-against", options.reportAgainst,
                 "Show the curves of the run in this run directory beside it")
      ->type_name("FOLDER")
      ->needs(report);
}

void tutti::addTraceOptions(CLI::App &app, RunOptions &options) {
  auto *trace = app.add_option("--trace", options.trace,
                               "Write what every rank did and when, for chrome://tracing or "
                               "ui.perfetto.dev")
                    ->type_name("FILE.json");
  app.add_option_function<std::string>(
         "--trace-steps", [&options](const std::string &text) { parseSteps(text, options); },
         "Only of these steps, e.g. 100:20 for 100 to 119 (default: all, while there is room)")
      ->type_name("FIRST[:COUNT]")
      ->needs(trace);
  addReportOptions(app, options);
}
