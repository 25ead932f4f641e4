// The functions that compiled programs may call, and the proof that one calls no others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_EXECUTION_CODE_OPENSYMBOLS_H
#define TUTTI_LIB_EXECUTION_CODE_OPENSYMBOLS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

namespace tutti::execution {

/// What a program may leave open: what include/tutti/abi.def gives to compiled code, mathematical
/// functions, and the few functions that a code generator adds by itself. Every process that loads
/// programs has all of them.
const llvm::StringSet<> &openSymbols();

/// Fails, with an error at the operation, if a module in the LLVM dialect holds what no training
/// program needs: functions without a body but for open symbols, assembly, calls through pointers,
/// pointers made from numbers, code that runs when the program is loaded.
mlir::LogicalResult verifyMachineCode(mlir::ModuleOp module);

/// The same of a shared object: it leaves only open symbols open, needs no library, and runs
/// nothing when it is loaded.
llvm::Error checkSharedObject(llvm::StringRef content);

} // namespace tutti::execution

#endif // TUTTI_LIB_EXECUTION_CODE_OPENSYMBOLS_H
