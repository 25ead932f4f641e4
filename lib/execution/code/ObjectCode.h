// From the LLVM dialect to machine code in a shared object.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_EXECUTION_CODE_OBJECTCODE_H
#define TUTTI_LIB_EXECUTION_CODE_OBJECTCODE_H

#include "lib/execution/code/Instructions.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tutti::execution {

/// The machine that code with these instructions is made for, as text.
std::string describeTarget(const Instructions &instructions);

/// Machine code of a module in the LLVM dialect with these instructions, as a relocatable object at
/// `path`. `manifest` becomes the constant tutti_manifest. `optimization` as in -O.
llvm::Error writeObject(mlir::ModuleOp module, llvm::StringRef manifest,
                        const Instructions &instructions, unsigned optimization,
                        llvm::StringRef path);

/// Links the object at `objectPath` to a shared object at `path`. Symbols of the runtime stay open:
/// the process that loads it provides them.
llvm::Error linkSharedObject(llvm::StringRef objectPath, llvm::StringRef path);

} // namespace tutti::execution

#endif // TUTTI_LIB_EXECUTION_CODE_OBJECTCODE_H
