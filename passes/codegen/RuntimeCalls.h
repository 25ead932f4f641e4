// Calls of the runtime in the LLVM dialect: what kernel calls and collectives on buffers become.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_CODEGEN_RUNTIMECALLS_H
#define TUTTI_PASSES_CODEGEN_RUNTIMECALLS_H

#include "lib/program/Groups.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace tutti::codegen {

/// The attribute with which lower-to-llvm numbers collectives: the id of the op's first plan entry.
inline constexpr llvm::StringLiteral kPlanEntry = "kernel.plan_entry";

/// Writes calls of the functions in include/tutti/abi.def.
class RuntimeCalls {
public:
  /// `groups` are those of the program, whose declarations are gone by now.
  RuntimeCalls(mlir::ModuleOp module,
               llvm::MapVector<mlir::StringAttr, program::GroupNumber> groups)
      : module(module), groups(std::move(groups)) {}

  /// What is known of the group of this name.
  program::GroupNumber group(mlir::FlatSymbolRefAttr name) const {
    return groups.lookup(name.getAttr());
  }

  /// Calls `name` with `arguments` after the context, which is the last argument of the function
  /// around the builder's point. The function is declared as abi.def spells it.
  mlir::LogicalResult call(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
                           mlir::ValueRange arguments) const;

  /// The same for a function that answers an int64_t.
  mlir::FailureOr<mlir::Value> query(mlir::OpBuilder &builder, mlir::Location loc,
                                     llvm::StringRef name, mlir::ValueRange arguments) const;

  /// A constant array of `values` in the module; equal arrays are one.
  mlir::Value constantArray(mlir::OpBuilder &builder, mlir::Location loc,
                            llvm::ArrayRef<int64_t> values);

  /// An array of `values`, at least one and all of `type`, on the stack.
  mlir::Value stackArray(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                         mlir::ValueRange values) const;

  /// An array of `pointers` on the stack.
  mlir::Value pointerArray(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::ValueRange pointers) const;

private:
  mlir::FailureOr<mlir::LLVM::CallOp> emit(mlir::OpBuilder &builder, mlir::Location loc,
                                           llvm::StringRef name, mlir::Type result,
                                           mlir::ValueRange arguments) const;

  mlir::ModuleOp module;
  llvm::MapVector<mlir::StringAttr, program::GroupNumber> groups;
  llvm::DenseMap<mlir::Attribute, mlir::LLVM::GlobalOp> arrays;
};

/// kernel.call, and questions on groups. `calls` must outlive the patterns.
void populateRuntimeCallPatterns(const mlir::LLVMTypeConverter &converter,
                                 mlir::RewritePatternSet &patterns, RuntimeCalls &calls);

/// Collectives and messages on buffers. `calls` must outlive the patterns.
void populateCollectiveCallPatterns(const mlir::LLVMTypeConverter &converter,
                                    mlir::RewritePatternSet &patterns, RuntimeCalls &calls);

/// Adds to the module, whose functions are LLVM already, the entry points of
/// include/tutti/program.h. `buffers` of a function are the attributes that lower-bind-variables
/// recorded.
void addEntryPoint(mlir::LLVM::LLVMFuncOp function);

} // namespace tutti::codegen

#endif // TUTTI_PASSES_CODEGEN_RUNTIMECALLS_H
