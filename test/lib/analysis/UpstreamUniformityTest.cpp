// The table of upstream dialects against everything that MLIR registers: a new release cannot bring
// a dialect, or an operation that asks where it runs, that the analysis takes for uniform.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/UpstreamUniformity.h"
#include "lib/analysis/Uniformity.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tutti;

namespace {

class UpstreamUniformity : public ::testing::Test {
protected:
  void SetUp() override {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// A module that holds one operation of this name with one result, not verified. Only operations
  /// whose interfaces look at nothing may be put into one.
  OwningOpRef<ModuleOp> holding(OperationName name) {
    OpBuilder builder(&context);
    OwningOpRef<ModuleOp> module = ModuleOp::create(builder, builder.getUnknownLoc());
    OperationState state(builder.getUnknownLoc(), name);
    state.addTypes(builder.getI64Type());
    module->getBody()->push_back(Operation::create(state));
    return module;
  }

  MLIRContext context;
};

/// Pure operations say of themselves, as a trait, that they have no effect; no method is called.
bool isPure(RegisteredOperationName name) {
  return name.hasTrait<OpTrait::AlwaysSpeculatableImplTrait>() &&
         name.hasInterface<MemoryEffectOpInterface>() &&
         !name.hasInterface<RegionBranchOpInterface>() && !name.hasTrait<OpTrait::IsTerminator>();
}

TEST_F(UpstreamUniformity, everyDialectIsInTheTable) {
  for (StringRef dialect : context.getAvailableDialects())
    EXPECT_NE(getDialectTrust(dialect), DialectTrust::Foreign) << dialect.str();
}

TEST_F(UpstreamUniformity, dialectsOfOthersAreForeign) {
  EXPECT_EQ(getDialectTrust("stablehlo"), DialectTrust::Foreign);
  EXPECT_EQ(getDialectTrust("collective"), DialectTrust::Foreign);
}

/// Whatever asks for the machine, the process, the time, chance, memory or nothing at all.
TEST_F(UpstreamUniformity, pureOperationsThatAskWhereTheyRunVary) {
  llvm::Regex asks("rand|clock|time|thread|block_id|lane|rank|process|_id$|\\.id\\.|sreg|vscale|"
                   "addr|pointer|undef|poison|alloc|empty|global_load$|\\.new$|literal|symbol");
  // Of these names, those that mean something else.
  llvm::StringSet<> harmless = {"affine.linearize_index",
                                "linalg.fill_rng_2d",
                                "memref.rank",
                                "tensor.rank",
                                "shape.rank",
                                "ml_program.global_load_const",
                                "memref.transpose",
                                "llvm.mlir.constant"};
  unsigned count = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (!isPure(name) || !asks.match(name.getStringRef()) || harmless.contains(name.getStringRef()))
      continue;
    OwningOpRef<ModuleOp> module = holding(name);
    UniformityAnalysis analysis(*module);
    EXPECT_FALSE(analysis.isUniform(module->getBody()->front().getResult(0)))
        << name.getStringRef().str();
    ++count;
  }
  EXPECT_GT(count, 100u);
}

TEST_F(UpstreamUniformity, opaqueDialectsHaveFewExceptions) {
  unsigned believed = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (getDialectTrust(name.getDialectNamespace()) != DialectTrust::Opaque || !isPure(name))
      continue;
    OwningOpRef<ModuleOp> module = holding(name);
    believed += UniformityAnalysis(*module).isUniform(module->getBody()->front().getResult(0));
  }
  EXPECT_EQ(believed, 5u);
}

/// Constants of every dialect that is not of devices are equal on every rank, and so is what the
/// table trusts and no exception names: a table that trusts nothing would be of no use.
TEST_F(UpstreamUniformity, deterministicDialectsAreOfUse) {
  llvm::StringSet<> varying;
  unsigned uniform = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (getDialectTrust(name.getDialectNamespace()) != DialectTrust::Deterministic || !isPure(name))
      continue;
    OwningOpRef<ModuleOp> module = holding(name);
    if (UniformityAnalysis(*module).isUniform(module->getBody()->front().getResult(0)))
      ++uniform;
    else
      varying.insert(name.getStringRef());
  }
  EXPECT_GT(uniform, 300u);
  llvm::StringSet<> expected = {"bufferization.to_tensor",
                                "memref.extract_aligned_pointer_as_index",
                                "memref.reshape", // reads its shape from memory
                                "shape.any",
                                "tensor.empty",
                                "ub.poison",
                                "vector.vscale"};
  for (const auto &entry : varying)
    EXPECT_TRUE(expected.contains(entry.first())) << entry.first().str();
}

/// An operation that declares nothing about its effects may do anything.
TEST_F(UpstreamUniformity, operationsOfUnknownEffectsVary) {
  unsigned count = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    bool declares =
        name.hasInterface<MemoryEffectOpInterface>() ||
        name.hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        name.hasInterface<RegionBranchOpInterface>() || name.hasInterface<LoopLikeOpInterface>() ||
        name.hasInterface<CallOpInterface>() || name.hasInterface<FunctionOpInterface>() ||
        name.hasTrait<OpTrait::IsTerminator>();
    if (declares)
      continue;
    OwningOpRef<ModuleOp> module = holding(name);
    EXPECT_FALSE(UniformityAnalysis(*module).isUniform(module->getBody()->front().getResult(0)))
        << name.getStringRef().str();
    ++count;
  }
  EXPECT_GT(count, 100u);
}

} // namespace
