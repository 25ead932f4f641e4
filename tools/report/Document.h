// The data of a report: one JSON object, from what a run leaves in a folder.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_REPORT_DOCUMENT_H
#define TUTTI_TOOLS_REPORT_DOCUMENT_H

#include "runtime/host/program/Manifest.h"
#include "runtime/host/run/Summary.h"
#include "runtime/support/Error.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tutti::report {

/// What the format of records is; a record of another one is refused.
constexpr int recordFormat = 1;

/// What a compiled program tells a report: "name", "parameters", "variables" (the largest, with
/// name, class, type, shape, bytes), "arena", "layout" and "plan", as in its manifest, both cut to
/// what a page shows.
nlohmann::json describeProgram(const std::string &manifest);

/// A rank's own summary by the names of its fields, without its evaluation.
nlohmann::json describeSummary(const runtime::worker::RankSummary &summary);

/// Writes `record` to `path`, whole or not at all.
runtime::Error writeRecord(const std::string &path, const nlohmann::json &record);

/// The document of the run in `folder`, be it over or not:
///
///   "state"    "finished", "stopped", "failed", "running" or "unknown"; "note": what is not there
///              and why, if that is so
///   "run"      what was asked for; "program", see describeProgram; "remarks"
///   "result"   how it ended, with "summaries" of ranks; absent until then
///   "trace"    see digestTrace; null where there is none
///   "curve"    see CurveWriter, or made of the lines of metrics.jsonl
///
/// Of a folder of an older version there is the curve alone. An error names the file that is
/// damaged, or says that nobody has trained there.
runtime::Result<nlohmann::json> readDocument(const std::string &folder);

} // namespace tutti::report

#endif // TUTTI_TOOLS_REPORT_DOCUMENT_H
