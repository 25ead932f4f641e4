// --report: what dist-run keeps of a run for a report, and the page.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_REPORT_H
#define TUTTI_TOOLS_DISTRUN_REPORT_H

#include "passes/launch/RankPrograms.h"
#include "runtime/host/launch/Launch.h"
#include "runtime/host/program/Manifest.h"
#include "runtime/support/system/ScratchFolder.h"
#include "tools/dist-run/options/IdleReasons.h"
#include "tools/dist-run/options/Options.h"

#include "llvm/Support/Error.h"

#include <filesystem>
#include <nlohmann/json.hpp>

namespace tutti {

/// Whether the command asks for the report of a run directory, and for nothing else.
bool onlyReports(const RunOptions &options);

/// Whether the run keeps what a report shows: it trains, and there is a run directory or --report.
bool keepsRecord(const RunOptions &options);

/// Refuses a --report that could not be made, before anything is compiled. `launcher`: who started
/// this process as one of many ranks; empty: nobody.
llvm::Error checkReport(const RunOptions &options, const std::string &launcher);

/// Writes the page of the run in --model-dir. With --report-against that of the other is in it.
llvm::Error writeReport(const RunOptions &options, const std::string &folder);

/// The record of a run: in the run directory, or for the time of the run elsewhere.
class RunReport {
public:
  /// Lets `config` write the curve and, with --report, the trace; writes what is known before the
  /// ranks start. A run directory with a record keeps it until this launch has trained: it may yet
  /// be refused, and another run may own it.
  static llvm::Expected<RunReport> begin(const RunOptions &options, const RunPrograms &programs,
                                         const RunFacts &facts, runtime::worker::RunConfig &config);
  /// Adds how the run ended, also where it failed, and writes the page if one is asked for.
  llvm::Error end(const RunOptions &options, const runtime::worker::Manifest &manifest,
                  const runtime::worker::LaunchResult &result);

private:
  void chooseTrace(const RunOptions &options, const RunFacts &facts,
                   runtime::worker::RunConfig &config) const;
  std::string path() const;

  std::string folder, trace;
  runtime::ScratchFolder scratch;
  nlohmann::json record;
  bool isOwn = true;      ///< no other run is using the folder
  bool hadRecord = false; ///< of an earlier launch
  std::filesystem::file_time_type curveBefore;
};

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_REPORT_H
