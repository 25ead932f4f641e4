// The rule of sharding of an operation that is written as text, for tests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/layout/FoundRules.h"

#include "lib/layout/ShardingRules.h"
#include "lib/layout/Transfer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace tutti;
using namespace tutti::test;

static std::string joinNumbers(llvm::ArrayRef<unsigned> numbers) {
  auto spell = [](unsigned number) { return std::to_string(number); };
  return llvm::join(llvm::map_range(numbers, spell), " ");
}

static std::string joinSets(llvm::ArrayRef<llvm::SmallVector<unsigned>> sets) {
  auto spell = [](llvm::ArrayRef<unsigned> set) { return joinNumbers(set); };
  return llvm::join(llvm::map_range(sets, spell), "; ");
}

static std::string joinLayouts(llvm::ArrayRef<Layout> layouts) {
  return llvm::join(llvm::map_range(layouts, spellLayout), ", ");
}

mlir::Operation *FoundRules::parse(const std::string &arguments, const std::string &body) {
  module = compiler.parse("func.func private @g(f32) -> f32\nfunc.func @f(" + arguments + ") {\n" +
                          body + "\nreturn\n}");
  EXPECT_TRUE(module) << compiler.diagnostics();
  if (!module)
    return nullptr;
  auto function = module->lookupSymbol<mlir::func::FuncOp>("f");
  return function.getBody().front().getTerminator()->getPrevNode();
}

std::string FoundRules::find(const std::string &arguments, const std::string &body) {
  mlir::Operation *op = parse(arguments, body);
  auto rule = op ? findShardingRule(op) : mlir::FailureOr<ShardingRule>();
  if (failed(rule))
    return "none";
  std::string text = spellShardingRule(*rule);
  if (!rule->linear.empty())
    text += " | " + joinSets(rule->linear);
  if (!rule->shapesOnly.empty())
    text += " | shape " + joinNumbers(rule->shapesOnly);
  return text;
}

std::string FoundRules::transfer(const std::string &arguments, const std::string &body,
                                 llvm::ArrayRef<Layout> operands, int64_t ranks) {
  mlir::Operation *op = parse(arguments, body);
  auto rule = op ? findShardingRule(op) : mlir::FailureOr<ShardingRule>();
  if (failed(rule))
    return "none";
  Transfer found = tutti::transfer(op, *rule, operands, ranks);
  return joinLayouts(found.operands) + " -> " + joinLayouts(found.results);
}
