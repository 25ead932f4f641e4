// Numbers that are no tensors (the number of ranks, its inverse): in a graph they are tensors of
// rank 0, and `index` is int64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/export/bodies/FormulaText.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti::frontend;

/// The operator that computes the same of tensors; empty if there is none.
static StringRef operatorFor(Operation *op) {
  return llvm::StringSwitch<StringRef>(op->getName().stripDialect())
      .Cases({"addi", "addf"}, "Add")
      .Cases({"subi", "subf"}, "Sub")
      .Cases({"muli", "mulf"}, "Mul")
      .Cases({"divsi", "divf"}, "Div")
      .Cases({"maxsi", "maximumf"}, "Max")
      .Cases({"minsi", "minimumf"}, "Min")
      .Case("negf", "Neg")
      .Case("select", "Where")
      .Default("");
}

static Type elementOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() ? Type(IntegerType::get(type.getContext(), 64)) : element;
}

static LogicalResult writeCall(Operation *op, FormulaText &text) {
  StringRef called = operatorFor(op);
  if (called.empty())
    return refuseExport(op, "no operators stand for it; export the program before the pass that "
                            "made it");
  std::string operands;
  for (unsigned index = 0; index < op->getNumOperands(); ++index)
    operands += (index ? ", x" : "x") + std::to_string(index);
  text << "y0 = " + called + "(" + operands + ")";
  return success();
}

static LogicalResult writeConstant(arith::ConstantOp op, FormulaText &text) {
  Type type = elementOf(op.getType());
  std::string zero = FormulaText::cast("0", type);
  if (auto number = dyn_cast<IntegerAttr>(op.getValue()))
    text << "y0 = " + FormulaText::cast(std::to_string(number.getValue().getSExtValue()), type);
  else
    text << "y0 = CastLike(" +
                FormulaText::number(cast<FloatAttr>(op.getValue()).getValueAsDouble()) + ", " +
                zero + ")";
  return success();
}

static LogicalResult writeElements(tensor::FromElementsOp op, FormulaText &text) {
  RankedTensorType type = op.getType();
  if (type.getRank() == 0) {
    text << "y0 = Identity(x0)";
    return success();
  }
  std::string all;
  for (unsigned index = 0; index < op->getNumOperands(); ++index)
    all += (index ? ", Unsqueeze(x" : "Unsqueeze(x") + std::to_string(index) + ", [0])";
  if (all.empty())
    return refuseExport(op, "it is empty");
  text << "y0 = Reshape(Concat<axis = 0>(" + all + "), " + FormulaText::list(type.getShape()) + ")";
  return success();
}

static LogicalResult writeExtract(tensor::ExtractOp op, FormulaText &text) {
  if (!op.getIndices().empty())
    return refuseExport(op, "only that of a tensor of rank 0 is written");
  text << "y0 = Identity(x0)";
  return success();
}

LogicalResult tutti::frontend::writeScalarFormula(Operation *op, FormulaText &text) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](arith::ConstantOp constant) { return writeConstant(constant, text); })
      .Case([&](tensor::FromElementsOp elements) { return writeElements(elements, text); })
      .Case([&](tensor::ExtractOp extract) { return writeExtract(extract, text); })
      .Case([&](tensor::DimOp) {
        text << "y0 = Gather(Shape(x0), x1)";
        return success();
      })
      .Case<arith::IndexCastOp, arith::SIToFPOp, arith::FPToSIOp, arith::ExtFOp, arith::TruncFOp,
            arith::ExtSIOp, arith::TruncIOp>([&](auto cast) {
        text << "y0 = " + FormulaText::cast("x0", elementOf(cast.getType()));
        return success();
      })
      .Default([&](Operation *other) { return writeCall(other, text); });
}
