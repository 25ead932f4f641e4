// Verifiers of the ps dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/ps/Ps.h"

#include "dialects/interfaces/StrayAttributes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tutti::ps;

LogicalResult RandomAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Distribution distribution, FloatAttr first, FloatAttr second) {
  double a = first.getValueAsDouble(), b = second.getValueAsDouble();
  // random_c1
  if (distribution == Distribution::Uniform && !(a <= b))
    return emitError() << "uniform: the first number must not be above the second, got " << a
                       << " and " << b;
  if (distribution == Distribution::Normal && !(b >= 0))
    return emitError() << "normal: the standard deviation must not be negative, got " << b;
  return success();
}

LogicalResult TableOp::verify() {
  RankedTensorType type = getType();
  // table_c1
  if (!type.hasStaticShape() || (type.getRank() == 0 && !getWhole()))
    return emitOpError("must have a static type of at least one dimension, not ") << type;
  // table_c2
  auto elements = dyn_cast<ElementsAttr>(getInitial());
  if (elements && elements.getShapedType() != type)
    return emitOpError("of type ") << type << " cannot begin as " << elements.getShapedType();
  if (!elements && !isa<RandomAttr>(getInitial()))
    return emitOpError("must begin as elements or as #ps.random, not as ") << getInitial();
  // table_c4
  for (auto [name, steps] : {std::pair{"staleness", getStaleness()}, {"warm_up", getWarmUp()}})
    if (steps && (!getAsynchronous() || int64_t(*steps) < 0))
      return emitOpError("has ") << name << " = " << int64_t(*steps)
                                 << ", which is a number of steps, from 0, of asynchronous tables";
  // table_c3
  for (auto state : getStates().getAsRange<StateAttr>())
    if (getWhole() && state.getExtent() == Extent::Row)
      return emitOpError("is whole, but has a state '")
             << state.getName() << "' of one number per row";
  // table_c5
  std::optional<Type> wire = getWire();
  if (wire && !(wire->isBF16() || wire->isF16()))
    return emitOpError("travels as ") << *wire << "; bf16 and f16 are known";
  if (wire && (getWhole() || !getType().getElementType().isF32()))
    return emitOpError("travels as ") << *wire << ", which is for rows of f32, but is "
                                      << (getWhole() ? "whole " : "") << getType();
  // table_c6
  if (getPrefetch() && getWhole())
    return emitOpError("is whole, and has no rows to ask for ahead");
  // table_c8
  if (getNeighbours() && (countNeighbours() < 2 || getWhole() || getAsynchronous()))
    return emitOpError("has neighbours = ")
           << countNeighbours()
           << ", which is a number of workers, from 2, that share what they push to rows in step";
  // table_c7
  if (auto stray = tutti::findStrayAttribute(*this))
    return tutti::tellStrayAttribute(emitOpError(), *this, *stray);
  return success();
}

LogicalResult TableOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // table_c3
  auto update = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(*this, getUpdateAttr());
  if (!update)
    return emitOpError("is updated by ") << getUpdateAttr() << ", which is no function here";
  size_t states = getStates().size();
  ArrayRef<Type> arguments = update.getArgumentTypes(), results = update.getResultTypes();
  auto isScalar = [](Type given) {
    auto tensor = dyn_cast<RankedTensorType>(given);
    return tensor && tensor.getRank() == 0;
  };
  SmallVector<Type> held = {getRowsType()};
  for (unsigned state = 0; state < states; ++state)
    held.push_back(getStateType(state));
  SmallVector<Type> taken(held);
  taken.push_back(getRowsType());
  bool fits = arguments.size() >= taken.size() && results == ArrayRef<Type>(held) &&
              arguments.take_front(taken.size()) == ArrayRef<Type>(taken) &&
              llvm::all_of(arguments.drop_front(taken.size()), isScalar);
  if (fits)
    return success();
  InFlightDiagnostic error = emitOpError("is updated by ")
                             << getUpdateAttr() << " of type " << update.getFunctionType()
                             << ", but it must take " << taken.size()
                             << " (rows, states, gradients) and then scalars, and give "
                             << held.size() << ", of type " << getRowsType();
  for (auto [state, type] : llvm::zip(getStates().getAsRange<StateAttr>(), llvm::drop_begin(held)))
    if (type != getRowsType())
      error << ", the state '" << state.getName() << "' of type " << type;
  return error;
}

