// The communication plan and the manifest of programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/Manifest.h"
#include "lib/program/Groups.h"
#include "lib/program/ValueNames.h"
#include "test/lib/execution/TextProgram.h"

#include "mlir/IR/Builders.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tutti::test;
using namespace tutti::execution;
using namespace tutti::program;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr const char *kDistributed = R"(
module attributes {train.program} {
  collective.group @world {size = 4 : i64}
  train.dataset @data {global_batch = 6 : i64, shard = #train.shard<contiguous, weighted, @world, ranks = 4>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, tensor<i64> {train.variable = #train.variable<"count", other>}) {
    %w = onnx.Constant dense<1.0> : tensor<4xf32>
    %t = onnx.Constant dense<0> : tensor<i64>
    %0:2 = collective.broadcast %w, %t from 0 on @world : tensor<4xf32>, tensor<i64>
    return %0#0, %0#1 : tensor<4xf32>, tensor<i64>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, %t: tensor<i64> {train.variable = #train.variable<"count", other>},
                  %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 2.5e-1 : f64>})
      -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}, tensor<i64> {train.variable = #train.variable<"count", other>},
          tensor<f32> {train.metric = "loss"}, tensor<?x4xf32> {train.output = "y"}) {
    %g = onnx.ReduceSum %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<4xf32>
    %s = onnx.ReduceSum %x {keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<f32>
    %r = collective.all_reduce sum %g on @world : tensor<4xf32>
    %f = onnx.Neg %r : (tensor<4xf32>) -> tensor<4xf32>
    %n = train.sgd %w gradient %f rate %lr : tensor<4xf32>, tensor<f32>
    %l = collective.all_reduce mean %s on @world : tensor<f32>
    return %n, %t, %l, %x : tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<?x4xf32>
  }
  func.func @evaluate(%t: tensor<i64> {train.variable = #train.variable<"count", other>}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<?xf32> {train.metric = "sum"}) {
    %s = onnx.ReduceSum %x {axes = array<i64: 1>, keepdims = 0 : i64} : (tensor<?x4xf32>) -> tensor<?xf32>
    return %s : tensor<?xf32>
  }
})";

TEST(Plan, EntriesInOrderWithTheirSources) {
  Compiler compiler;
  auto module = compiler.parse(kDistributed);
  ASSERT_TRUE(module) << compiler.diagnostics();
  auto plan = extractPlan(*module);
  ASSERT_EQ(plan.size(), 4u);
  // A bucket of two element types is two calls.
  EXPECT_EQ(describe(plan[0]), "initialize broadcast from 0 on world: f32 [4], 16 bytes");
  EXPECT_EQ(describe(plan[1]), "initialize broadcast from 0 on world: i64 [1], 8 bytes");
  EXPECT_EQ(describe(plan[2]), "step all_reduce sum on world: f32 [4], 16 bytes");
  EXPECT_EQ(describe(plan[3]), "step all_reduce mean on world: f32 [1], 4 bytes");
  EXPECT_THAT(plan[0].source, ElementsAre("w"));
  EXPECT_THAT(plan[1].source, ElementsAre("count"));
  // Through the negation, by the optimizer.
  EXPECT_THAT(plan[2].source, ElementsAre("w"));
  EXPECT_THAT(plan[3].source, ElementsAre("loss"));
  EXPECT_EQ(plan[3].id, 3);
}

TEST(Plan, BucketsAreNumberedInEachFunction) {
  Compiler compiler;
  auto module = compiler.parse(kDistributed);
  ASSERT_TRUE(module) << compiler.diagnostics();
  auto plan = extractPlan(*module);
  ASSERT_EQ(plan.size(), 4u);
  std::vector<int64_t> buckets;
  for (const auto &entry : plan)
    buckets.push_back(entry.bucket);
  // Two types of one bucket; then the step begins anew.
  EXPECT_THAT(buckets, ElementsAre(0, 0, 0, 1));
}

