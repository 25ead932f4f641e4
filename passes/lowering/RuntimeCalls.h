// Calls of the runtime in the LLVM dialect: what kernel calls and collectives on buffers become.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_LOWERING_RUNTIMECALLS_H
#define TUTTI_PASSES_LOWERING_RUNTIMECALLS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace tutti::lowering {

/// The attribute with which lower-to-llvm numbers collectives: the id of the op's first plan entry.
inline constexpr llvm::StringLiteral kPlanEntry = "kernel.plan_entry";

/// Writes calls of the functions in include/tutti/abi.def.
class RuntimeCalls {
public:
  explicit RuntimeCalls(mlir::ModuleOp module) : module(module) {}

  /// Calls `name` with `arguments` behind the context, which is the last argument of the function
  /// around the builder's point. The function is declared as abi.def spells it.
  mlir::LogicalResult call(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
                           mlir::ValueRange arguments) const;

  /// A constant array of `values` in the module; equal arrays are one.
  mlir::Value constantArray(mlir::OpBuilder &builder, mlir::Location loc,
                            llvm::ArrayRef<int64_t> values);

  /// An array of `pointers` on the stack.
  mlir::Value pointerArray(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::ValueRange pointers) const;

private:
  mlir::ModuleOp module;
  llvm::DenseMap<mlir::Attribute, mlir::LLVM::GlobalOp> arrays;
};

/// kernel.call and the collectives on buffers. `calls` must outlive the patterns.
void populateRuntimeCallPatterns(const mlir::LLVMTypeConverter &converter,
                                 mlir::RewritePatternSet &patterns, RuntimeCalls &calls);

/// Adds to the module, whose functions are LLVM already, the entry points of
/// include/tutti/program.h. `buffers` of a function are the attributes that lower-bind-variables
/// recorded.
void addEntryPoint(mlir::LLVM::LLVMFuncOp function);

} // namespace tutti::lowering

#endif // TUTTI_PASSES_LOWERING_RUNTIMECALLS_H
