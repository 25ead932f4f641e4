// What compiled programs may do beside computing: nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/code/ObjectCode.h"
#include "lib/execution/code/OpenSymbols.h"
#include "test/lib/execution/TextProgram.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <dlfcn.h>

using namespace tutti::execution;
using testing::AllOf, testing::HasSubstr;
namespace fs = llvm::sys::fs;

namespace {

constexpr const char *kEntry = "llvm.func @tutti_step() { llvm.return }\n";

/// What is wrong with a module in the LLVM dialect.
std::string refusalOf(const std::string &body, const std::string &attributes = "") {
  tutti::test::Compiler compiler;
  std::string with = attributes.empty() ? "" : "attributes {" + attributes + "} ";
  auto module = compiler.parse("module " + with + "{\n" + body + "}");
  if (!module)
    return "does not parse: " + compiler.diagnostics();
  return failed(verifyMachineCode(*module)) ? compiler.diagnostics() : "";
}

std::string inFunction(const std::string &body) {
  return "llvm.func @tutti_step(%p: !llvm.ptr, %n: i64) {\n" + body + "\nllvm.return\n}\n";
}

TEST(MachineCode, WhatProgramsNeedIsAllowed) {
  EXPECT_EQ(
      refusalOf("llvm.func @tutti_matmul(!llvm.ptr, !llvm.ptr, !llvm.ptr)\n"
                "llvm.func @expf(f32) -> f32\n"
                "llvm.mlir.global private constant @c(dense<[1, 2]> : tensor<2xi64>) : "
                "!llvm.array<2 x i64>\n" +
                inFunction("%c = llvm.mlir.addressof @c : !llvm.ptr\n"
                           "%q = llvm.getelementptr %p[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32\n"
                           "%x = llvm.load %q : !llvm.ptr -> f32\n"
                           "%e = llvm.call @expf(%x) : (f32) -> f32\n"
                           "%s = llvm.intr.sqrt(%e) : (f32) -> f32\n"
                           "llvm.store %s, %q : f32, !llvm.ptr\n"
                           "llvm.call @tutti_matmul(%p, %q, %c) : (!llvm.ptr, !llvm.ptr, "
                           "!llvm.ptr) -> ()")),
      "");
}

TEST(MachineCode, FunctionsOfOtherLibraries) {
  for (std::string name : {"system", "execve", "dlopen", "mmap", "malloc", "tutti_context_create"})
    EXPECT_THAT(refusalOf("llvm.func @" + name + "(!llvm.ptr) -> i32\n" + kEntry),
                AllOf(HasSubstr("'llvm.func' declares '" + name + "'"),
                      HasSubstr("no training program needs that")));
  EXPECT_THAT(refusalOf("llvm.mlir.global external @environ() : !llvm.ptr\n"),
              HasSubstr("is a variable of another library"));
}

TEST(MachineCode, WhatIsNoArithmetic) {
  for (auto [code, reason] : std::initializer_list<std::pair<const char *, const char *>>{
           {"llvm.inline_asm has_side_effects \"syscall\", \"\" : () -> ()", "llvm.inline_asm"},
           {"%x = llvm.inline_asm \"rdtsc\", \"=r\" : () -> i64", "llvm.inline_asm"},
           {"%q = llvm.inttoptr %n : i64 to !llvm.ptr", "llvm.inttoptr"},
           {"llvm.call %p() : !llvm.ptr, () -> ()", "calls through a pointer"},
           {"llvm.call_intrinsic \"llvm.debugtrap\"() : () -> ()", "llvm.call_intrinsic"},
           {"llvm.fence seq_cst", "llvm.fence"}})
    EXPECT_THAT(refusalOf(inFunction(code)), HasSubstr(reason)) << code;
}

TEST(MachineCode, WhatRunsWhenItIsLoaded) {
  std::string function = "llvm.func @first() { llvm.return }\n";
  EXPECT_THAT(refusalOf(function +
                        "llvm.mlir.global_ctors ctors = [@first], priorities = [0 : i32], "
                        "data = [#llvm.zero]\n"),
              HasSubstr("llvm.mlir.global_ctors"));
  EXPECT_THAT(refusalOf(kEntry, "llvm.module_asm = [\".globl x\"]"),
              HasSubstr("has the attribute llvm.module_asm"));
  EXPECT_THAT(refusalOf("llvm.func @f() attributes {section = \".init\"} { llvm.return }\n"),
              HasSubstr("asks for a section"));
  EXPECT_THAT(
      refusalOf("llvm.mlir.global internal @g(1 : i64) {section = \".init_array\"} : i64\n"),
      HasSubstr("asks for a section"));
}

/// A shared object made of `body` without any other check.
class SharedObject : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<64> unique;
    fs::createUniqueDirectory("tutti-object", unique);
    folder = unique.str().str();
  }
  void TearDown() override { fs::remove_directories(folder); }

  std::string refusalOf(const std::string &body) {
    tutti::test::Compiler compiler;
    auto module = compiler.parse(body);
    std::string object = folder + "/a.o", path = folder + "/a.so";
    Instructions instructions = llvm::cantFail(Instructions::find("native"));
    if (llvm::Error error = writeObject(*module, "{}", instructions, 1, object))
      return llvm::toString(std::move(error));
    if (llvm::Error error = linkSharedObject(object, path))
      return llvm::toString(std::move(error));
    auto content = llvm::MemoryBuffer::getFile(path);
    llvm::Error error = checkSharedObject((*content)->getBuffer());
    return error ? llvm::toString(std::move(error)) : "";
  }
  std::string folder;
};

