// The communication plan as text: one line, a table, JSON, a hash.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/Plan.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"

using namespace tutti::execution;
namespace json = llvm::json;

template <typename T> static std::string joined(const std::vector<T> &values) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::interleaveComma(values, out);
  return text;
}

/// "from 0" or "to 0", as the operation is written.
static std::string rootOf(const PlanEntry &entry) {
  bool isTarget = entry.operation == "reduce" || entry.operation == "gather";
  return (isTarget ? "to " : "from ") + std::to_string(entry.root);
}

std::string tutti::execution::describe(const PlanEntry &entry) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << entry.function << (entry.isAsynchronous ? " async " : " ") << entry.operation;
  if (!entry.reduction.empty())
    out << " " << entry.reduction;
  if (entry.root >= 0)
    out << " " << rootOf(entry);
  if (entry.tag >= 0)
    out << " tag " << entry.tag;
  out << " on " << entry.group;
  if (!entry.elements.empty())
    out << ": " << entry.type << " [" << joined(entry.elements) << "], " << entry.bytes << " bytes";
  return text;
}

json::Value tutti::execution::toJson(const PlanEntry &entry) {
  return json::Object{{"id", entry.id},
                      {"function", entry.function},
                      {"op", entry.operation},
                      {"reduction", entry.reduction},
                      {"group", entry.group},
                      {"type", entry.type},
                      {"elements", json::Array(entry.elements)},
                      {"bytes", entry.bytes},
                      {"root", std::max<int64_t>(entry.root, 0)},
                      {"peer", entry.peer},
                      {"tag", entry.tag},
                      {"async", entry.isAsynchronous},
                      {"source", json::Array(entry.source)}};
}

void tutti::execution::printPlan(llvm::ArrayRef<PlanEntry> plan, llvm::raw_ostream &out) {
  constexpr const char *kRow =
      "{0,3}  {1,-10}  {2,-14}  {3,-6}  {4,-5}  {5,-4}  {6,7}  {7,10}  {8}\n";
  out << llvm::formatv(kRow, "id", "function", "operation", "kind", "group", "type", "buffers",
                       "bytes", "what");
  for (const PlanEntry &entry : plan) {
    std::string kind = entry.tag >= 0    ? "tag " + std::to_string(entry.tag)
                       : entry.root >= 0 ? rootOf(entry)
                                         : entry.reduction;
    std::string operation = (entry.isAsynchronous ? "async " : "") + entry.operation;
    out << llvm::formatv(kRow, entry.id, entry.function, operation, kind, entry.group, entry.type,
                         entry.elements.size(), entry.bytes, joined(entry.source));
  }
}

std::string tutti::execution::hashText(llvm::StringRef text) {
  auto digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  return llvm::toHex(digest, /*LowerCase=*/true);
}

std::string tutti::execution::hashPlan(llvm::ArrayRef<PlanEntry> plan) {
  std::string text;
  for (const PlanEntry &entry : plan)
    text += describe(entry) + "\n";
  return hashText(text);
}
