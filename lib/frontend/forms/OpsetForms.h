// The forms that operators had in operator sets 6 to 24, brought into the one form of the dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_FORMS_OPSETFORMS_H
#define TUTTI_LIB_FRONTEND_FORMS_OPSETFORMS_H

#include "lib/frontend/forms/ImportedNode.h"

namespace tutti::frontend {

/// Where a node stands: what its form may depend on.
struct FormContext {
  int64_t opset;
  TensorScope &scope;
  mlir::OpBuilder &builder;
  /// What a size that varies is a multiple of: equal sizes have equal terms.
  TermOf termOf;

  SizeTerm canonical(const SizeTerm &term) const {
    return tutti::frontend::canonical(term, termOf);
  }
};

/// What a node that is expressed by others gives: one value for each output, as far as there are
/// any.
using Results = llvm::SmallVectorImpl<mlir::Value>;

/// Brings `node` into the dialect's form: operands that only say shapes become attributes,
/// attributes that became operands later become operands, types become MLIR types, and operators
/// with an older meaning, or that are made of others, are expressed by those (then `results` is set
/// and nothing is left to build). Failure after a diagnostic.
mlir::LogicalResult normalizeForm(ImportedNode &node, FormContext &context, Results &results);

/// Whether input `index` of operator `op` becomes an attribute, so that it need not exist as a
/// value.
bool isShapeOperand(llvm::StringRef op, unsigned index);

/// Whether input `index` of operator `op` says how it works: it has no gradient, and is no
/// parameter though it be of floats.
bool isSettingOperand(llvm::StringRef op, unsigned index);

/// Whether operator `op` can be imported though the dialect has no operation of its name.
bool isComposed(llvm::StringRef op);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_FORMS_OPSETFORMS_H
