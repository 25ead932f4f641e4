// What is let in as a program, and what is not even parsed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/ReadProgram.h"

#include "dialects/train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using tutti::frontend::nestsDeeper;

namespace {

TEST(Nesting, CountsBracketsThatStandWithinOthers) {
  EXPECT_FALSE(nestsDeeper("((()))", 3));
  EXPECT_TRUE(nestsDeeper("((()))", 2));
  EXPECT_FALSE(nestsDeeper("()()()()", 1));
  EXPECT_TRUE(nestsDeeper("{[<(", 3));
  EXPECT_TRUE(nestsDeeper(std::string(300, '<'), 256));
}

TEST(Nesting, StringsCommentsArrowsAndComparisonsAreNone) {
  EXPECT_FALSE(nestsDeeper("\"((((\\\"((((\"", 1));
  EXPECT_FALSE(nestsDeeper("// ((((\n()", 1));
  EXPECT_FALSE(nestsDeeper("() -> () -> ()", 1));
  EXPECT_FALSE(nestsDeeper("d0 <= 1, d0 >= 2, d1 <= 3", 0));
}

TEST(Nesting, AClosingBracketThatFitsNothingHidesNothing) {
  EXPECT_TRUE(nestsDeeper("(>(>(>(>", 3));
  EXPECT_TRUE(nestsDeeper("<-><-><-><->", 3));
  EXPECT_FALSE(nestsDeeper("(<)(<)(<)", 2)) << "what is left open ends with what is around it";
}

/// The first error about `text`, or "accepted".
std::string complaint(StringRef text) {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect,
                      tutti::train::TrainDialect>();
  context.allowUnregisteredDialects();
  std::string first;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    if (first.empty())
      first = diagnostic.str();
    return success();
  });
  auto module = tutti::frontend::readMlirProgram("program.mlir", text, &context);
  return module ? "accepted" : first;
}

TEST(ReadProgram, NothingAfterATextIsRead) {
  StringRef text = StringRef("module {} name_and_more").take_front(14);
  EXPECT_EQ(complaint(text).find("and_more"), std::string::npos) << complaint(text);
  StringRef noProgram = StringRef("\x01 module {} name_and_more").take_front(16);
  EXPECT_EQ(complaint(noProgram).find("and_more"), std::string::npos) << complaint(noProgram);
}

TEST(Vocabulary, ComputingOnTensorsIsLetIn) {
  EXPECT_EQ(complaint("func.func @f(%x: tensor<f32>) -> tensor<f32> {\n"
                      "  %y = arith.addf %x, %x : tensor<f32>\n  return %y : tensor<f32>\n}"),
            "accepted");
}

TEST(Vocabulary, OtherDialectsAreNamed) {
  EXPECT_TRUE(StringRef(complaint("func.func @f() { \"foreign.op\"() : () -> () return }"))
                  .starts_with("'foreign.op' cannot be in a program that is run"));
  EXPECT_TRUE(
      StringRef(complaint("func.func @f() attributes {a = !llvm.ptr} { return }"))
          .starts_with("'func.func' has the attribute 'a', which is of the dialect 'llvm'"));
  EXPECT_TRUE(
      StringRef(complaint("func.func @f() attributes {kernel.variables = 1 : i64} { return }"))
          .starts_with("'func.func' has the attribute 'kernel.variables'"));
}

TEST(Vocabulary, AFunctionWithoutABodyIsNamed) {
  EXPECT_EQ(complaint("func.func private @system(tensor<4xi8>)"),
            "@system has no body; a program brings all functions that it calls");
}

TEST(Vocabulary, WhatNestsTooDeepIsNotParsed) {
  EXPECT_EQ(complaint(std::string(100000, '(')),
            "brackets stand within more than 256 others; no program needs that");
}

} // namespace
