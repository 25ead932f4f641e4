// The proof, on the LLVM dialect, that a program does nothing but compute.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/code/OpenSymbols.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tutti::execution;

static LogicalResult refuse(Operation *op, const Twine &why) {
  return mlir::emitError(op->getLoc())
         << "'" << op->getName() << "' " << why << ": no training program needs that";
}

static LogicalResult verifyFunction(LLVM::LLVMFuncOp function) {
  if (function.isExternal() && !openSymbols().contains(function.getName()))
    return refuse(function, "declares '" + function.getName() +
                                "', which is neither of the runtime nor a mathematical function");
  if (function.getSection() || function.getPersonality() || function.getGarbageCollector())
    return refuse(function, "asks for a section, a personality or a garbage collector");
  return success();
}

static LogicalResult verifyGlobal(LLVM::GlobalOp global) {
  bool isDefined = global.getValueAttr() || !global.getInitializerRegion().empty();
  if (!isDefined && !openSymbols().contains(global.getName()))
    return refuse(global, "is a variable of another library");
  if (global.getSection() || global.getThreadLocal_())
    return refuse(global, "asks for a section or for a variable of each thread");
  return success();
}

/// Computes from its operands alone.
static bool isArithmetic(Operation *op) {
  return op->getName().getDialectNamespace() == LLVM::LLVMDialect::getDialectNamespace() &&
         isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         !isa<LLVM::InlineAsmOp, LLVM::IntToPtrOp>(op);
}

/// The intrinsics that the compiler itself writes by name; the dialect has no operation for them.
static bool isKnownIntrinsic(Operation *op) {
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  return call && (call.getIntrin() == "llvm.fptosi.sat" || call.getIntrin() == "llvm.fptoui.sat");
}

static LogicalResult verifyOp(Operation *op) {
  if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op))
    return verifyFunction(function);
  if (auto global = dyn_cast<LLVM::GlobalOp>(op))
    return verifyGlobal(global);
  if (auto call = dyn_cast<LLVM::CallOp>(op))
    return call.getCallee() ? success() : refuse(op, "calls through a pointer");
  if (isa<ModuleOp, LLVM::LoadOp, LLVM::StoreOp, LLVM::AllocaOp, LLVM::BrOp, LLVM::CondBrOp,
          LLVM::SwitchOp, LLVM::ReturnOp, LLVM::UnreachableOp, LLVM::AddressOfOp, LLVM::MemcpyOp,
          LLVM::MemmoveOp, LLVM::MemsetOp, LLVM::AssumeOp>(op) ||
      isArithmetic(op) || isKnownIntrinsic(op))
    return success();
  return refuse(op, "is in the machine code");
}

LogicalResult tutti::execution::verifyMachineCode(ModuleOp module) {
  for (StringRef attribute : {"llvm.module_asm", "llvm.dependent_libraries"})
    if (module->hasAttr(attribute))
      return refuse(module, "has the attribute " + attribute);
  return failure(
      module.walk([](Operation *op) { return WalkResult(verifyOp(op)); }).wasInterrupted());
}
