// Tensors that are as long as sizes that vary say.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_FORMS_SIZEFORMS_H
#define TUTTI_LIB_FRONTEND_FORMS_SIZEFORMS_H

#include "lib/frontend/forms/Composer.h"

namespace tutti::frontend {

/// What an error adds where a size that varies is one too many.
inline constexpr llvm::StringLiteral kFixSizes =
    "; --size NAME=SIZE fixes a dimension that the model names, e.g. --size time=128, and "
    "INPUT:AXIS=SIZE one without a name, and dist-run takes them from its data";

/// `location`, with what an error says after the name of its node where sizes that are known too
/// late do not fit.
mlir::Location explained(mlir::Location location, llvm::StringRef text);

/// The operands and attributes of an onnx.Expand.
struct Expansion {
  mlir::Value input, like;
  int64_t axis = 0;
  llvm::SmallVector<int64_t> shape;
};

/// Whether it is a number less a size that varies, which may be too large.
bool isWhatANumberLeaves(const SizeTerm &size);

/// Builds them for one node. As a dimension the size of a batch is a rank's own part, and as a
/// number that of the whole batch: both follow from how they are built, as the layout of what they
/// are built of. Functions that give a value give null after a diagnostic.
class SizeBuilder {
public:
  SizeBuilder(const ImportedNode &node, FormContext &context)
      : node(node), context(context), with(node, context) {}

  /// The size as an i64 scalar.
  mlir::Value number(const SizeTerm &size);
  /// A vector of as many ones, of i64.
  mlir::Value ones(const SizeTerm &size);
  /// As many as `size` is larger than `other`; a program in which it is not is refused once sizes
  /// are known.
  mlir::Value onesOfDifference(const SizeTerm &size, const SizeTerm &other);
  /// 0, 1, ..., as many, of i64, shaped so that it lies along a dimension with `after` others
  /// after it.
  mlir::Value count(const SizeTerm &size, int64_t after = 0);
  /// What makes `input` a tensor of `shape`, of whose entries some vary; all operations but the
  /// last one are built.
  mlir::FailureOr<Expansion> expand(mlir::Value input, const Sizes &shape);

  /// The size of a dimension: a number, or the term of where it comes from.
  SizeTerm sizeAlong(mlir::Value value, int64_t axis);

private:
  mlir::Value onesOfSum(const SizeTerm &size);
  mlir::Value refuse(const SizeOperation &size);
  mlir::Value onesOfLimited(const SizeOperation &size);
  mlir::Value onesMade(const SizeOperation &size);
  mlir::Value column(const SizeTerm &size);

  const ImportedNode &node;
  FormContext &context;
  Composer with;
};

/// A vector that is computed from sizes, which becomes the attribute `shape`: entries that vary are
/// copied from the operand, inferred, or looked up by their places.
mlir::LogicalResult composeReshape(ImportedNode &node, FormContext &context, Results &results);
/// `value`, of sizes `own`, in `shape`: of the entries that vary, something must be known of all
/// but one. Null after a diagnostic at `node`.
mlir::Value reshapeTo(const ImportedNode &node, FormContext &context, mlir::Value value,
                      const Sizes &own, Sizes shape);
/// A constant, or a count as long as sizes say.
mlir::LogicalResult composeRange(ImportedNode &node, FormContext &context, Results &results);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_FORMS_SIZEFORMS_H
