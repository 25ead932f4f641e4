// AttributeProto to MLIR attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_ATTRIBUTEREADER_H
#define TUTTI_LIB_FRONTEND_MODEL_ATTRIBUTEREADER_H

#include "lib/frontend/model/TensorReader.h"

#include "mlir/IR/OperationSupport.h"

namespace tutti::frontend {

/// All attributes of `node` under their ONNX names: FLOAT as f32, INT as i64, INTS and FLOATS as
/// dense arrays, STRING, STRINGS, TENSOR and TENSORS. Failure after a diagnostic for subgraphs,
/// sparse tensors, references to a function's attributes, and names that occur twice.
mlir::FailureOr<mlir::NamedAttrList> readAttributes(const proto::NodeProto &node,
                                                    TensorReader &tensors, mlir::Location location);

/// Why subgraphs and the like are refused: the kind of `attribute` in words.
std::string attributeKind(const proto::AttributeProto &attribute);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_ATTRIBUTEREADER_H
