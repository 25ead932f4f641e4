// Seconds in JSON, milliseconds for people.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/planning/Report.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tutti::planning;
using tutti::cost::StepTime;
namespace json = llvm::json;

static json::Object toJson(const StepTime &time) {
  return json::Object{{"step_seconds", time.step},
                      {"compute_seconds", time.compute},
                      {"communication_seconds", time.communication},
                      {"exposed_seconds", time.exposed}};
}

static json::Value toJson(const std::optional<StepTime> &time, int64_t batch) {
  if (!time)
    return nullptr;
  json::Object object = toJson(*time);
  object["local_batch"] = batch;
  return object;
}

static json::Value toJson(const tutti::program::PlanTotal &total) {
  auto countOrNull = [](int64_t count) {
    return count == tutti::program::PlanEntry::unknown ? json::Value(nullptr) : json::Value(count);
  };
  json::Object object{{"calls", countOrNull(total.calls)}, {"bytes", countOrNull(total.bytes)}};
  if (total.predictedSeconds >= 0)
    object["predicted_seconds"] = total.predictedSeconds;
  return object;
}

static json::Value toJson(const ScalingRow &row) {
  return json::Object{{"ranks", row.ranks},
                      {"nodes", row.nodes},
                      {"strong", toJson(row.strong, row.strongBatch)},
                      {"weak", toJson(row.weak, row.weakBatch)}};
}

json::Value tutti::planning::toJson(const Report &report) {
  json::Array entries, scaling;
  for (const auto &entry : report.plan)
    entries.push_back(program::toJson(entry));
  program::PlanTotal total = program::totalOf(report.plan, "step");
  json::Object object{{"ranks", report.ranks > 0 ? json::Value(report.ranks) : nullptr},
                      {"plan", std::move(entries)},
                      {"step", ::toJson(total)},
                      {"plan_hash", program::hashPlan(report.plan)}};
  if (report.step)
    object["prediction"] = ::toJson(*report.step);
  for (const ScalingRow &row : report.scaling)
    scaling.push_back(::toJson(row));
  if (!report.scaling.empty())
    object["scaling"] = std::move(scaling);
  json::Array servers;
  for (const program::TablePlan &table : report.servers)
    servers.push_back(program::toJson(table));
  if (!report.servers.empty())
    object["servers"] = std::move(servers);
  return object;
}

static std::string milliseconds(double seconds) {
  return llvm::formatv("{0:f3}", seconds * 1e3).str();
}

/// Batch, step, communication, exposed communication.
static std::string cells(const std::optional<StepTime> &time, int64_t batch) {
  constexpr const char *kCells = "{0,7} {1,10} {2,10} {3,10}";
  if (!time)
    return llvm::formatv(kCells, "-", "-", "-", "-");
  return llvm::formatv(kCells, batch, milliseconds(time->step), milliseconds(time->communication),
                       milliseconds(time->exposed));
}

static void printScaling(llvm::ArrayRef<ScalingRow> rows, llvm::raw_ostream &out) {
  out << "\npredicted milliseconds    same global batch                          same batch of a "
         "rank\n";
  std::string head =
      llvm::formatv("{0,7} {1,10} {2,10} {3,10}", "batch", "step", "comm.", "exposed");
  out << llvm::formatv("{0,6} {1,6}  {2}    {3}\n", "ranks", "nodes", head, head);
  for (const ScalingRow &row : rows)
    out << llvm::formatv("{0,6} {1,6}  {2}    {3}\n", row.ranks, row.nodes,
                         cells(row.strong, row.strongBatch), cells(row.weak, row.weakBatch));
}

void tutti::planning::printReport(const Report &report, llvm::raw_ostream &out) {
  if (!report.servers.empty())
    out << (report.ranks > 0 ? std::to_string(report.ranks) + " workers" : std::string("workers"))
        << ": the program of each\n";
  program::printPlan(report.plan, out);
  program::printServerPlan(report.servers, out);
  if (report.step)
    out << llvm::formatv(
        "\npredicted step on {0} ranks: {1} ms, computing {2} ms{3}, communicating {4} "
        "ms of which {5} ms show\n",
        report.ranks, milliseconds(report.step->step), milliseconds(report.step->compute),
        report.repeating > 0 ? ", " + milliseconds(report.repeating) + " ms of it again" : "",
        milliseconds(report.step->communication), milliseconds(report.step->exposed));
  if (!report.scaling.empty())
    printScaling(report.scaling, out);
}
