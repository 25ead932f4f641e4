// Pulls and pushes in the communication plan, and the plan of the servers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/plan/ServerPlan.h"
#include "lib/program/plan/TableEntries.h"
#include "test/lib/execution/TextProgram.h"

#include "mlir/IR/Builders.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tutti::test;
using namespace tutti::program;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// With the table's clauses, the update's first line, and the width of a rate.
std::string programOfTable(const std::string &clauses = "", const std::string &update = "",
                           const std::string &rate = "f32") {
  return R"(
    collective.group @world
    ps.table @t )" +
         clauses +
         R"( : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, states = [#ps.state<"t.sum", 0.0 : f64>], update = @u}
    ps.table @v whole : tensor<3xf32> {initial = dense<0.5> : tensor<3xf32>, update = @uv}
    func.func private @u(%w: tensor<?x2xf32>, %s: tensor<?x2xf32>, %g: tensor<?x2xf32>, %r: tensor<)" +
         rate + R"(>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
      )" +
         update +
         R"(
      return %w, %s : tensor<?x2xf32>, tensor<?x2xf32>
    }
    func.func private @uv(%w: tensor<?x3xf32>, %g: tensor<?x3xf32>) -> tensor<?x3xf32> { return %w : tensor<?x3xf32> }
    func.func @step(%i: tensor<4xi64>, %j: tensor<?xi64>, %r: tensor<)" +
         rate + R"(>) -> tensor<?x2xf32> {
      %a = ps.pull_rows @t at %i : tensor<4xi64> -> tensor<4x2xf32> loc("emb")
      %v = ps.pull @v : tensor<3xf32>
      %0 = collective.all_reduce sum %v on @world : tensor<3xf32>
      %b = ps.pull_rows @t at %j : tensor<?xi64> -> tensor<?x2xf32>
      ps.push @v, %v : tensor<3xf32>
      ps.push_rows @t at %i, %a with %r : tensor<4xi64>, tensor<4x2xf32>, tensor<)" +
         rate + R"(>
      return %b : tensor<?x2xf32>
    })";
}

std::vector<std::string> described(mlir::ModuleOp module) {
  std::vector<std::string> all;
  for (const PlanEntry &entry : extractPlan(module))
    all.push_back(std::to_string(entry.id) + " " + describe(entry));
  return all;
}

std::string tableOf(const std::string &program) {
  Compiler compiler;
  auto module = compiler.parse(program);
  EXPECT_TRUE(module) << compiler.diagnostics();
  return module ? describe(extractServerPlan(*module)[0]) : "";
}

TEST(ServedPlan, HasPullsAndPushesAmongTheOthers) {
  Compiler compiler;
  auto module = compiler.parse(programOfTable("wire = bf16"));
  ASSERT_TRUE(module) << compiler.diagnostics();
  EXPECT_THAT(described(*module),
              ElementsAre("0 step pull_rows of t at servers: bf16 [8], 16 bytes",
                          "1 step pull of v at servers: f32 [3], 12 bytes",
                          "2 step all_reduce sum on world: f32 [3], 12 bytes",
                          "3 step pull_rows of t at servers: bf16 [?], ? bytes",
                          "4 step push of v at servers: f32 [3], 12 bytes",
                          "5 step push_rows of t at servers: bf16 [8], 16 bytes"));
  PlanEntry first = extractPlan(*module)[0];
  EXPECT_EQ(first.group, "servers");
  EXPECT_EQ(first.table, "t");
  EXPECT_EQ(first.type, "f32");
  EXPECT_EQ(first.bucket, -1);
  EXPECT_THAT(first.source, ElementsAre("emb"));
}

/// Lowering may bring pulls forward, to ask for them together: entries and ids stay.
TEST(ServedPlan, IsKeptByWhatPullsAreLoweredTo) {
  Compiler compiler;
  auto module = compiler.parse(programOfTable());
  ASSERT_TRUE(module) << compiler.diagnostics();
  std::vector<std::string> before = described(*module);
  auto numbered = numberEntries(*module);
  mlir::OpBuilder builder(numbered[0].first);
  mlir::OperationState state(builder.getUnknownLoc(), "arith.constant");
  state.addAttribute("value", builder.getIndexAttr(0));
  state.addTypes(builder.getIndexType());
  mlir::Operation *all = builder.create(state);
  for (auto [op, id] : numbered)
    if (op->getName().stripDialect() != "all_reduce")
      keepTableEntries(op, all, id);
  for (auto [op, id] : numbered)
    if (op->getName().stripDialect().starts_with("push"))
      op->erase();
  llvm::SmallVector<mlir::Operation *> pulls;
  module->walk([&](mlir::Operation *op) {
    if (op->getName().stripDialect().starts_with("pull"))
      pulls.push_back(op);
  });
  for (mlir::Operation *pull : pulls) { // stands in for what the lowered one gives
    builder.setInsertionPoint(pull);
    mlir::OperationState made(pull->getLoc(), "builtin.unrealized_conversion_cast");
    made.addTypes(pull->getResultTypes());
    pull->replaceAllUsesWith(builder.create(made));
    pull->erase();
  }
  EXPECT_EQ(described(*module), before);
}

TEST(ServedPlan, OfServersTellsAllThatWorkersMustKnow) {
  std::string plain = tableOf(programOfTable());
  EXPECT_THAT(plain, HasSubstr("t: f32 [9, 2], states t.sum, scalars f32, travels as f32, mean of "
                               "workers, in step, by range, update "));
  EXPECT_EQ(plain, tableOf(programOfTable()));
  EXPECT_THAT(tableOf(programOfTable("hash sum asynchronous staleness = 4 wire = f16")),
              HasSubstr("travels as f16, sum of workers, asynchronous, staleness 4, by hash"));
  EXPECT_THAT(tableOf(programOfTable("asynchronous staleness = 4 warm_up = 20")),
              HasSubstr("asynchronous after 20 steps, staleness 4, by range"));
  EXPECT_THAT(tableOf(programOfTable("asynchronous")),
              HasSubstr("workers, asynchronous, by range"));
  EXPECT_THAT(tableOf(programOfTable("", "", "f64")), HasSubstr("scalars f64"));
  std::string other = tableOf(
      programOfTable("", "%x = train.sgd %w gradient %g rate %r : tensor<?x2xf32>, tensor<f32>"));
  EXPECT_NE(other, plain); // in the update alone
  EXPECT_EQ(other.substr(0, other.find("update")), plain.substr(0, plain.find("update")));
}

TEST(ServedPlan, IsEmptyWithoutTables) {
  Compiler compiler;
  auto module = compiler.parse("func.func @step() { return }");
  ASSERT_TRUE(module);
  EXPECT_TRUE(extractServerPlan(*module).empty());
  std::string text;
  llvm::raw_string_ostream out(text);
  printServerPlan({}, out);
  EXPECT_EQ(text, "");
}

} // namespace
