// The communication plan as text: one line, a table, JSON, a hash.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/plan/Plan.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"

using namespace tutti::program;

/// "?" where a count is not known.
static std::string spelled(int64_t count) {
  return count == PlanEntry::unknown ? "?" : std::to_string(count);
}

static std::string spelledAll(llvm::ArrayRef<int64_t> counts) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::interleaveComma(llvm::map_range(counts, spelled), out);
  return text;
}

template <typename T> static std::string joined(const std::vector<T> &values) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::interleaveComma(values, out);
  return text;
}

static bool namesRoot(const PlanEntry &entry) {
  return llvm::is_contained({"broadcast", "scatter", "reduce", "gather"}, entry.operation);
}

/// "from 0" or "to 0", as the operation is written.
static std::string rootOf(const PlanEntry &entry) {
  bool isTarget = entry.operation == "reduce" || entry.operation == "gather";
  return (isTarget ? "to " : "from ") + std::to_string(entry.root);
}

std::string tutti::program::describe(const PlanEntry &entry) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << entry.function << (entry.is_asynchronous ? " async " : " ") << entry.operation;
  if (!entry.reduction.empty())
    out << " " << entry.reduction;
  if (namesRoot(entry))
    out << " " << rootOf(entry);
  if (entry.tag >= 0)
    out << " tag " << entry.tag;
  if (!entry.table.empty())
    out << " of " << entry.table << " at " << entry.group;
  else
    out << " on " << entry.group;
  if (!entry.elements.empty())
    out << ": " << entry.wire << " [" << spelledAll(entry.elements) << "], " << spelled(entry.bytes)
        << " bytes";
  return text;
}

/// "f32", or "f32 as f16" where a narrower type travels.
static std::string spellTypes(const PlanEntry &entry) {
  return entry.type == entry.wire ? entry.type : entry.type + " as " + entry.wire;
}

static std::string spellMicroseconds(std::optional<double> seconds) {
  return !seconds ? "-" : llvm::formatv("{0:f1}", *seconds * 1e6).str();
}

static int64_t product(int64_t a, int64_t b) {
  bool isKnown = a != PlanEntry::unknown && b != PlanEntry::unknown;
  return isKnown ? a * b : PlanEntry::unknown;
}

static int64_t sum(int64_t a, int64_t b) {
  bool isKnown = a != PlanEntry::unknown && b != PlanEntry::unknown;
  return isKnown ? a + b : PlanEntry::unknown;
}

PlanTotal tutti::program::totalOf(llvm::ArrayRef<PlanEntry> plan, llvm::StringRef function) {
  PlanTotal total;
  total.predictedSeconds = 0;
  bool isPredicted = false, isWhole = true;
  for (const PlanEntry &entry : plan) {
    if (entry.function != function)
      continue;
    total.calls = sum(total.calls, entry.times);
    total.bytes = sum(total.bytes, product(entry.times, entry.bytes));
    total.predictedSeconds += entry.predicted_seconds.value_or(0) * double(entry.times);
    isPredicted = true;
    isWhole &= entry.predicted_seconds && entry.times != PlanEntry::unknown;
  }
  if (!isPredicted || !isWhole)
    total.predictedSeconds = -1;
  return total;
}

static void printTotal(const PlanTotal &total, llvm::raw_ostream &out) {
  out << llvm::formatv("a step: {0} calls, {1} bytes of a rank", spelled(total.calls),
                       spelled(total.bytes));
  if (total.predictedSeconds >= 0)
    out << ", " << spellMicroseconds(total.predictedSeconds) << " us predicted";
  out << "\n";
}

/// What an entry is about: its buffers, or a table and the node that wants its rows.
static std::string spellSource(const PlanEntry &entry) {
  std::string source = joined(entry.source);
  return entry.table.empty() ? source : "table " + entry.table + ", " + source;
}

/// Pulls and pushes have a longer group than "world".
static std::string padGroup(llvm::StringRef group, llvm::ArrayRef<PlanEntry> plan) {
  bool hasTables = llvm::any_of(plan, [](const PlanEntry &entry) { return !entry.table.empty(); });
  size_t width = hasTables ? llvm::StringRef(PlanEntry::at_servers).size() : 0;
  return group.str() + std::string(width - std::min(width, group.size()), ' ');
}

/// A column that is there if any entry has a way.
static std::string padWay(llvm::StringRef way, llvm::ArrayRef<PlanEntry> plan) {
  constexpr size_t kWidth = 8;
  bool hasWays = llvm::any_of(plan, [](const PlanEntry &entry) { return !entry.way.empty(); });
  return hasWays ? way.str() + std::string(kWidth - std::min(kWidth, way.size()), ' ') : "";
}

void tutti::program::printPlan(llvm::ArrayRef<PlanEntry> plan, llvm::raw_ostream &out) {
  constexpr const char *kRow = "{0,3}  {1,-10}  {2,-14}  {3,-6}  {4,-5}  {5,-4}  {6,7}  {7,10}  "
                               "{8,5}  {9,6}  {10,12}  {11}{12}\n";
  out << llvm::formatv(kRow, "id", "function", "operation", "kind", padGroup("group", plan), "type",
                       "buffers", "bytes", "times", "bucket", "predicted us", padWay("way", plan),
                       "what");
  for (const PlanEntry &entry : plan) {
    std::string kind = entry.tag >= 0     ? "tag " + std::to_string(entry.tag)
                       : namesRoot(entry) ? rootOf(entry)
                                          : entry.reduction;
    std::string operation = (entry.is_asynchronous ? "async " : "") + entry.operation;
    std::string bucket = entry.bucket < 0 ? "-" : std::to_string(entry.bucket);
    out << llvm::formatv(kRow, entry.id, entry.function, operation, kind,
                         padGroup(entry.group, plan), spellTypes(entry), entry.elements.size(),
                         spelled(entry.bytes), spelled(entry.times), bucket,
                         spellMicroseconds(entry.predicted_seconds), padWay(entry.way, plan),
                         spellSource(entry));
  }
  if (llvm::any_of(plan, [](const PlanEntry &entry) { return entry.function == "step"; }))
    printTotal(totalOf(plan, "step"), out);
}

std::string tutti::program::hashText(llvm::StringRef text) {
  auto digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  return llvm::toHex(digest, /*LowerCase=*/true);
}

std::string tutti::program::hashPlan(llvm::ArrayRef<PlanEntry> plan) {
  std::string text;
  for (const PlanEntry &entry : plan)
    text += describe(entry) + "\n";
  return hashText(text);
}
