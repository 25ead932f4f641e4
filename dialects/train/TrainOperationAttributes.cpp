// The attributes of the train dialect that stand on operations, modules among them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/interfaces/Determinism.h"
#include "dialects/interfaces/Draws.h"
#include "dialects/train/DoubtfulVariables.h"
#include "dialects/train/ProgramClaims.h"
#include "dialects/train/ValueRoles.h"
#include "dialects/train/VerifyProgram.h"

using namespace mlir;
using namespace tutti::train;
using tutti::kDeterministic;
using tutti::kDrawNumber;

// program_c7
static LogicalResult verifyWaitingPasses(Operation *op, NamedAttribute passes) {
  auto array = dyn_cast<ArrayAttr>(passes.getValue());
  if (isa<ModuleOp>(op) && array && llvm::all_of(array, llvm::IsaPred<StringAttr>))
    return success();
  return op->emitError() << passes.getName().getValue()
                         << " must be an array of strings, one pass each, on a module";
}

// program_c8
static LogicalResult verifyDeterministic(Operation *op, Attribute declared) {
  if (!isa<ModuleOp>(op) && isa<UnitAttr>(declared))
    return success();
  auto isName = [](Attribute name) {
    auto text = dyn_cast<StringAttr>(name);
    return text && !text.empty();
  };
  auto array = dyn_cast<ArrayAttr>(declared);
  if (isa<ModuleOp>(op) && array && llvm::all_of(array, isName))
    return success();
  return op->emitError() << kDeterministic
                         << " must be an array of names of dialects or operations on a module, and "
                            "without a value on an operation";
}

// program_c9
static LogicalResult verifySumsGradients(Operation *op, Attribute value) {
  if (isa<ModuleOp>(op) && isa<UnitAttr>(value))
    return success();
  return op->emitError() << kSumsGradients << " must be a unit attribute of a module";
}

// program_c17
static LogicalResult verifyFixedBatch(Operation *op, Attribute value) {
  if (isa<ModuleOp>(op) && isa<LocationAttr>(value))
    return success();
  return op->emitError() << kFixedBatch << " must be a location on a module";
}

// program_c16
static LogicalResult verifyDoubtful(Operation *op, Attribute value) {
  auto reasons = dyn_cast<DictionaryAttr>(value);
  auto isText = [](NamedAttribute reason) { return isa<StringAttr>(reason.getValue()); };
  if (isa<ModuleOp>(op) && reasons && llvm::all_of(reasons, isText))
    return success();
  return op->emitError() << kDoubtful << " must be a dictionary of strings on a module";
}

// program_c18
static LogicalResult verifyZeroRows(Operation *op, Attribute value) {
  auto rows = dyn_cast<DictionaryAttr>(value);
  auto isRow = [](NamedAttribute row) {
    auto number = dyn_cast<IntegerAttr>(row.getValue());
    return number && number.getType().isInteger(64) && number.getInt() >= 0;
  };
  if (isa<ModuleOp>(op) && rows && llvm::all_of(rows, isRow))
    return success();
  return op->emitError() << kZeroRows << " must be a dictionary of numbers from 0 on, on a module";
}

// Of programs that are to be cut among neighbouring ranks.
static LogicalResult verifyMesh(Operation *op, Attribute value) {
  auto sizes = dyn_cast<DenseI64ArrayAttr>(value);
  if (isa<ModuleOp>(op) && sizes && sizes.size() == 2 && sizes[0] >= 0 && sizes[1] > 0)
    return success();
  return op->emitError() << kMesh
                         << " must be two numbers on a module: groups, 0 if that is open, "
                            "and ranks of each, at least 1";
}

// Of those that are.
static LogicalResult verifyTensorParts(Operation *op, Attribute value) {
  auto parts = dyn_cast<IntegerAttr>(value);
  if (isa<ModuleOp>(op) && parts && parts.getType().isInteger(64) && parts.getInt() > 1)
    return success();
  return op->emitError() << kTensorParts << " must be a number above 1 on a module";
}

static LogicalResult verifyTensorRanges(Operation *op, Attribute value) {
  auto all = dyn_cast<DictionaryAttr>(value);
  auto isNumber = [](NamedAttribute ranges) {
    auto number = dyn_cast<IntegerAttr>(ranges.getValue());
    return number && number.getType().isInteger(64) && number.getInt() > 1;
  };
  if (isa<ModuleOp>(op) && op->hasAttr(kTensorParts) && all && llvm::all_of(all, isNumber))
    return success();
  return op->emitError() << kTensorRanges
                         << " must be numbers above 1 by the names of variables, on a module that "
                            "has "
                         << kTensorParts;
}

static LogicalResult verifyTensorBlocks(Operation *op, Attribute value) {
  auto all = dyn_cast<DictionaryAttr>(value);
  auto isShape = [](NamedAttribute block) { return isa<DenseI64ArrayAttr>(block.getValue()); };
  if (isa<ModuleOp>(op) && op->hasAttr(kTensorParts) && all && llvm::all_of(all, isShape))
    return success();
  return op->emitError() << kTensorBlocks
                         << " must be shapes, as arrays of i64, by the names of variables, on a "
                            "module that has "
                         << kTensorParts;
}

// Of a micro-batch, and of a draw: program_c19
static LogicalResult verifyNumber(Operation *op, NamedAttribute attribute) {
  auto number = dyn_cast<IntegerAttr>(attribute.getValue());
  if (number && number.getType().isInteger(64) && number.getInt() >= 0)
    return success();
  return op->emitError() << attribute.getName().getValue()
                         << " must be a number of at least 0, as i64";
}

LogicalResult TrainDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == kAtLaunch || attribute.getName() == kAtBatch)
    return verifyWaitingPasses(op, attribute);
  if (attribute.getName() == kDeterministic)
    return verifyDeterministic(op, attribute.getValue());
  if (attribute.getName() == kSumsGradients)
    return verifySumsGradients(op, attribute.getValue());
  if (attribute.getName() == kFixedBatch)
    return verifyFixedBatch(op, attribute.getValue());
  if (attribute.getName() == kMesh)
    return verifyMesh(op, attribute.getValue());
  if (attribute.getName() == kTensorParts)
    return verifyTensorParts(op, attribute.getValue());
  if (attribute.getName() == kTensorRanges)
    return verifyTensorRanges(op, attribute.getValue());
  if (attribute.getName() == kTensorBlocks)
    return verifyTensorBlocks(op, attribute.getValue());
  if (attribute.getName() == kDoubtful)
    return verifyDoubtful(op, attribute.getValue());
  if (attribute.getName() == kZeroRows)
    return verifyZeroRows(op, attribute.getValue());
  if (attribute.getName() == kGradient)
    return verifyGradients(op, attribute.getValue());
  if (attribute.getName() == kTurn || attribute.getName() == kDrawNumber)
    return verifyNumber(op, attribute);
  if (attribute.getName() == kRandom)
    return verifyRandom(op, attribute.getValue());
  if (attribute.getName() != kProgram)
    return op->emitError() << attribute.getName().getValue()
                           << " is not an attribute of operations";
  auto module = dyn_cast<ModuleOp>(op);
  if (!module || !isa<UnitAttr>(attribute.getValue()))
    return op->emitError() << kProgram << " must be a unit attribute of a module";
  return verifyProgram(module);
}
