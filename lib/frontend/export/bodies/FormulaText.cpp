// Numbers, lists and heads; which file knows which dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/export/bodies/FormulaText.h"

#include "lib/frontend/export/TensorWriter.h"
#include "lib/frontend/model/OperationNodes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace tutti::frontend;

std::string FormulaText::str() const {
  std::string head = (operationDomain + op->getName().getStringRef() + "(").str();
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    head += (i ? ", x" : "x") + std::to_string(i);
  head += ") -> (";
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    head += (i ? ", y" : "y") + std::to_string(i);
  return head + ") {\n" + statements + "}";
}

std::string FormulaText::number(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.17g", value);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  llvm::erase(text, '+');
  return value < 0 ? "(" + text + ")" : text;
}

std::string FormulaText::list(ArrayRef<int64_t> values) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "[";
  llvm::interleaveComma(values, stream);
  stream << "]";
  return text;
}

std::string FormulaText::list(int64_t first, int64_t last) {
  return list(llvm::to_vector(llvm::seq(first, std::max(first, last))));
}

std::string FormulaText::cast(const Twine &value, Type type) {
  return "Cast<to = " + std::to_string(writeElementType(type)) + ">(" + value.str() + ")";
}

std::string tutti::frontend::spell(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

LogicalResult tutti::frontend::refuseExport(Operation *op, const Twine &why) {
  return emitError(op->getLoc()) << "'" << op->getName() << "' has no form in ONNX: " << why;
}

FailureOr<std::string> tutti::frontend::writeFormula(Operation *op) {
  using Write = LogicalResult (*)(Operation *, FormulaText &);
  Write write = llvm::StringSwitch<Write>(op->getName().getDialectNamespace())
                    .Case("train", writeTrainFormula)
                    .Case("onnx", writeOnnxFormula)
                    .Case("collective", writeCollectiveFormula)
                    .Case("arith", writeScalarFormula)
                    .Case("tensor", writeScalarFormula)
                    .Default(nullptr);
  if (!write || op->getNumRegions() > 0)
    return refuseExport(op, write ? "it has a body; export the program before the pass that made it"
                                  : "no operators stand for it; export the program before the pass "
                                    "that made it");
  FormulaText text(op);
  if (failed(write(op, text)))
    return failure();
  return text.str();
}
