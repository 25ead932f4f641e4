// Registration of the train dialect and its generated attributes and enums.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/interfaces/BytecodeVersion.h"
#include "dialects/interfaces/Determinism.h"
#include "dialects/interfaces/Inlining.h"
#include "dialects/train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti::train;

#include "dialects/train/TrainDialect.cpp.inc"
#include "dialects/train/TrainEnums.cpp.inc"

// Placement of variables: nothing for replicated ones, `, shard<64x10>`, `, per_rank`.

static ParseResult parsePlacement(AsmParser &parser, VariablePlacement &placement,
                                  SmallVector<int64_t> &whole) {
  placement = VariablePlacement::Replicate;
  if (failed(parser.parseOptionalComma()))
    return success();
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<VariablePlacement> known = symbolizeVariablePlacement(keyword);
  if (!known)
    return parser.emitError(loc) << "expected replicate, shard or per_rank, got " << keyword;
  placement = *known;
  if (placement != VariablePlacement::Shard)
    return success();
  return failure(
      parser.parseLess() ||
      parser.parseDimensionList(whole, /*allowDynamic=*/false, /*withTrailingX=*/false) ||
      parser.parseGreater());
}

static void printPlacement(AsmPrinter &printer, VariablePlacement placement,
                           ArrayRef<int64_t> whole) {
  if (placement == VariablePlacement::Replicate)
    return;
  printer << ", " << stringifyVariablePlacement(placement);
  if (placement != VariablePlacement::Shard)
    return;
  printer << '<';
  printer.printDimensionList(whole);
  printer << '>';
}

#define GET_ATTRDEF_CLASSES
#include "dialects/train/TrainAttributes.cpp.inc"

LogicalResult VariableAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                                   VariableClass, VariablePlacement placement,
                                   ArrayRef<int64_t> whole) {
  // variable_c1
  if (placement != VariablePlacement::Shard && !whole.empty())
    return emitError() << "variable \"" << name << "\" is not sharded, but has a whole shape";
  if (llvm::any_of(whole, [](int64_t size) { return size < 0; }))
    return emitError() << "variable \"" << name << "\" is a part of a value of unknown size";
  return success();
}

LogicalResult InputAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                                FlatSymbolRefAttr, int64_t axis) {
  // input_c1
  if (axis >= 0)
    return success();
  return emitError() << "samples of input \"" << name << "\" cannot lie along dimension " << axis;
}

VariableAttr VariableAttr::getSharded(ArrayRef<int64_t> whole) const {
  return get(getContext(), getName(), getVariableClass(), VariablePlacement::Shard, whole);
}

VariableAttr VariableAttr::getPerRank() const {
  return get(getContext(), getName(), getVariableClass(), VariablePlacement::PerRank, {});
}

void TrainDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/train/TrainAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/train/Train.cpp.inc"
      >();
  addInterfaces<tutti::UniformityDialectInterface, tutti::InlinesAnywhere>();
  addInterface<tutti::BytecodeVersion>(/*current=*/1);
}

Operation *TrainDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                             Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
