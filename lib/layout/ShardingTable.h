// The rules of sharding of all operations, as a table for people.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_LAYOUT_SHARDINGTABLE_H
#define TUTTI_LIB_LAYOUT_SHARDINGTABLE_H

#include "llvm/Support/raw_ostream.h"

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace tutti {

/// Prints a table in Markdown with a row for each rule that operations of loaded dialects declare:
/// the operations, the line, the operands in which they are linear, and what attributes change.
void printShardingTable(mlir::MLIRContext &context, llvm::raw_ostream &out);

} // namespace tutti

#endif // TUTTI_LIB_LAYOUT_SHARDINGTABLE_H
