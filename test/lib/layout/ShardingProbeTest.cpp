// Every rule of sharding is what operations do: each is cut into 2 and 3 parts along each factor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/layout/OperatorProbe.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <set>

using namespace tutti::test;

namespace {

std::string readExamples() {
  auto file = llvm::MemoryBuffer::getFile(TUTTI_SHARDING_EXAMPLES);
  return file ? (*file)->getBuffer().str() : "";
}

std::vector<std::string> namesOfExamples() {
  std::vector<std::string> names;
  std::string text = readExamples();
  llvm::SmallVector<llvm::StringRef> lines, parts;
  llvm::StringRef(text).split(lines, '\n');
  llvm::Regex function("^func.func @([a-z0-9_]+)");
  for (llvm::StringRef line : lines)
    if (function.match(line, &parts))
      names.push_back(parts[1].str());
  return names;
}

/// The examples, parsed in a context of their own.
class Examples {
public:
  Examples() {
    compiler.context().allowUnregisteredDialects();
    module = compiler.parse(readExamples());
    EXPECT_TRUE(module) << compiler.diagnostics();
  }
  OperatorProbe probe(llvm::StringRef name) {
    return {compiler, module->lookupSymbol<mlir::func::FuncOp>(name)};
  }

  Compiler compiler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

class ShardingProbe : public testing::TestWithParam<std::string> {};

TEST_P(ShardingProbe, PartsGiveTheWhole) {
  Examples examples;
  ASSERT_TRUE(examples.module);
  OperatorProbe probe = examples.probe(GetParam());
  EXPECT_THAT(probe.findFaults(), testing::IsEmpty())
      << tutti::spellShardingRule(probe.rule()) << "\n"
      << examples.compiler.diagnostics();
}

INSTANTIATE_TEST_SUITE_P(Examples, ShardingProbe, testing::ValuesIn(namesOfExamples()),
                         [](const auto &info) { return info.param; });

/// Whether operators of the dialect must have a rule: all but those of other tools.
bool needsRule(mlir::RegisteredOperationName name) {
  return name.getDialectNamespace() == "onnx" && name.getStringRef() != "onnx.custom";
}

/// An operator without a rule, or a rule without an example to try it on, is not finished.
TEST(ShardingRules, EveryOperatorHasARuleAndAnExample) {
  Examples examples;
  ASSERT_TRUE(examples.module);
  std::set<llvm::StringRef> tried;
  examples.module->walk([&](mlir::Operation *op) { tried.insert(op->getName().getStringRef()); });
  for (mlir::RegisteredOperationName name : examples.compiler.context().getRegisteredOperations()) {
    auto *rule = name.getInterface<tutti::ShardingRuleOpInterface>();
    bool hasRule = rule && !rule->getShardingText().empty();
    EXPECT_TRUE(hasRule || !needsRule(name))
        << name.getStringRef().str() << " has no line `let sharding` in its definition";
    EXPECT_TRUE(!hasRule || tried.count(name.getStringRef()))
        << name.getStringRef().str() << " has no example in " << TUTTI_SHARDING_EXAMPLES;
  }
}

/// The rule of an example, changed, and what the probe says of that.
std::vector<std::string> faultsOf(llvm::StringRef example,
                                  llvm::function_ref<void(tutti::ShardingRule &)> change) {
  Examples examples;
  OperatorProbe probe = examples.probe(example);
  tutti::ShardingRule rule = probe.rule();
  change(rule);
  probe.assume(rule);
  return probe.findFaults();
}

TEST(ShardingRules, WrongRulesAreFound) {
  using tutti::FactorKind;
  using tutti::ShardingRule;
  auto kindOfFirst = [](FactorKind kind) {
    return [kind](ShardingRule &rule) { rule.factors.front().kind = kind; };
  };
  EXPECT_THAT(faultsOf("reduce_sum", kindOfFirst(FactorKind::Pass)),
              testing::Not(testing::IsEmpty()));
  EXPECT_THAT(faultsOf("reduce_sum", kindOfFirst(FactorKind::Max)),
              testing::Not(testing::IsEmpty()));
  EXPECT_THAT(faultsOf("reduce_mean", [](ShardingRule &rule) { rule.factors[0].divides = false; }),
              testing::Not(testing::IsEmpty()));
  EXPECT_THAT(
      faultsOf("softmax", [](ShardingRule &rule) { rule.factors[1].kind = FactorKind::Pass; }),
      testing::Not(testing::IsEmpty()));
  EXPECT_THAT(faultsOf("exp", [](ShardingRule &rule) { rule.addLinear({0}); }),
              testing::Contains("not linear in operands 0"));
  EXPECT_THAT(faultsOf("add", [](ShardingRule &rule) { rule.linear = {{0}}; }),
              testing::Not(testing::IsEmpty()));
  EXPECT_THAT(faultsOf("mul", [](ShardingRule &rule) { rule.shapesOnly = {1}; }),
              testing::Not(testing::IsEmpty()));
  EXPECT_THAT(faultsOf("gemm",
                       [](ShardingRule &rule) {
                         rule.linear = {{0}, {1}};
                       }),
              testing::Not(testing::IsEmpty()));
  EXPECT_THAT(
      faultsOf("transpose",
               [](ShardingRule &rule) { std::swap(rule.results[0][0], rule.results[0][1]); }),
      testing::Not(testing::IsEmpty()));
}

/// What is in the middle of a value, and rows by indices, are no parts like others.
TEST(ShardingRules, WrongRulesOfPiecesAreFound) {
  auto makePass = [](llvm::StringRef name) {
    return [name](tutti::ShardingRule &rule) {
      for (tutti::Factor &factor : rule.factors)
        if (factor.name == name)
          factor.kind = tutti::FactorKind::Pass;
    };
  };
  EXPECT_THAT(faultsOf("piece", makePass("k")), testing::Not(testing::IsEmpty()));
  EXPECT_THAT(faultsOf("micro_batch", makePass("n")), testing::Not(testing::IsEmpty()));
  EXPECT_THAT(faultsOf("scatter_update_rows", makePass("v")), testing::Not(testing::IsEmpty()));
}

TEST(ShardingRules, WhatCouldBeSplitIsFound) {
  Examples examples;
  OperatorProbe probe = examples.probe("gemm_of_two");
  tutti::ShardingRule rule = probe.rule();
  for (tutti::Factor &factor : rule.factors)
    factor.kind = tutti::FactorKind::Whole;
  probe.assume(rule);
  EXPECT_THAT(probe.findMissedFactors(),
              testing::ElementsAre("m could be m", "k could be k+", "n could be n"));
}

/// For people: what rules could allow. Nothing fails here.
TEST(ShardingRules, WhatCouldBeSplitIsListed) {
  Examples examples;
  ASSERT_TRUE(examples.module);
  for (const std::string &name : namesOfExamples())
    for (const std::string &missed : examples.probe(name).findMissedFactors())
      llvm::outs() << name << ": " << missed << "\n";
}

} // namespace
