// Every rule of sharding is what operations do: each is cut into 2 and 3 parts along each factor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/Transfer.h"
#include "test/lib/layout/OperatorProbe.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace tutti::test;

namespace {

/// The files of examples.
std::vector<std::string> filesOfExamples() {
  std::vector<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator at(TUTTI_SHARDING_EXAMPLES, error), end;
       !error && at != end; at.increment(error))
    files.push_back(at->path());
  return files;
}

std::string readFile(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : "";
}

/// The text in which each example stands, by its name.
const std::map<std::string, std::string> &textsOfExamples() {
  static const std::map<std::string, std::string> all = [] {
    std::map<std::string, std::string> texts;
    llvm::Regex function("^func.func @([a-z0-9_]+)");
    for (const std::string &path : filesOfExamples()) {
      std::string text = readFile(path);
      llvm::SmallVector<llvm::StringRef> lines, parts;
      llvm::StringRef(text).split(lines, '\n');
      for (llvm::StringRef line : lines)
        if (function.match(line, &parts))
          texts[parts[1].str()] = text;
    }
    return texts;
  }();
  return all;
}

std::vector<std::string> namesOfExamples() {
  std::vector<std::string> names;
  for (const auto &[name, text] : textsOfExamples())
    names.push_back(name);
  return names;
}

/// An example, parsed in a context of its own.
class Example {
public:
  explicit Example(const std::string &name) {
    compiler.context().allowUnregisteredDialects();
    module = compiler.parse(textsOfExamples().at(name));
    EXPECT_TRUE(module) << compiler.diagnostics();
    function = module ? module->lookupSymbol<mlir::func::FuncOp>(name) : nullptr;
  }
  OperatorProbe probe() { return {compiler, function}; }

  Compiler compiler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
};

class ShardingProbe : public testing::TestWithParam<std::string> {};

TEST_P(ShardingProbe, PartsGiveTheWhole) {
  Example example(GetParam());
  ASSERT_TRUE(example.function);
  OperatorProbe probe = example.probe();
  EXPECT_THAT(probe.findFaults(), testing::IsEmpty())
      << tutti::spellShardingRule(probe.rule()) << "\n"
      << example.compiler.diagnostics();
}

/// What a block of a result is computed from gives that block.
TEST_P(ShardingProbe, TransferBackIsTheInverse) {
  Example example(GetParam());
  ASSERT_TRUE(example.function);
  OperatorProbe probe = example.probe();
  mlir::Operation *op = probe.operation();
  for (auto [number, tensor] : llvm::enumerate(probe.rule().results))
    for (int64_t dimension = 0; dimension < int64_t(tensor.size()); ++dimension)
      for (int64_t parts : {2, 3})
        for (int64_t ranges : {1, 2}) {
          auto wanted = tutti::Layout::shard(dimension, 0, ranges);
          auto back = tutti::transferBack(op, probe.rule(), number, wanted, parts);
          if (!back || llvm::none_of(back->operands, [](auto &one) { return one.isShard(); }))
            continue;
          auto forth = tutti::transfer(op, probe.rule(), back->operands, parts);
          wanted.scale = back->results[number].scale;
          EXPECT_EQ(tutti::spellLayout(forth.results[number]), tutti::spellLayout(wanted));
          EXPECT_TRUE(forth.results[number] == back->results[number]);
          EXPECT_TRUE(llvm::equal(forth.operands, back->operands));
        }
}

INSTANTIATE_TEST_SUITE_P(Examples, ShardingProbe, testing::ValuesIn(namesOfExamples()),
                         [](const auto &info) { return info.param; });

/// From what the block of the first result along `dimension` is computed, one word for each
/// operand, and what is computed.
std::vector<std::string> wordsBack(const std::string &name, int64_t dimension) {
  Example example(name);
  OperatorProbe probe = example.probe();
  auto back = tutti::transferBack(probe.operation(), probe.rule(), 0,
                                  tutti::Layout::shard(dimension), /*parts=*/2);
  std::vector<std::string> words;
  if (!back)
    return words;
  for (const tutti::Layout &layout : back->operands)
    words.push_back(tutti::spellLayout(layout));
  words.push_back(tutti::spellLayout(back->results[0]));
  return words;
}

TEST(TransferBack, LeadsToTheBlocksThatAreNeeded) {
  using testing::ElementsAre, testing::IsEmpty;
  EXPECT_THAT(wordsBack("gemm_of_two", 0), ElementsAre("Shard(0)", "Replicate", "Shard(0)"));
  EXPECT_THAT(wordsBack("gemm_of_two", 1), ElementsAre("Replicate", "Shard(1)", "Shard(1)"));
  EXPECT_THAT(wordsBack("softmax", 0), ElementsAre("Shard(0)", "Shard(0)"));
  EXPECT_THAT(wordsBack("softmax", 1), IsEmpty()) << "a part of it depends on the others";
  EXPECT_THAT(wordsBack("gather", 1), ElementsAre("Replicate", "Shard(0)", "Shard(1)"));
  EXPECT_THAT(wordsBack("reduce_mean_grad", 0),
              ElementsAre("Replicate", "Shard(0)", "Shard(0) x share^-1"))
      << "it divides by the elements that a part has";
}

/// Whether operators of the dialect must have a rule: all but those of other tools.
bool needsRule(mlir::RegisteredOperationName name) {
  return name.getDialectNamespace() == "onnx" && name.getStringRef() != "onnx.custom";
}

/// An operator without a rule, or a rule without an example to try it on, is not finished.
TEST(ShardingRules, EveryOperatorHasARuleAndAnExample) {
  Compiler compiler;
  compiler.context().allowUnregisteredDialects();
  std::set<std::string> tried;
  for (const std::string &path : filesOfExamples()) {
    mlir::OwningOpRef<mlir::ModuleOp> module = compiler.parse(readFile(path));
    ASSERT_TRUE(module) << path << ": " << compiler.diagnostics();
    module->walk([&](mlir::Operation *op) { tried.insert(op->getName().getStringRef().str()); });
  }
  for (mlir::RegisteredOperationName name : compiler.context().getRegisteredOperations()) {
    auto *rule = name.getInterface<tutti::ShardingRuleOpInterface>();
    bool hasRule = rule && !rule->getShardingText().empty();
    EXPECT_TRUE(hasRule || !needsRule(name))
        << name.getStringRef().str() << " has no line `let sharding` in its definition";
    EXPECT_TRUE(!hasRule || tried.count(name.getStringRef().str()))
        << name.getStringRef().str() << " has no example in " << TUTTI_SHARDING_EXAMPLES;
  }
}

/// The rule of an example, changed, and what the probe says of that.
std::vector<std::string> faultsOf(const std::string &name,
                                  llvm::function_ref<void(tutti::ShardingRule &)> change) {
  Example example(name);
  OperatorProbe probe = example.probe();
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
  Example example("gemm_of_two");
  OperatorProbe probe = example.probe();
  tutti::ShardingRule rule = probe.rule();
  for (tutti::Factor &factor : rule.factors)
    factor.kind = tutti::FactorKind::Whole;
  probe.assume(rule);
  EXPECT_THAT(probe.findMissedFactors(),
              testing::ElementsAre("m could be m", "k could be k+", "n could be n"));
}

/// For people: what rules could allow. Nothing fails here.
TEST(ShardingRules, WhatCouldBeSplitIsListed) {
  for (const std::string &name : namesOfExamples()) {
    Example example(name);
    ASSERT_TRUE(example.function);
    for (const std::string &missed : example.probe().findMissedFactors())
      llvm::outs() << name << ": " << missed << "\n";
  }
}

} // namespace
