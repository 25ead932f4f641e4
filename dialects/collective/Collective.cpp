// Registration of the collective dialect, its syntax, and what it prints for its values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Effects.h"
#include "dialects/collective/adapter/Adapter.h"
#include "dialects/interfaces/BytecodeVersion.h"
#include "dialects/interfaces/Determinism.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/collective/CollectiveDialect.cpp.inc"
#include "dialects/collective/CollectiveEnums.cpp.inc"

#include "dialects/collective/CollectiveMembers.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/collective/CollectiveOpsAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/collective/CollectiveOpsTypes.cpp.inc"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;

namespace {
/// Communication may stand in any function: its groups are symbols of the module. What is started
/// is not copied, because numbers of futures are those of one function.
struct CollectiveInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *op, Region *, bool, IRMapping &) const override {
    return !op->hasAttr(kFuture) && !isa<CompleteOp>(op);
  }
  /// The body of an async.
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const override { return true; }
};
} // namespace

void CollectiveDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/collective/CollectiveOpsAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/collective/CollectiveOpsTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/collective/CollectiveOps.cpp.inc"
      >();
  addInterfaces<UniformityDialectInterface, CollectiveInliner>();
  attachCommunication(*this);
  addInterface<tutti::BytecodeVersion>(/*current=*/1);
}

Operation *CollectiveDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                                  Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

std::optional<int64_t> tutti::collective::getConstantIndex(Value value) {
  llvm::APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.getSExtValue();
}

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

void AllReduceOp::build(OpBuilder &builder, OperationState &state, ReductionKind reduction,
                        ValueRange tensors, FlatSymbolRefAttr group) {
  build(builder, state, TypeRange(tensors), ReductionKindAttr::get(builder.getContext(), reduction),
        tensors, ValueRange(), group);
}

void BroadcastOp::build(OpBuilder &builder, OperationState &state, int64_t root, ValueRange tensors,
                        FlatSymbolRefAttr group) {
  build(builder, state, TypeRange(tensors), builder.getI64IntegerAttr(root), tensors, ValueRange(),
        group);
}

/// Yields nothing: the terminator that communication on memrefs leaves unsaid.
void YieldOp::build(OpBuilder &, OperationState &) {}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

void RankOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), "rank"); }
void SizeOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), "size"); }
void LocalRankOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "local_rank");
}
void LocalSizeOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "local_size");
}
void TranslateRankOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "rank");
}
void AsyncOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getFuture(), "future"); }

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

Attribute RanksAttr::parse(AsmParser &parser, Type) {
  SmallVector<DenseI64ArrayAttr> sets;
  auto parseSet = [&] {
    SmallVector<int64_t> set;
    auto parseRank = [&] { return parser.parseInteger(set.emplace_back()); };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRank))
      return failure();
    sets.push_back(DenseI64ArrayAttr::get(parser.getContext(), set));
    return success();
  };
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseSet) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(place); }, parser.getContext(), sets);
}

void RanksAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getSets(), printer, [&](DenseI64ArrayAttr set) {
    printer << "[";
    llvm::interleaveComma(set.asArrayRef(), printer);
    printer << "]";
  });
  printer << "]>";
}

using Types = SmallVectorImpl<Type>;
using Unresolved = ArrayRef<OpAsmParser::UnresolvedOperand>;

/// Buckets: the types of the inputs, then `->` and the types of the outputs or destinations where
/// they differ from those of the inputs.
static ParseResult parseBucketTypes(OpAsmParser &parser, Unresolved destinations, Types &inputTypes,
                                    Types &destinationTypes, Types &outputTypes) {
  if (parser.parseTypeList(inputTypes))
    return failure();
  SmallVector<Type> received(inputTypes.begin(), inputTypes.end());
  if (succeeded(parser.parseOptionalArrow())) {
    received.clear();
    if (parser.parseTypeList(received))
      return failure();
  }
  (destinations.empty() ? outputTypes : destinationTypes) = std::move(received);
  return success();
}

static void printBucketTypes(OpAsmPrinter &printer, Operation *, OperandRange destinations,
                             TypeRange inputTypes, TypeRange destinationTypes,
                             TypeRange outputTypes) {
  printer << inputTypes;
  TypeRange received = destinations.empty() ? outputTypes : destinationTypes;
  if (received != inputTypes)
    printer << " -> " << received;
}

