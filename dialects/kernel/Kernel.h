// The kernel dialect: one operation for each kernel of the runtime.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_DIALECTS_KERNEL_KERNEL_H
#define TUTTI_DIALECTS_KERNEL_KERNEL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tutti::kernel {

/// Tables that servers hold, as something that kernels read and write.
struct TablesResource : mlir::SideEffects::Resource::Base<TablesResource> {
  llvm::StringRef getName() final { return "ServedTables"; }
};

} // namespace tutti::kernel

#include "dialects/kernel/KernelDialect.h.inc"
#include "dialects/kernel/KernelEnums.h.inc"
#include "dialects/kernel/KernelInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/kernel/Kernel.h.inc"

namespace tutti::kernel {

/// Discardable attribute of kernels that ask servers: a dictionary for each table that they ask,
/// what the plan says of it. Its `id` is the entry's.
inline constexpr llvm::StringLiteral kTableEntries = "kernel.table_entries";

/// The function of the runtime that `op` calls, as include/tutti/abi.def names it.
std::string getEntryName(KernelOpInterface op);

/// Appends the name of a node to parameters, see include/tutti/abi.def.
void appendName(llvm::StringRef name, llvm::SmallVectorImpl<int64_t> &words);

/// Creates `Op` on tensors or memrefs, with the attributes in the order of its definition.
template <typename Op, typename... Attributes>
Op createKernel(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange inputs,
                mlir::ValueRange outputs, Attributes &&...attributes) {
  llvm::SmallVector<mlir::Type> results;
  llvm::copy_if(outputs.getTypes(), std::back_inserter(results), llvm::IsaPred<mlir::TensorType>);
  return Op::create(builder, loc, results, inputs, outputs,
                    std::forward<Attributes>(attributes)...);
}

} // namespace tutti::kernel

#endif // TUTTI_DIALECTS_KERNEL_KERNEL_H
