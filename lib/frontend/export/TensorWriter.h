// Contents of tensors and attributes of operations, as ONNX has them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_EXPORT_TENSORWRITER_H
#define TUTTI_LIB_FRONTEND_EXPORT_TENSORWRITER_H

#include "lib/frontend/model/ModelFile.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace tutti::frontend {

/// `content` under a name, as raw data; failure after a diagnostic if it has no values or a type
/// that ONNX does not have.
mlir::FailureOr<proto::TensorProto> writeTensor(mlir::ElementsAttr content, llvm::StringRef name,
                                                mlir::Location location);

/// A vector of integers.
proto::TensorProto writeIntegers(llvm::ArrayRef<int64_t> values, llvm::StringRef name);

/// The attribute `name` of an operator; failure after a diagnostic if ONNX has none of the kind.
mlir::FailureOr<proto::AttributeProto> writeAttribute(mlir::NamedAttribute attribute,
                                                      mlir::Location location);

/// The number of TensorProto.DataType.
int32_t writeElementType(mlir::Type type);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_EXPORT_TENSORWRITER_H
