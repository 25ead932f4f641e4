// A node half way between ONNX and the dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_FORMS_IMPORTEDNODE_H
#define TUTTI_LIB_FRONTEND_FORMS_IMPORTEDNODE_H

#include "lib/frontend/model/TensorScope.h"

namespace tutti::frontend {

/// What an operation of the dialect will be built from. Absent optional operands are null values.
struct ImportedNode {
  const proto::NodeProto &proto;
  mlir::Location location;
  std::string op;
  llvm::SmallVector<mlir::Value> operands;
  mlir::NamedAttrList attributes;

  mlir::InFlightDiagnostic emitError() const;

  /// Operand `index`, or null if it is absent.
  mlir::Value operand(size_t index) const {
    return index < operands.size() ? operands[index] : mlir::Value();
  }
  /// Name of input `index`, or empty.
  llvm::StringRef inputName(int index) const {
    return index < proto.input_size() ? llvm::StringRef(proto.input(index)) : llvm::StringRef();
  }
  int64_t integer(llvm::StringRef name, int64_t otherwise) const;
};

/// Creates operation `onnx.OP` with result types inferred from operands and attributes. Null after
/// a diagnostic, which comes from the operation's own inference or names an attribute it does not
/// have.
mlir::Operation *createInferred(mlir::OpBuilder &builder, mlir::Location location,
                                llvm::StringRef op, llvm::ArrayRef<mlir::Value> operands,
                                mlir::NamedAttrList attributes);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_FORMS_IMPORTEDNODE_H