TEST(Plan, TypeIsThatOfTheValuesAndWireWhatTravels) {
  Compiler compiler;
  auto module = compiler.parse(R"(
    collective.group @world
    func.func @step(%x: tensor<4x2xf32>, %h: tensor<?xf16>) {
      %0 = arith.truncf %x {collective.wire} : tensor<4x2xf32> to tensor<4x2xf16>
      %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<4x2xf16> into tensor<8xf16>
      %2 = collective.all_reduce sum %1 on @world : tensor<8xf16>
      %3 = arith.truncf %x : tensor<4x2xf32> to tensor<4x2xf16>
      %4 = collective.all_reduce sum %3 on @world : tensor<4x2xf16>
      %5 = collective.all_reduce sum %h on @world : tensor<?xf16>
      return
    })");
  ASSERT_TRUE(module) << compiler.diagnostics();
  auto plan = extractPlan(*module);
  ASSERT_EQ(plan.size(), 3u);
  EXPECT_EQ(plan[0].type, "f32");
  EXPECT_EQ(plan[0].wire, "f16");
  EXPECT_EQ(describe(plan[0]), "step all_reduce sum on world: f16 [8], 16 bytes");
  EXPECT_EQ(plan[1].type, "f16"); // a cast that the model has
  EXPECT_EQ(describe(plan[2]), "step all_reduce sum on world: f16 [?], ? bytes");
  std::string table;
  llvm::raw_string_ostream out(table);
  printPlan(plan, out);
  EXPECT_THAT(table, HasSubstr("f32 as f16"));
}

TEST(Plan, EntriesAsJson) {
  PlanEntry entry;
  entry.operation = "all_reduce";
  entry.elements = {PlanEntry::unknown, 3};
  entry.bytes = PlanEntry::unknown;
  const llvm::json::Object unknown = toJson(entry);
  EXPECT_EQ(unknown.get("bytes")->kind(), llvm::json::Value::Null);
  EXPECT_EQ((*unknown.getArray("elements"))[0].kind(), llvm::json::Value::Null);
  EXPECT_EQ((*unknown.getArray("elements"))[1].getAsInteger(), 3);
  EXPECT_EQ(unknown.get("predicted_seconds"), nullptr);
  entry.predicted_seconds = 0.25;
  EXPECT_EQ(toJson(entry).getNumber("predicted_seconds"), 0.25);
}

constexpr const char *kCommunicating = R"(
module attributes {train.program} {
  collective.group @world {size = 4 : i64}
  collective.group @columns members(#collective.strided<2>)
  collective.group @node members(#collective.per_node) {size = 4 : i64}
  collective.group @later members(#collective.at_run_time)
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    %w = onnx.Constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>})
      -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    %peer = arith.constant 1 : index
    %rank = collective.rank on @world : index
    %count = arith.constant dense<1> : tensor<2xi64>
    collective.create_group @later of %rank : index
    collective.send %w, %count to %peer tag 9 on @world : tensor<4xf32>, tensor<2xi64>
    %x = collective.recv from %rank tag 9 on @columns : tensor<4xf32>
    %f = collective.async {
      %r = collective.reduce max %x to 1 on @node : tensor<4xf32>
      collective.yield %r : tensor<4xf32>
    } : !collective.future<tensor<4xf32>>
    %y = collective.await %f : !collective.future<tensor<4xf32>>
    collective.destroy_group @later
    return %y : tensor<4xf32>
  }
})";

TEST(Plan, MessagesGroupsAndFuturesAreEntries) {
  Compiler compiler;
  auto module = compiler.parse(kCommunicating);
  ASSERT_TRUE(module) << compiler.diagnostics();
  auto plan = extractPlan(*module);
  std::vector<std::string> lines;
  for (const auto &entry : plan)
    lines.push_back(describe(entry));
  EXPECT_THAT(lines, ElementsAre("step create_group on later",
                                 "step send tag 9 on world: f32 [4], 16 bytes",
                                 "step send tag 9 on world: i64 [2], 16 bytes",
                                 "step recv tag 9 on columns: f32 [4], 16 bytes",
                                 "step async reduce max to 1 on node: f32 [4], 16 bytes",
                                 "step destroy_group on later"));
  // The peer is known here, and a matter of the rank there.
  EXPECT_EQ(plan[1].peer, 1);
  EXPECT_EQ(plan[3].peer, -1);
  EXPECT_THAT(plan[4].source, ElementsAre("w"));
  EXPECT_TRUE(plan[4].is_asynchronous);
  std::string table;
  llvm::raw_string_ostream out(table);
  printPlan(plan, out);
  EXPECT_THAT(table, HasSubstr("async reduce"));
  EXPECT_THAT(table, HasSubstr("tag 9"));
}

