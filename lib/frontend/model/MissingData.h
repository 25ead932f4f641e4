// Tensors whose contents lie in a file that is not there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_MISSINGDATA_H
#define TUTTI_LIB_FRONTEND_MODEL_MISSINGDATA_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"

#include <string>

namespace tutti::frontend {

/// Contents of type `type` without values: a resource `missing:OFFSET:FILE:` that has no data. It
/// says which bytes of which file, relative to the model's folder, are wanted, also in MLIR text
/// and bytecode.
mlir::DenseResourceElementsAttr makeMissingData(mlir::RankedTensorType type, llvm::StringRef file,
                                                uint64_t offset);

/// "the data of 3 tensors (10 MB) is missing: no file 'weights.bin' lies beside the model"
std::string describeMissingData(llvm::ArrayRef<mlir::DenseResourceElementsAttr> missing);

/// Fails with one error if the program has contents without values. To be asked before it is
/// compiled for a run.
mlir::LogicalResult verifyHasData(mlir::ModuleOp module);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_MISSINGDATA_H
