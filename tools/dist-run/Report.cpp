// What a run was asked for, and how it ended, as data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/Report.h"

#include "runtime/engine/trace/analysis/CriticalPath.h"
#include "runtime/host/run/Report.h"
#include "runtime/host/rundir/folder/Folder.h"
#include "runtime/output/OutputFile.h"
#include "runtime/output/StandardStreams.h"
#include "tools/dist-run/Errors.h"
#include "tools/report/Document.h"
#include "tools/report/Page.h"
#include "tools/report/TraceDigest.h"

#include "llvm/Support/WithColor.h"

#include <chrono>
#include <unistd.h>

using namespace tutti;
using nlohmann::json;
namespace worker = tutti::runtime::worker;

/// The steps that a report traces, unless --trace says more: enough for a median.
constexpr int64_t tracedSteps = 40;

bool tutti::onlyReports(const RunOptions &options) {
  if (options.report.empty() || options.config.model_dir.empty() || !options.input.empty())
    return false;
  for (const std::string &name : options.given)
    if (name != "--report" && name != "--report-against" && name != "--model-dir")
      return false;
  return true;
}

bool tutti::keepsRecord(const RunOptions &options) {
  bool trains = !options.evaluateOnly && options.config.calibrate.empty() && !onlyExports(options);
  return trains && options.rank == 0 &&
         !(options.report.empty() && options.config.model_dir.empty());
}

llvm::Error tutti::checkReport(const RunOptions &options, const std::string &launcher) {
  if (options.report.empty())
    return llvm::Error::success();
  if (std::string missing = report::missingParts(); !missing.empty())
    return makeError("--report: " + missing);
  if (!launcher.empty())
    return makeError("--report: " + launcher +
                     " started the ranks, and nobody is left to write the page: give them "
                     "--model-dir FOLDER, and run 'dist-run --report " +
                     options.report + " --model-dir FOLDER', also while they train");
  if (options.evaluateOnly)
    return makeError("--report shows a run that trains, and --evaluate-only trains nothing: name "
                     "the folder of the run, 'dist-run --report " +
                     options.report + " --model-dir FOLDER'");
  if (options.reportAgainst.empty())
    return llvm::Error::success();
  auto other = report::readDocument(options.reportAgainst);
  return other ? llvm::Error::success() : makeError("--report-against: " + other.error().message);
}

llvm::Error tutti::writeReport(const RunOptions &options, const std::string &folder) {
  auto document = report::readDocument(folder);
  if (!document)
    return makeError("--report: " + document.error().message);
  if (!options.reportAgainst.empty()) {
    auto other = report::readDocument(options.reportAgainst);
    if (!other)
      return makeError("--report-against: " + other.error().message);
    json against;
    for (const char *key : {"curve", "run", "state", "folder"})
      against[key] = other->value(key, json());
    (*document)["against"] = std::move(against);
  }
  if (options.config.model_dir.empty())
    document->erase("folder"); // it is gone when the page is read
  auto file = runtime::output::OutputFile::open(options.report);
  if (!file)
    return makeError("--report: " + file.error().message);
  file->write(report::pageOf(*document));
  if (runtime::Error error = file->commit())
    return makeError("--report: " + error.message);
  runtime::output::print("wrote the report " + options.report + "\n");
  return llvm::Error::success();
}

static int64_t secondsNow() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

static std::string hostName() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

static json describeRun(const RunOptions &options, const RunPrograms &programs,
                        const RunFacts &facts) {
  json run = {{"command", options.command},
              {"model", options.input},
              {"ranks", options.config.ranks},
              {"threads", options.config.threads},
              {"started", secondsNow()},
              {"host", hostName()},
              {"launcher", facts.launcher},
              {"dataset", options.dataset()},
              {"evaluate", options.evaluate()},
              {"train", options.train.value_or("")},
              {"distribute", options.distribute.value_or("")},
              {"seed", options.config.seed},
              {"cluster", options.cluster},
              {"instructions", programs.instructions}};
  if (facts.data.steps)
    run["steps"] = *facts.data.steps;
  return run;
}

static json describeRemarks(const std::vector<std::string> &lines) {
  json remarks = json::array();
  for (const std::string &line : lines)
    if (json remark = json::parse(line, nullptr, /*allow_exceptions=*/false); remark.is_object())
      remarks.push_back(std::move(remark));
  return remarks;
}

std::string RunReport::path() const { return runtime::rundir::Folder(folder).record(); }

