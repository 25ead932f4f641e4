// Whether groups that are made at run time exist where they are used.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_COMMUNICATION_GROUPLIFETIMES_H
#define TUTTI_PASSES_COMMUNICATION_GROUPLIFETIMES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tutti::communication {

/// Checks, on every way through `entry` and what it calls, that groups `at_run_time` are made
/// before they are used, destroyed once, and gone at the end. Emits the error.
mlir::LogicalResult verifyGroupLifetimes(mlir::FunctionOpInterface entry);

} // namespace tutti::communication

#endif // TUTTI_PASSES_COMMUNICATION_GROUPLIFETIMES_H
