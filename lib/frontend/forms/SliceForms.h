// Forms of operators whose operands say which parts of tensors are meant.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_FORMS_SLICEFORMS_H
#define TUTTI_LIB_FRONTEND_FORMS_SLICEFORMS_H

#include "lib/frontend/forms/OpsetForms.h"

namespace tutti::frontend {

/// What is known of the integers in input `index`, of which `what` says what they are; none, after
/// a diagnostic, if nothing is.
mlir::FailureOr<Sizes> sizesInput(ImportedNode &node, FormContext &context, int index,
                                  llvm::StringRef what);

/// The integers in input `index`, all of which must be known; none, after a diagnostic, if they are
/// not. An absent input gives `otherwise`.
mlir::FailureOr<llvm::SmallVector<int64_t>> knownInput(ImportedNode &node, FormContext &context,
                                                       int index, llvm::StringRef what,
                                                       llvm::ArrayRef<int64_t> otherwise);

/// The number in input `index`, and the type of its elements; none, after a diagnostic, if it is
/// not one constant number.
mlir::FailureOr<double> numberInput(ImportedNode &node, FormContext &context, int index,
                                    mlir::Type &type);

mlir::LogicalResult formSlice(ImportedNode &node, FormContext &context);
/// An onnx.Split; slices, where the sizes of the parts vary.
mlir::LogicalResult composeSplit(ImportedNode &node, FormContext &context, Results &results);
/// The parts of `x` along `axis`, which has as many entries as `counts` together; values that are
/// null after a diagnostic.
llvm::SmallVector<mlir::Value> takeParts(ImportedNode &node, FormContext &context, mlir::Value x,
                                         int64_t axis, llvm::ArrayRef<SizeTerm> counts);
/// As many equal parts of `size` as `parts`, of which the last one may be smaller.
llvm::SmallVector<SizeTerm> equalParts(const SizeTerm &size, int64_t parts, TermOf termOf);
/// The inputs of an onnx.SliceGrad, then those of a Slice that say what is meant.
mlir::LogicalResult formSliceGrad(ImportedNode &node, FormContext &context);
/// ONNX Runtime's losses say in input `index` which label counts for nothing.
mlir::LogicalResult formIgnoredLabel(ImportedNode &node, FormContext &context, int index);
mlir::LogicalResult formExpand(ImportedNode &node, FormContext &context);
/// Sets the attributes of an Expand whose only operand is there: to `shape`, in which sizes may
/// vary.
mlir::LogicalResult expandTo(ImportedNode &node, FormContext &context, Sizes shape);
/// Moves the one integer in input 1 to the attribute `name`; without that input, `otherwise`.
mlir::LogicalResult formInteger(ImportedNode &node, FormContext &context, llvm::StringRef name,
                                llvm::ArrayRef<int64_t> otherwise);
mlir::LogicalResult formTrilu(ImportedNode &node, FormContext &context);
mlir::LogicalResult composeCumSum(ImportedNode &node, FormContext &context, Results &results);
/// A constant.
mlir::LogicalResult formRange(ImportedNode &node, FormContext &context);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_FORMS_SLICEFORMS_H
