// The rules of sharding of all operations, as a table for people.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/ShardingTable.h"

#include "dialects/interfaces/sharding/ShardingRule.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tutti;

namespace {
/// What several operations may say alike.
using Row = std::tuple<StringRef, StringRef, StringRef, StringRef>; ///< dialect, rule, linear, note
} // namespace

static std::string quote(StringRef text) { return text.empty() ? "" : "`" + text.str() + "`"; }

void tutti::printShardingTable(MLIRContext &context, llvm::raw_ostream &out) {
  llvm::MapVector<Row, SmallVector<std::string>> rows;
  SmallVector<RegisteredOperationName> names(context.getRegisteredOperations());
  llvm::sort(names, [](auto a, auto b) { return a.getStringRef() < b.getStringRef(); });
  for (RegisteredOperationName name : names) {
    auto *rule = name.getInterface<ShardingRuleOpInterface>();
    if (rule && !rule->getShardingText().empty())
      rows[{name.getDialectNamespace(), rule->getShardingText(), rule->getLinearText(),
            rule->getShardingNote()}]
          .push_back(quote(name.getStringRef()));
  }
  out << "| operation | rule | linear in | what attributes change |\n| --- | --- | --- | --- |\n";
  for (auto &[row, alike] : rows) {
    auto [dialect, rule, linear, note] = row;
    out << "| " << llvm::join(alike, ", ") << " | " << quote(rule) << " | " << linear << " | "
        << note << " |\n";
  }
}
