// Writes what an operation computes as a formula of operators that ONNX has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_EXPORT_BODIES_FORMULATEXT_H
#define TUTTI_LIB_FRONTEND_EXPORT_BODIES_FORMULATEXT_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/Twine.h"

#include <string>

namespace tutti::frontend {

/// The formula of one operation, in the form that readFormula reads: operand i is called `xi`,
/// result i `yi`.
class FormulaText {
public:
  explicit FormulaText(mlir::Operation *op) : op(op) {}

  /// Adds a statement.
  FormulaText &operator<<(const llvm::Twine &statement) {
    statements += "  " + statement.str() + "\n";
    return *this;
  }

  /// The whole text, with a head that names the operation.
  std::string str() const;

  // Parts of statements.

  /// A constant of the type of operand 0, with all its digits.
  static std::string number(double value);
  static std::string number(const llvm::APFloat &value) { return number(value.convertToDouble()); }
  /// A vector of integers.
  static std::string list(llvm::ArrayRef<int64_t> values);
  /// The numbers from `first` up to `last`, which is not one of them.
  static std::string list(int64_t first, int64_t last);
  /// `value` in the element type `type`.
  static std::string cast(const llvm::Twine &value, mlir::Type type);

private:
  mlir::Operation *op;
  std::string statements;
};

/// The type of operand or result `value`, a tensor.
inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// `type` as messages have it.
std::string spell(mlir::Type type);

/// Says that `op` cannot be written because of `why`, which begins after a colon; failure.
mlir::LogicalResult refuseExport(mlir::Operation *op, const llvm::Twine &why);

/// The formula of `op`; failure after a diagnostic if there is none.
mlir::FailureOr<std::string> writeFormula(mlir::Operation *op);

// For the operations of one dialect; see writeFormula.

mlir::LogicalResult writeTrainFormula(mlir::Operation *op, FormulaText &text);
mlir::LogicalResult writeRowsFormula(mlir::Operation *op, FormulaText &text);
mlir::LogicalResult writeOptimizerFormula(mlir::Operation *op, FormulaText &text);
mlir::LogicalResult writeOnnxFormula(mlir::Operation *op, FormulaText &text);
mlir::LogicalResult writeRecurrentFormula(mlir::Operation *op, FormulaText &text);
mlir::LogicalResult writeCollectiveFormula(mlir::Operation *op, FormulaText &text);
mlir::LogicalResult writeScalarFormula(mlir::Operation *op, FormulaText &text);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_EXPORT_BODIES_FORMULATEXT_H
