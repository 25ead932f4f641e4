// The ps dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/ps/Ps.h"
#include "dialects/interfaces/BytecodeVersion.h"
#include "dialects/interfaces/Determinism.h"
#include "dialects/interfaces/Inlining.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti::ps;

#include "dialects/ps/PsDialect.cpp.inc"
#include "dialects/ps/PsEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/ps/PsAttributes.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/ps/Ps.cpp.inc"

void PsDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/ps/PsAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/ps/Ps.cpp.inc"
      >();
  addInterfaces<tutti::UniformityDialectInterface, tutti::InlinesAnywhere>();
  addInterface<tutti::BytecodeVersion>(/*current=*/1);
}

RankedTensorType TableOp::getRowsType(int64_t rows) {
  SmallVector<int64_t> shape = {rows};
  llvm::append_range(shape, getRowShape());
  return getType().clone(shape);
}

RankedTensorType TableOp::getStateType(unsigned state, int64_t rows) {
  bool isOfRows = cast<StateAttr>(getStates()[state]).getExtent() == Extent::Row;
  return isOfRows ? RankedTensorType::get({rows}, getType().getElementType()) : getRowsType(rows);
}

void PullRowsOp::refineResultTypes(SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> shape(getIndices().getType().getShape());
  llvm::append_range(shape, getRows().getType().getShape().drop_front(shape.size()));
  types.push_back(getRows().getType().clone(shape));
}

tutti::Uniformity tutti::ps::getUniformityOfPull(TableOp table) {
  return table && table.getAsynchronous() ? tutti::Uniformity::Varying
                                          : tutti::Uniformity::AsOperands;
}

tutti::Uniformity PullRowsOp::getResultUniformity(unsigned) {
  return getUniformityOfPull(SymbolTable::lookupNearestSymbolFrom<TableOp>(*this, getTableAttr()));
}

tutti::Uniformity PullOp::getResultUniformity(unsigned) {
  return getUniformityOfPull(SymbolTable::lookupNearestSymbolFrom<TableOp>(*this, getTableAttr()));
}
