// Verifiers and syntax of the train dialect's operations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/train/Train.h"

#include "dialects/interfaces/StrayAttributes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tutti::train;

#define GET_OP_CLASSES
#include "dialects/train/Train.cpp.inc"

LogicalResult DatasetOp::verify() {
  // dataset_c1
  if (getGlobalBatch() && static_cast<int64_t>(*getGlobalBatch()) <= 0)
    return emitOpError("global_batch must be positive, got ") << *getGlobalBatch();
  // dataset_c2
  if (getShard() && getShard()->getRanks() < 0)
    return emitOpError("ranks of its shard must not be negative, got ") << getShard()->getRanks();
  // dataset_c3
  if (auto stray = tutti::findStrayAttribute(*this))
    return tutti::tellStrayAttribute(emitOpError(), *this, *stray);
  return success();
}

LogicalResult GradientOp::verify() {
  // gradient_c1
  if (getVariables().getTypes() != getGradients().getTypes())
    return emitOpError("must have one result for each variable, of its type");
  return success();
}

ParseResult GradientOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand value;
  SmallVector<OpAsmParser::UnresolvedOperand> variables;
  Type valueType;
  SmallVector<Type> variableTypes;
  if (parser.parseOperand(value) || parser.parseKeyword("wrt") ||
      parser.parseOperandList(variables) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(valueType) || parser.parseKeyword("wrt") ||
      parser.parseTypeList(variableTypes))
    return failure();
  result.addTypes(variableTypes);
  return failure(
      parser.resolveOperand(value, valueType, result.operands) ||
      parser.resolveOperands(variables, variableTypes, parser.getNameLoc(), result.operands));
}

void GradientOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getValue() << " wrt " << getVariables();
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getValue().getType() << " wrt " << getVariables().getTypes();
}

LogicalResult ScaleOp::verify() {
  // scale_c1
  if (getInput().getType().getElementType() != getFactor().getType().getElementType())
    return emitOpError("tensor and scalar must have one element type");
  return success();
}

LogicalResult BatchWeightOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // batch_weight_c1
  if (symbols.lookupNearestSymbolFrom<DatasetOp>(*this, getDatasetAttr()))
    return success();
  return emitOpError("names no train.dataset: ") << getDatasetAttr();
}

// Only the weighted policy gives ranks unequal shares.
tutti::Uniformity BatchWeightOp::getResultUniformity(unsigned) {
  auto dataset = SymbolTable::lookupNearestSymbolFrom<DatasetOp>(*this, getDatasetAttr());
  bool unequal =
      dataset && dataset.getShard() && dataset.getShard()->getPolicy() == BatchPolicy::Weighted;
  return unequal ? Uniformity::Varying : Uniformity::Uniform;
}

// Only the shape of the operand matters; where it is not static, it may depend on the rank's batch.
tutti::Uniformity FullLikeOp::getResultUniformity(unsigned) {
  return getType().hasStaticShape() ? Uniformity::Uniform : Uniformity::AsOperands;
}

LogicalResult AccuracyOp::verify() {
  // accuracy_c1
  int64_t rows = getScores().getType().getDimSize(0);
  int64_t labels = getLabels().getType().getDimSize(0);
  if (failed(verifyCompatibleShape({rows}, {labels})))
    return emitOpError("must have one label for each row of scores, got ")
           << labels << " for " << rows;
  if (failed(verifyCompatibleShape({rows}, getResult().getType().getShape())))
    return emitOpError("must have one result for each row of scores");
  return success();
}

LogicalResult MomentumOp::verify() {
  // momentum_c1
  if (!getStep() && !getBeta().isExactlyValue(1.0))
    return emitOpError("needs a step operand unless beta is 1");
  return success();
}

LogicalResult AdagradOp::verify() {
  // adagrad_c1
  if (!getStep() && !getDecayFactor().isZero())
    return emitOpError("needs a step operand unless decay_factor is 0");
  return success();
}

LogicalResult RowwiseAdagradOp::verify() {
  // rowwise_adagrad_c1
  RankedTensorType table = getVariable().getType(), rows = getAccumulator().getType();
  if (table.getRank() >= 2 && rows.getRank() == 1 &&
      rows.getElementType() == table.getElementType() && rows.getDimSize(0) == table.getDimSize(0))
    return success();
  return emitOpError("needs one number of ")
         << table.getElementType() << " for each row of a table, not " << rows << " for " << table;
}

// adam_c1, adamw_c1, nadam_c1, lamb_c1
static LogicalResult verifyHasStep(Operation *op, Value step) {
  if (step)
    return success();
  return op->emitOpError("needs a step operand: its bias corrections depend on the step");
}

LogicalResult AdamOp::verify() { return verifyHasStep(*this, getStep()); }
LogicalResult AdamWOp::verify() { return verifyHasStep(*this, getStep()); }
LogicalResult NAdamOp::verify() { return verifyHasStep(*this, getStep()); }
LogicalResult LambOp::verify() { return verifyHasStep(*this, getStep()); }
