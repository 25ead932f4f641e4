// The kernel dialect: its operation, and the table of kernels that the runtime has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_DIALECTS_KERNEL_KERNEL_H
#define TUTTI_DIALECTS_KERNEL_KERNEL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/kernel/KernelOpsDialect.h.inc"

#define GET_OP_CLASSES
#include "dialects/kernel/KernelOps.h.inc"

namespace tutti::kernel {

/// The names of all kernels of include/tutti/abi.def, in its order. The array is static.
llvm::ArrayRef<llvm::StringRef> getKernelNames();

} // namespace tutti::kernel

#endif // TUTTI_DIALECTS_KERNEL_KERNEL_H
