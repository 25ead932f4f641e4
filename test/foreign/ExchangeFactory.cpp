// The factory of the dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/foreign/Exchange.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::test;

namespace {
class Factory : public CommunicationDialectInterface {
public:
  using CommunicationDialectInterface::CommunicationDialectInterface;

  bool makes(CommunicationKind kind) const override { return kind < CommunicationKind::AllToAll; }

  Operation *create(OpBuilder &builder, Location loc, const CommunicationForm &form,
                    ValueRange inputs, TypeRange results) const override {
    IntegerAttr by =
        form.reduction ? builder.getI64IntegerAttr(int64_t(*form.reduction)) : IntegerAttr();
    return ShareOp::create(builder, loc, results, builder.getI64IntegerAttr(int64_t(form.kind)), by,
                           builder.getI64IntegerAttr(form.axis),
                           builder.getI64IntegerAttr(form.root), form.group, inputs);
  }

  Operation *createLike(OpBuilder &builder, Location loc, Operation *op, ValueRange inputs,
                        TypeRange results) const override {
    Operation *made = create(builder, loc, cast<ShareOp>(op).getForm(), inputs, results);
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    return made;
  }

  bool makesPairs() const override { return true; }

  Pair createPair(OpBuilder &builder, Location loc, ArrayRef<Operation *> chain) const override {
    SmallVector<Value> taken(chain.back()->getResults());
    auto post = PostOp::create(builder, loc, TicketType::get(builder.getContext()));
    Block &body = post.getBody().emplaceBlock();
    auto fetch = FetchOp::create(builder, loc, TypeRange(ValueRange(taken)), post.getTicket());
    for (auto [value, fetched] : llvm::zip(taken, fetch.getTaken()))
      value.replaceAllUsesWith(fetched);
    for (Operation *link : chain)
      link->moveBefore(&body, body.end());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body);
    HandOp::create(builder, loc, taken);
    return {post, fetch};
  }

  Operation *createGroup(OpBuilder &builder, Location loc, StringRef name,
                         const GroupForm &form) const override {
    IntegerAttr ranks = form.size ? builder.getI64IntegerAttr(*form.size) : IntegerAttr();
    return RingOp::create(builder, loc, name, divisionOf(builder.getContext(), form), ranks);
  }

  bool asks(RankQuestion::Kind) const override { return true; }
  Value createRank(OpBuilder &builder, Location loc, FlatSymbolRefAttr group) const override {
    return ask(builder, loc, RankQuestion::Rank, group);
  }
  Value createSize(OpBuilder &builder, Location loc, FlatSymbolRefAttr group) const override {
    return ask(builder, loc, RankQuestion::Size, group);
  }

  bool makesRows() const override { return true; }
  Value createRow(OpBuilder &builder, Location loc, Value tensor, int64_t length) const override {
    auto element = cast<RankedTensorType>(tensor.getType()).getElementType();
    return RowOp::create(builder, loc, RankedTensorType::get({length}, element), tensor);
  }
  Value createFromRow(OpBuilder &builder, Location loc, Value row,
                      RankedTensorType type) const override {
    return UnrowOp::create(builder, loc, type, row);
  }
  bool changesRow(Operation *op) const override { return isa<RowOp, UnrowOp>(op); }

private:
  static Value ask(OpBuilder &builder, Location loc, RankQuestion::Kind question,
                   FlatSymbolRefAttr group) {
    return AskOp::create(builder, loc, builder.getIndexType(), builder.getI64IntegerAttr(question),
                         group, FlatSymbolRefAttr(), Value());
  }

  static Attribute divisionOf(MLIRContext *context, const GroupForm &form) {
    switch (form.kind) {
    case GroupForm::Blocks:
      return collective::BlocksAttr::get(context, form.length);
    case GroupForm::Strided:
      return collective::StridedAttr::get(context, form.length);
    case GroupForm::PerNode:
      return collective::PerNodeAttr::get(context);
    case GroupForm::AcrossNodes:
      return collective::AcrossNodesAttr::get(context);
    case GroupForm::AtRunTime:
      return collective::AtRunTimeAttr::get(context);
    default:
      return {};
    }
  }
};
} // namespace

void tutti::test::addExchangeFactory(ExchangeDialect &dialect) { dialect.addInterfaces<Factory>(); }
