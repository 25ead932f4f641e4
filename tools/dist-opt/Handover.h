// Contents of tensors on their way from one context to another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DIST_OPT_HANDOVER_H
#define TUTTI_TOOLS_DIST_OPT_HANDOVER_H

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace tutti {

/// Carries the data of resources beside a program that is written without it and read again.
class Handover {
public:
  /// Takes the data of all resources that `module` uses; they have none from then on.
  void take(mlir::ModuleOp module);

  /// Gives it to the resources of the same names in `context`; what it does not know is dropped.
  void give(mlir::MLIRContext *context);

private:
  llvm::StringMap<mlir::AsmResourceBlob> blobs;
};

} // namespace tutti

#endif // TUTTI_TOOLS_DIST_OPT_HANDOVER_H
