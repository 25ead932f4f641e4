// What the dialect tells Tutti beside what its table says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tiny.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tiny;
using Kind = tutti::CommunicationKind;

#include "TinyDialect.cpp.inc"
#define GET_OP_CLASSES
#include "Tiny.cpp.inc"

/// By this passes make collectives of the dialect. A strategy that needs other kinds says so.
class Factory : public tutti::FormFactory<ExchangeOp, Kind::AllReduce, Kind::Broadcast,
                                          Kind::AllGather, Kind::ReduceScatter> {
public:
  using FormFactory::FormFactory;
  // For neighbours that share a model: their sets, and which of them a rank is.
  Operation *createGroup(OpBuilder &builder, Location loc, StringRef name,
                         const tutti::GroupForm &form) const override {
    IntegerAttr size = form.size ? builder.getI64IntegerAttr(*form.size) : IntegerAttr();
    return RanksOp::create(builder, loc, name, size, form.kind, form.length);
  }
  bool asks(tutti::RankQuestion::Kind kind) const override {
    return kind == tutti::RankQuestion::Rank;
  }
  Value createRank(OpBuilder &builder, Location loc, FlatSymbolRefAttr group) const override {
    return RankOp::create(builder, loc, builder.getIndexType(), group);
  }
};

LogicalResult ProductOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor given,
                                          SmallVectorImpl<Type> &types) {
  auto a = cast<RankedTensorType>(given.getA().getType());
  auto b = cast<RankedTensorType>(given.getB().getType());
  types.push_back(a.clone({a.getDimSize(0), b.getDimSize(1)}));
  return verifyCompatibleShape({a.getDimSize(1)}, {b.getDimSize(0)});
}

LogicalResult TurnOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor given,
                                       SmallVectorImpl<Type> &types) {
  auto a = cast<RankedTensorType>(given.getA().getType());
  types.push_back(a.clone({a.getDimSize(1), a.getDimSize(0)}));
  return success();
}

void TinyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Tiny.cpp.inc"
      >();
  // Equal operands give equal bits on every rank: the proof of equal variables rests on that.
  addInterfaces<tutti::UniformityDialectInterface, Factory>();
}