void RunReport::chooseTrace(const RunOptions &options, const RunFacts &facts,
                            worker::RunConfig &config) const {
  if (options.report.empty() || !options.config.trace.empty())
    return;
  int64_t done = 0;
  if (auto parts = runtime::rundir::Folder(folder).parts(); parts && !parts->empty())
    done = parts->rbegin()->first;
  config.trace = scratch.path() + "/trace.json";
  bool isShort = facts.lastStep() - done < 2;
  config.trace_first = done + (isShort ? 1 : 2); // the first one prepares kernels
  config.trace_count = tracedSteps;
}

/// No time if there is no such file.
static std::filesystem::file_time_type whenWritten(const std::string &path) {
  std::error_code failed;
  auto time = std::filesystem::last_write_time(path, failed);
  return failed ? std::filesystem::file_time_type() : time;
}

/// Nobody has asked for a report yet: a full disk does not stop the run.
static void warnOfRecord(const runtime::Error &error) {
  llvm::WithColor::warning(llvm::errs(), "dist-run")
      << "the record for reports: " << error.message << "; training goes on without it\n";
}

llvm::Expected<RunReport> RunReport::begin(const RunOptions &options, const RunPrograms &programs,
                                           const RunFacts &facts, worker::RunConfig &config) {
  RunReport report;
  report.folder = options.config.model_dir;
  if (!options.report.empty()) {
    auto made = runtime::ScratchFolder::make();
    if (!made)
      return makeError("--report: " + made.error().message);
    report.scratch = std::move(*made);
    if (report.folder.empty())
      report.folder = report.scratch.path();
  }
  runtime::rundir::Folder place(report.folder);
  config.curve = place.curve();
  report.chooseTrace(options, facts, config);
  report.trace = config.trace;
  report.record = {{"format", report::recordFormat},
                   {"run", describeRun(options, programs, facts)},
                   {"program", report::describeProgram(programs.ofRanks.front().manifest)},
                   {"remarks", describeRemarks(programs.remarks)}};
  report.isOwn = !std::filesystem::exists(place.owner());
  report.hadRecord = std::filesystem::exists(report.path());
  report.curveBefore = whenWritten(place.curve());
  runtime::Error error = report.isOwn && !report.hadRecord
                             ? report::writeRecord(report.path(), report.record)
                             : runtime::Error::success();
  if (error && !options.report.empty())
    return makeError("--report: " + error.message);
  if (error)
    warnOfRecord(error);
  return report;
}

static json describeResult(const RunOptions &options, const worker::Manifest &manifest,
                           const worker::LaunchResult &result) {
  std::vector<worker::RankSummary> complete;
  json summaries = json::array();
  for (size_t rank = 0; rank < result.ranks.size(); ++rank)
    if (result.ranks[rank].summary.is_complete) {
      complete.push_back(result.ranks[rank].summary);
      summaries.push_back(report::describeSummary(complete.back()));
      summaries.back()["rank"] = rank;
    }
  json told = {{"state", result.interrupted_by ? "stopped"
                         : result.status == 0  ? "finished"
                                               : "failed"},
               {"message", result.message},
               {"binding", result.binding},
               {"ended", secondsNow()},
               {"summaries", summaries}};
  if (!complete.empty())
    told["text"] = worker::summary_text(manifest, complete, options.config.save, options.exported,
                                        result.binding);
  json evaluation = json::object();
  for (const auto &[name, value] : result.evaluation)
    evaluation[name] = value;
  told["evaluation"] = std::move(evaluation);
  return told;
}

llvm::Error RunReport::end(const RunOptions &options, const worker::Manifest &manifest,
                           const worker::LaunchResult &result) {
  bool hasTrained = result.status == 0 || result.interrupted_by;
  bool isNew = whenWritten(runtime::rundir::Folder(folder).curve()) != curveBefore;
  if (!hasTrained && (!isOwn || (hadRecord && !isNew))) // what is there is of another launch
    return llvm::Error::success();
  record["result"] = describeResult(options, manifest, result);
  if (!trace.empty() && std::filesystem::exists(trace)) {
    auto digest = report::digestTrace(trace);
    if (!digest)
      return makeError("--report: " + digest.error().message);
    record["trace"] = std::move(*digest);
    json lateness = record["trace"].is_null() ? json() : record["trace"].value("late", json());
    if (std::string late = runtime::trace::analysis::spell_lateness(lateness); !late.empty())
      runtime::output::print("late ranks: " + late + "\n");
  }
  runtime::Error error = report::writeRecord(path(), record);
  if (!options.report.empty())
    return error ? makeError("--report: " + error.message) : writeReport(options, folder);
  if (error)
    warnOfRecord(error);
  return llvm::Error::success();
}