TEST(Plan, GroupsAreNumberedAndResolved) {
  Compiler compiler;
  auto module = compiler.parse(kCommunicating);
  ASSERT_TRUE(module) << compiler.diagnostics();
  auto groups = extractGroups(*module);
  ASSERT_TRUE(succeeded(groups));
  ASSERT_EQ(groups->size(), 3u);
  EXPECT_EQ((*groups)[0].number, 1);
  EXPECT_EQ((*groups)[0].sets, (std::vector<std::vector<int64_t>>{{0, 2}, {1, 3}}));
  EXPECT_EQ((*groups)[1].members, "per_node");
  EXPECT_EQ((*groups)[1].size, 4);
  EXPECT_EQ((*groups)[2].members, "at_run_time");
  EXPECT_EQ((*groups)[2].number, 3);
}

TEST(Plan, GroupsThatDependOnAnUnknownWorldAreAnError) {
  Compiler compiler;
  auto module = compiler.parse("module { collective.group @rows members(#collective.blocks<2>) }");
  ASSERT_TRUE(module) << compiler.diagnostics();
  EXPECT_TRUE(failed(extractGroups(*module)));
  EXPECT_THAT(compiler.diagnostics(), HasSubstr("the number of ranks is not known"));
}

TEST(Plan, HashAndTable) {
  Compiler compiler;
  auto module = compiler.parse(kDistributed);
  auto plan = extractPlan(*module), changed = plan;
  changed[2].reduction = "mean";
  EXPECT_EQ(hashPlan(plan), hashPlan(extractPlan(*module)));
  EXPECT_NE(hashPlan(plan), hashPlan(changed));
  changed = plan;
  changed[2].source = {"someone else"}; // names do not matter on the network
  EXPECT_EQ(hashPlan(plan), hashPlan(changed));
  EXPECT_EQ(hashText("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  std::string table;
  llvm::raw_string_ostream out(table);
  printPlan(plan, out);
  EXPECT_THAT(table, HasSubstr("all_reduce"));
  EXPECT_THAT(table, HasSubstr("from 0"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 6);
  EXPECT_THAT(table, HasSubstr("a step: 2 calls, 20 bytes of a rank"));
}

TEST(Plan, NamesOfTypes) {
  mlir::MLIRContext context;
  mlir::Builder builder(&context);
  EXPECT_EQ(spellType(builder.getF16Type()), "f16");
  EXPECT_EQ(spellType(builder.getBF16Type()), "bf16");
  EXPECT_EQ(spellType(builder.getI1Type()), "bool");
  EXPECT_EQ(spellType(builder.getIntegerType(8)), "i8");
  EXPECT_EQ(spellType(builder.getIntegerType(8, /*isSigned=*/false)), "u8");
  EXPECT_EQ(spellType(builder.getIntegerType(16)), "i16");
  EXPECT_EQ(spellType(builder.getIntegerType(7)), "");
  EXPECT_EQ(spellType(builder.getIntegerType(32, /*isSigned=*/false)), "");
  EXPECT_EQ(bytesOfType(builder.getF64Type()), 8);
  EXPECT_EQ(bytesOfType(builder.getIndexType()), 0);
}

TEST(Plan, EntriesWithoutANameTakeTheirNode) {
  Compiler compiler;
  auto module = compiler.parse(R"(
    collective.group @world
    func.func @step(%x: tensor<4xf32>) {
      %0 = arith.negf %x : tensor<4xf32> loc("node7")
      %1 = collective.all_reduce max %0 on @world : tensor<4xf32>
      collective.barrier on @world
      return
    })");
  ASSERT_TRUE(module) << compiler.diagnostics();
  auto plan = extractPlan(*module);
  ASSERT_EQ(plan.size(), 2u);
  EXPECT_THAT(plan[0].source, ElementsAre("node7"));
  EXPECT_EQ(describe(plan[1]), "step barrier on world");
}

TEST(Plan, NamesLeadThroughBucketsByTheirPlace) {
  Compiler compiler;
  auto module = compiler.parse(R"(
    collective.group @world
    func.func @step(%x: tensor<4xf32>, %y: tensor<4xf32>)
        -> (tensor<4xf32> {train.metric = "first"}, tensor<4xf32> {train.metric = "second"}) {
      %0:2 = collective.all_reduce sum %x, %y on @world : tensor<4xf32>, tensor<4xf32>
      %1:2 = collective.all_reduce max %0#0, %0#1 on @world : tensor<4xf32>, tensor<4xf32>
      return %1#0, %1#1 : tensor<4xf32>, tensor<4xf32>
    })");
  ASSERT_TRUE(module) << compiler.diagnostics();
  for (const PlanEntry &entry : extractPlan(*module))
    EXPECT_THAT(entry.source, ElementsAre("first", "second"));
}

TEST(Plan, WhatOthersMakeOfAValueHasNotItsName) {
  Compiler compiler;
  auto module = compiler.parse(R"(
    collective.group @world
    func.func @step(%x: tensor<4xi32>) -> (tensor<4xi32> {train.metric = "loss"}) {
      %0 = arith.addi %x, %x : tensor<4xi32> loc("bn1")
      %1 = collective.all_reduce sum %0 on @world : tensor<4xi32>
      %2, %3 = arith.addui_extended %1, %x : tensor<4xi32>, tensor<4xi1>
      return %2 : tensor<4xi32>
    })");
  ASSERT_TRUE(module) << compiler.diagnostics();
  EXPECT_THAT(extractPlan(*module)[0].source, ElementsAre("bn1"));
}

TEST(Plan, WithoutNamesTheLineTells) {
  mlir::MLIRContext context;
  mlir::Location line = mlir::FileLineColLoc::get(&context, "folder/program.mlir", 17, 5);
  EXPECT_EQ(nodeAt(line), "program.mlir:17:5");
  EXPECT_EQ(nodeAt(mlir::NameLoc::get(mlir::StringAttr::get(&context, "conv1"), line)), "conv1");
  EXPECT_EQ(nodeAt(mlir::UnknownLoc::get(&context)), "");
}

std::vector<PlanEntry> planOfLoops(llvm::StringRef count) {
  Compiler compiler;
  auto module = compiler.parse(R"(
    collective.group @world
    func.func @step(%x: tensor<4xf32>, %n: index) {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %three = arith.constant 3 : index
      collective.barrier on @world
      scf.for %i = %zero to )" +
                               count.str() +
                               R"( step %one {
        scf.for %j = %zero to %three step %one {
          %0 = collective.all_reduce sum %x on @world : tensor<4xf32>
        }
      }
      return
    })");
  EXPECT_TRUE(module) << compiler.diagnostics();
  return extractPlan(*module);
}

TEST(Plan, LoopsMultiply) {
  std::vector<PlanEntry> plan = planOfLoops("%three");
  ASSERT_EQ(plan.size(), 2u);
  EXPECT_EQ(plan[0].times, 1);
  EXPECT_EQ(plan[1].times, 9);
  EXPECT_EQ(plan[1].bytes, 16);
  EXPECT_EQ(totalOf(plan, "step").calls, 10);
  EXPECT_EQ(totalOf(plan, "step").bytes, 144);
  EXPECT_LT(totalOf(plan, "step").predictedSeconds, 0);
  plan[0].predicted_seconds = 1;
  plan[1].predicted_seconds = 2;
  EXPECT_EQ(totalOf(plan, "step").predictedSeconds, 19);
  EXPECT_EQ(totalOf(plan, "evaluate").calls, 0);
}

TEST(Plan, TripsThatAreNotConstantAreUnknown) {
  std::vector<PlanEntry> plan = planOfLoops("%n");
  EXPECT_EQ(plan[1].times, PlanEntry::unknown);
  EXPECT_EQ(totalOf(plan, "step").calls, PlanEntry::unknown);
  EXPECT_EQ(totalOf(plan, "step").bytes, PlanEntry::unknown);
  plan[0].predicted_seconds = plan[1].predicted_seconds = 2;
  EXPECT_LT(totalOf(plan, "step").predictedSeconds, 0);
  EXPECT_EQ(toJson(plan[1]).get("times")->kind(), llvm::json::Value::Null);
}

llvm::json::Object manifestOf(llvm::StringRef text, const char *rankClass = "ceil") {
  Compiler compiler;
  auto module = compiler.parse(text);
  auto request = compiler.request(*module);
  request.rankClass = rankClass;
  request.name = "small";
  auto compiled = compileProgram(request);
  if (!compiled) {
    ADD_FAILURE() << llvm::toString(compiled.takeError()) << compiler.diagnostics();
    return {};
  }
  return *llvm::cantFail(llvm::json::parse(compiled->manifest)).getAsObject();
}

TEST(Manifest, SaysWhatTheRuntimeNeeds) {
  llvm::json::Object manifest = manifestOf(kDistributed);
  EXPECT_EQ(manifest.getInteger("abi"), TUTTI_ABI_VERSION);
  EXPECT_EQ(manifest.getString("program"), "small");
  EXPECT_EQ(manifest.getInteger("ranks"), 4);
  EXPECT_EQ(manifest.getInteger("global_batch"), 6);
  EXPECT_EQ(manifest.getInteger("local_batch"), 2);
  EXPECT_EQ(manifest.getInteger("samples_per_step"), 6);
  EXPECT_EQ(manifest.getString("batch_policy"), "weighted");
  EXPECT_EQ(manifest.getString("shard"), "contiguous");
  const auto &variable = *(*manifest.getArray("variables"))[1].getAsObject();
  EXPECT_EQ(variable.getString("name"), "count");
  EXPECT_EQ(variable.getString("class"), "other");
  EXPECT_EQ(variable.getString("type"), "i64");
  EXPECT_TRUE(variable.getArray("shape")->empty());
  const auto &step = *manifest.getObject("step");
  EXPECT_EQ((*step.getArray("inputs"))[0].getAsObject()->getArray("shape")->size(), 2u);
  EXPECT_EQ((*step.getArray("hyperparameters"))[0].getAsObject()->getNumber("value"), 0.25);
  EXPECT_EQ((*step.getArray("metrics"))[0].getAsObject()->getString("name"), "loss");
  EXPECT_EQ((*step.getArray("outputs"))[0].getAsObject()->getString("name"), "y");
  const auto &evaluate = *manifest.getObject("evaluate");
  EXPECT_EQ((*evaluate.getArray("variables"))[0].getAsInteger(), 1);
  EXPECT_EQ(evaluate.getInteger("batch"), 2);
  EXPECT_EQ(manifest.getArray("plan")->size(), 4u);
  EXPECT_EQ(manifest.getString("plan_hash")->size(), 64u);
  EXPECT_TRUE(manifest.getObject("arena")->getInteger("step"));
}

/// Parses and compiles; returns what went wrong.
std::string errorOf(llvm::StringRef text) {
  Compiler compiler;
  auto compiled = compiler.compile(text);
  if (compiled)
    return "compiled";
  return llvm::toString(compiled.takeError()) + "\n" + compiler.diagnostics();
}

TEST(Manifest, ProgramsThatCannotBeRun) {
  EXPECT_THAT(errorOf("module {}"),
              HasSubstr("the program has no @initialize, so it cannot be run"));
  EXPECT_THAT(errorOf("func.func @initialize() { return }"),
              HasSubstr("the program has no @step, so it cannot be run"));
  EXPECT_THAT(errorOf("func.func @initialize() -> tensor<f32> {\n%0 = onnx.Constant dense<0.0> : "
                      "tensor<f32>\nreturn %0 : tensor<f32> }\n"
                      "func.func @step() { return }"),
              HasSubstr("result 0 of @initialize is not a variable"));
  EXPECT_THAT(
      errorOf("func.func @initialize() { return }\nfunc.func @step(%x: tensor<f32>) { return }"),
      HasSubstr("argument 0 of @step has no role or stands out of order"));
  EXPECT_THAT(errorOf("func.func @initialize() { return }\nfunc.func @step() -> (tensor<4xi7> "
                      "{train.output = \"y\"}) {\n"
                      "%0 = onnx.Constant dense<0> : tensor<4xi7>\nreturn %0 : tensor<4xi7> }"),
              HasSubstr("'y' of @step has type 'tensor<4xi7>', which the runtime does not have"));
  EXPECT_THAT(
      errorOf(
          "train.dataset @a {global_batch = 1 : i64}\ntrain.dataset @b {global_batch = 1 : i64}\n"
          "func.func @initialize() { return }\nfunc.func @step() { return }"),
      HasSubstr("is a second dataset; a program that is run has one"));
  EXPECT_THAT(errorOf("func.func @initialize() { return }\nfunc.func @step() { return }\nfunc.func "
                      "@evaluate(%w: tensor<f32> "
                      "{train.variable = #train.variable<\"w\", other>}) { return }"),
              HasSubstr("argument 0 of @evaluate is #train.variable<\"w\", other>, which "
                        "@initialize does not make"));
}

TEST(Compile, ErrorsOfPassesNameTheirPart) {
  EXPECT_THAT(errorOf("train.dataset @data"),
              HasSubstr("the program cannot be compiled: it cannot be specialised"));
  EXPECT_THAT(errorOf(R"(
    func.func @initialize() { return }
    func.func @step() -> (tensor<4xf32> {train.output = "y"}) {
      %0 = onnx.Constant dense<1.0> : tensor<4xf32>
      %1 = onnx.custom "com.acme" "Swirl" (%0) : (tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    })"),
              HasSubstr("the program cannot be compiled: lowering failed"));
}

} // namespace
