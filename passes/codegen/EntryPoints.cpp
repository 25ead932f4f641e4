// The entry points of a compiled program: C functions that unpack arrays of buffers and call the
// function proper, whose buffers are separate arguments that do not overlap.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/codegen/RuntimeCalls.h"

#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace tutti::codegen {

/// Appends the first `count` pointers of the C array `array`.
static void unpack(ImplicitLocOpBuilder &builder, Value array, int64_t count,
                   SmallVectorImpl<Value> &pointers) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  for (int64_t position = 0; position < count; ++position) {
    Value slot = LLVM::GEPOp::create(builder, pointer, pointer, array,
                                     ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(position)});
    pointers.push_back(LLVM::LoadOp::create(builder, pointer, slot));
  }
}

static int64_t countOf(LLVM::LLVMFuncOp function, StringRef what) {
  auto count = function->getAttrOfType<IntegerAttr>(what);
  return count ? count.getInt() : 0;
}

void addEntryPoint(LLVM::LLVMFuncOp function) {
  ImplicitLocOpBuilder builder(function.getLoc(), function->getContext());
  builder.setInsertionPointAfter(function);
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto module = function->getParentOfType<ModuleOp>();
  bool hasInputs = function.getName() != "initialize";
  SmallVector<Type> parameters(hasInputs ? 5 : 4, pointer);
  auto entry =
      LLVM::LLVMFuncOp::create(builder, ("tutti_" + function.getName()).str(),
                               LLVM::LLVMFunctionType::get(builder.getI32Type(), parameters));
  Block *body = entry.addEntryBlock(builder);
  builder.setInsertionPointToStart(body);
  SmallVector<Value> arguments;
  unsigned next = 1; // 0 is the context
  unpack(builder, body->getArgument(next++), countOf(function, "kernel.variables"), arguments);
  if (hasInputs)
    unpack(builder, body->getArgument(next++), countOf(function, "kernel.inputs"), arguments);
  unpack(builder, body->getArgument(next++), countOf(function, "kernel.results"), arguments);
  arguments.push_back(body->getArgument(next));
  arguments.push_back(body->getArgument(0));
  LLVM::CallOp::create(builder, function, arguments);

  OpBuilder declarations(builder.getContext());
  auto status = LLVM::lookupOrCreateFn(declarations, module, "tutti_context_status", {pointer},
                                       builder.getI32Type());
  // The name is the module's own declaration or none: this cannot fail.
  auto result = LLVM::CallOp::create(builder, *status, ValueRange{body->getArgument(0)});
  LLVM::ReturnOp::create(builder, result.getResults());
  function.setLinkage(LLVM::Linkage::Internal);
}

} // namespace tutti::codegen