TEST_F(SharedObject, LeavesOnlyKnownSymbolsOpen) {
  EXPECT_EQ(refusalOf("llvm.func @expf(f32) -> f32\n"
                      "llvm.func @tutti_step(%x: f32) -> f32 {\n"
                      "%y = llvm.call @expf(%x) : (f32) -> f32\nllvm.return %y : f32\n}"),
            "");
  EXPECT_EQ(refusalOf("llvm.func @system(!llvm.ptr) -> i32\n"
                      "llvm.func @tutti_step(%p: !llvm.ptr) -> i32 {\n"
                      "%y = llvm.call @system(%p) : (!llvm.ptr) -> i32\nllvm.return %y : i32\n}"),
            "the compiled program calls 'system', which is neither of the runtime nor a "
            "mathematical function");
}

TEST_F(SharedObject, RunsNothingWhenItIsLoaded) {
  // It does something: an optimizer drops what does nothing.
  EXPECT_EQ(refusalOf("llvm.mlir.global external @g(0 : i32) : i32\n"
                      "llvm.func @f() {\n%p = llvm.mlir.addressof @g : !llvm.ptr\n"
                      "%c = llvm.mlir.constant(1 : i32) : i32\n"
                      "llvm.store volatile %c, %p : i32, !llvm.ptr\nllvm.return\n}\n"
                      "llvm.mlir.global_ctors ctors = [@f], priorities = [0 : i32], "
                      "data = [#llvm.zero]\n"),
            "the compiled program runs code when it is loaded or unloaded");
}

TEST_F(SharedObject, AFunctionOfTheProgramIsNoEntryPointOfTheLoader) {
  EXPECT_EQ(
      refusalOf("llvm.func @_init() { llvm.return }\nllvm.func @tutti_step() { llvm.return }"), "");
}

TEST_F(SharedObject, AssemblyThatIsNoneIsAnErrorNotTheEnd) {
  EXPECT_THAT(
      refusalOf("llvm.func @tutti_step() {\n"
                "llvm.inline_asm has_side_effects \"no such instruction\", \"\" : () -> ()\n"
                "llvm.return\n}"),
      HasSubstr("no machine code for the program: "));
}

TEST_F(SharedObject, WhatIsNoObject) {
  llvm::Error error = checkSharedObject("garbage");
  EXPECT_TRUE(bool(error));
  llvm::consumeError(std::move(error));
}

TEST(OpenSymbols, AreThoseOfTheRuntimeForProgramsAndOfMathematics) {
  for (const char *name : {"tutti_all_reduce", "tutti_matmul", "tutti_group_rank",
                           "tutti_context_status", "expf", "pow", "memcpy"})
    EXPECT_TRUE(openSymbols().contains(name)) << name;
  for (const char *name : {"tutti_context_create", "tutti_backend_load", "system", "open", "", "f"})
    EXPECT_FALSE(openSymbols().contains(name)) << name;
}

TEST(OpenSymbols, AreInEveryProcessThatLoadsPrograms) {
  for (const auto &symbol : openSymbols())
    EXPECT_NE(dlsym(RTLD_DEFAULT, symbol.getKey().str().c_str()), nullptr) << symbol.getKey().str();
}

} // namespace