/// The table that `op` names; null after an error.
static TableOp findTable(Operation *op, FlatSymbolRefAttr name, SymbolTableCollection &symbols) {
  auto table = symbols.lookupNearestSymbolFrom<TableOp>(op, name);
  if (!table)
    op->emitOpError("names ") << name << ", which is no ps.table here";
  return table;
}

/// Whether `scalars` are what the table's update takes.
static LogicalResult verifyScalars(Operation *push, TableOp table, ValueRange scalars,
                                   SymbolTableCollection &symbols) {
  auto update = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(table, table.getUpdateAttr());
  if (!update) // the workers' part of a program
    return success();
  ArrayRef<Type> wanted = update.getArgumentTypes().drop_front(
      std::min(update.getArgumentTypes().size(), table.getStates().size() + 2));
  if (TypeRange(wanted) == TypeRange(scalars.getTypes()))
    return success();
  return push->emitOpError("brings scalars ")
         << scalars.getTypes() << ", but " << table.getUpdateAttr() << " takes "
         << TypeRange(wanted);
}

/// Rows are of tables with rows, and whole variables of the others.
static LogicalResult verifyWhole(Operation *op, TableOp table, bool isWhole) {
  if (table.getWhole() == isWhole)
    return success();
  return op->emitOpError("names ") << FlatSymbolRefAttr::get(table.getSymNameAttr())
                                   << (isWhole ? ", which has rows: take them by their indices"
                                               : ", which is whole: it has no rows to choose from");
}

LogicalResult PullRowsOp::verifySymbolUses(SymbolTableCollection &symbols) {
  TableOp table = findTable(*this, getTableAttr(), symbols);
  if (!table || failed(verifyWhole(*this, table, /*isWhole=*/false)))
    return failure();
  // pull_rows_c1
  SmallVector<int64_t> shape(getIndices().getType().getShape());
  llvm::append_range(shape, table.getRowShape());
  auto expected = table.getType().clone(shape);
  if (getRows().getType().getElementType() == expected.getElementType() &&
      succeeded(verifyCompatibleShape(getRows().getType(), expected)))
    return success();
  return emitOpError("gives ") << getRows().getType() << ", but indices " << getIndices().getType()
                               << " of " << getTableAttr() << " give " << expected;
}

LogicalResult PrefetchRowsOp::verifySymbolUses(SymbolTableCollection &symbols) {
  TableOp table = findTable(*this, getTableAttr(), symbols);
  // prefetch_rows_c1
  return success(table && succeeded(verifyWhole(*this, table, /*isWhole=*/false)));
}

LogicalResult PushRowsOp::verifySymbolUses(SymbolTableCollection &symbols) {
  TableOp table = findTable(*this, getTableAttr(), symbols);
  if (!table || failed(verifyWhole(*this, table, /*isWhole=*/false)))
    return failure();
  // push_rows_c1
  RankedTensorType rows = getGradients().getType();
  if (rows.getElementType() != table.getType().getElementType() ||
      failed(verifyCompatibleShape(rows, table.getRowsType())) ||
      failed(verifyCompatibleShape({rows.getDimSize(0)}, {getIndices().getType().getDimSize(0)})))
    return emitOpError("must have one index for each row of ")
           << getTableAttr() << ", got " << getIndices().getType() << " for " << rows;
  // push_rows_c2
  return verifyScalars(*this, table, getScalars(), symbols);
}

LogicalResult PullOp::verifySymbolUses(SymbolTableCollection &symbols) {
  TableOp table = findTable(*this, getTableAttr(), symbols);
  if (!table || failed(verifyWhole(*this, table, /*isWhole=*/true)))
    return failure();
  // pull_c1
  if (getValue().getType() == table.getType())
    return success();
  return emitOpError("gives ") << getValue().getType() << ", but " << getTableAttr() << " is "
                               << table.getType();
}

LogicalResult PushOp::verifySymbolUses(SymbolTableCollection &symbols) {
  TableOp table = findTable(*this, getTableAttr(), symbols);
  if (!table || failed(verifyWhole(*this, table, /*isWhole=*/true)))
    return failure();
  // push_c1
  if (getGradient().getType() != table.getType())
    return emitOpError("brings ") << getGradient().getType() << ", but " << getTableAttr() << " is "
                                  << table.getType();
  // push_c2
  return verifyScalars(*this, table, getScalars(), symbols);
}
