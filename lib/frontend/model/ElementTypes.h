// The element types of ONNX tensors as MLIR types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_ELEMENTTYPES_H
#define TUTTI_LIB_FRONTEND_MODEL_ELEMENTTYPES_H

#include "lib/frontend/model/ModelFile.h"

#include "mlir/IR/BuiltinTypes.h"

namespace tutti::frontend {

/// The MLIR type of TensorProto.DataType `type`; null for strings and undefined values.
/// Signed integers and bool are signless (i8..i64, i1), unsigned ones are ui8..ui64.
mlir::Type elementType(int32_t type, mlir::MLIRContext *context);

/// The spelling of TensorProto.DataType `type` in ONNX ("FLOAT"), or its number if it is none.
std::string elementTypeName(int32_t type);

/// More dimensions are an error in the file rather than a model.
inline constexpr int largestRank = 64;

/// The tensor type that `value` declares, symbolic dimensions as dynamic ones; null after a
/// diagnostic if it is no tensor, has no shape, or a shape that cannot be. `what` starts the
/// message ("input").
mlir::RankedTensorType readTensorType(const proto::ValueInfoProto &value, llvm::StringRef what,
                                      mlir::Location location);

/// `type` as ONNX writes it; dimensions that vary have no size.
proto::TypeProto writeTensorType(mlir::RankedTensorType type);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_ELEMENTTYPES_H
