// From a file to a program that is ready to compile for N ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_PREPARE_H
#define TUTTI_TOOLS_DISTRUN_PREPARE_H

#include "passes/search/Search.h"
#include "runtime/host/data/InflatedArrays.h"
#include "tools/dist-run/options/Options.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tutti {

/// Reads `options.input`, and prepares the program for the ranks of the run (prepareForRanks). Says
/// on standard error what that decided by itself. `outHash` is that of the program as it was read
/// (hashOfProgram), `outChoice` what a search of
/// --distribute has chosen, if there was one. Null after errors, which are diagnostics of
/// `context`.
mlir::OwningOpRef<mlir::ModuleOp> prepareProgram(const RunOptions &options,
                                                 mlir::MLIRContext *context,
                                                 runtime::data::InflatedArrays &inflated,
                                                 std::string &outHash,
                                                 std::optional<search::Answer> &outChoice);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_PREPARE_H