/// What is received: results, or destinations where there are any.
static ParseResult parseReceivedTypes(OpAsmParser &parser, Unresolved destinations,
                                      Types &destinationTypes, Types &outputTypes) {
  return parser.parseTypeList(destinations.empty() ? outputTypes : destinationTypes);
}

static void printReceivedTypes(OpAsmPrinter &printer, Operation *, OperandRange destinations,
                               TypeRange destinationTypes, TypeRange outputTypes) {
  printer << (destinations.empty() ? outputTypes : destinationTypes);
}

/// The destination's where there is one, else the result's.
static ParseResult parseFlatType(OpAsmParser &parser,
                                 const std::optional<OpAsmParser::UnresolvedOperand> &destination,
                                 Type &destinationType, Type &outputType) {
  return parser.parseType(destination ? destinationType : outputType);
}

static void printFlatType(OpAsmPrinter &printer, Operation *, Value destination,
                          Type destinationType, Type outputType) {
  printer << (destination ? destinationType : outputType);
}

/// The result is not spelled: tensors give one of the type of `init`.
static Type resultOf(Type init) { return isa<BaseMemRefType>(init) ? Type() : init; }

/// One type for all counts and displacements, or all four.
static ParseResult parseCountTypes(OpAsmParser &parser, Type &sendCounts, Type &sendDisplacements,
                                   Type &receiveCounts, Type &receiveDisplacements, Type init,
                                   Type &result) {
  result = resultOf(init);
  if (parser.parseType(sendCounts))
    return failure();
  sendDisplacements = receiveCounts = receiveDisplacements = sendCounts;
  if (failed(parser.parseOptionalComma()))
    return success();
  return failure(parser.parseType(sendDisplacements) || parser.parseComma() ||
                 parser.parseType(receiveCounts) || parser.parseComma() ||
                 parser.parseType(receiveDisplacements));
}

static void printCountTypes(OpAsmPrinter &printer, Operation *, Type sendCounts,
                            Type sendDisplacements, Type receiveCounts, Type receiveDisplacements,
                            Type, Type) {
  std::array<Type, 4> types{sendCounts, sendDisplacements, receiveCounts, receiveDisplacements};
  if (llvm::all_equal(types))
    printer << sendCounts;
  else
    llvm::interleaveComma(types, printer);
}

static ParseResult parseMatrixType(OpAsmParser &parser, Type &counts, Type init, Type &result) {
  result = resultOf(init);
  return parser.parseType(counts);
}

static void printMatrixType(OpAsmPrinter &printer, Operation *, Type counts, Type, Type) {
  printer << counts;
}

/// The whole type, also where it promises nothing.
static ParseResult parseFuture(OpAsmParser &parser, Type &future) {
  return parser.parseType(future);
}

static void printFuture(OpAsmPrinter &printer, Operation *, Type future) { printer << future; }

/// The results of an await are those of the future.
static ParseResult parseAwaitedTypes(OpAsmParser &parser, Type &future, Types &outputTypes) {
  FutureType type;
  if (parser.parseType(type))
    return failure();
  future = type;
  llvm::append_range(outputTypes, type.getTypes());
  return success();
}

static void printAwaitedTypes(OpAsmPrinter &printer, Operation *, Type future, TypeRange) {
  printer << future;
}

/// Types of what is promised and kept; the results are of the types promised, on tensors.
static ParseResult parseCompletedTypes(OpAsmParser &parser, Unresolved promised, Unresolved kept,
                                       Types &promisedTypes, Types &keptTypes, Types &outputTypes) {
  if (promised.empty() && kept.empty())
    return success();
  SmallVector<Type> types;
  if (parser.parseColonTypeList(types))
    return failure();
  if (types.size() != promised.size() + kept.size())
    return parser.emitError(parser.getCurrentLocation(), "expected one type for each operand");
  llvm::append_range(promisedTypes, ArrayRef(types).take_front(promised.size()));
  llvm::append_range(keptTypes, ArrayRef(types).drop_front(promised.size()));
  for (Type type : promisedTypes)
    if (!isa<BaseMemRefType>(type))
      outputTypes.push_back(type);
  return success();
}

static void printCompletedTypes(OpAsmPrinter &printer, Operation *, OperandRange, OperandRange,
                                TypeRange promisedTypes, TypeRange keptTypes, TypeRange) {
  SmallVector<Type> types(promisedTypes);
  llvm::append_range(types, keptTypes);
  if (!types.empty())
    printer << " : " << types;
}

#define GET_OP_CLASSES
#include "dialects/collective/CollectiveOps.cpp.inc"
