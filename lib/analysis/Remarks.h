// Remarks of passes: what was done, what was left alone, and why.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_ANALYSIS_REMARKS_H
#define TUTTI_LIB_ANALYSIS_REMARKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

#include <string>

namespace tutti {

/// Options of a remark by `pass` (its flag) on `function`, for `mlir::remark::passed`, `missed`,
/// `failed` and `analysis`. The category is the pass too, so that --remarks-filter chooses passes.
/// The text starts with what it is about and names the node or the variable; the remark's location
/// should be that of the node, whose name every printer shows. `pass` must outlive the remark.
mlir::remark::RemarkOpts remarkBy(llvm::StringRef pass, mlir::func::FuncOp function);

/// The same for the function around `op`.
mlir::remark::RemarkOpts remarkBy(llvm::StringRef pass, mlir::Operation *op);

/// "1 input", "3 inputs".
std::string counted(size_t number, llvm::StringRef noun);

} // namespace tutti

#endif // TUTTI_LIB_ANALYSIS_REMARKS_H
