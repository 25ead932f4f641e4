// Operations of this dialect from forms that no dialect owns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "dialects/collective/adapter/Adapter.h"
#include "dialects/interfaces/ranks/Communication.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;

namespace {
using Kind = CommunicationKind;

class Factory : public CommunicationDialectInterface {
public:
  using CommunicationDialectInterface::CommunicationDialectInterface;

  /// A form does not say all that exchanges between all ranks need.
  bool makes(Kind kind) const override { return kind < Kind::AllToAll; }

  Operation *create(OpBuilder &builder, Location loc, const CommunicationForm &form,
                    ValueRange inputs, TypeRange results) const override {
    IntegerAttr axis = builder.getI64IntegerAttr(form.axis);
    IntegerAttr root = builder.getI64IntegerAttr(form.root);
    ReductionKindAttr reduction = spellReduction(builder, form);
    ValueRange none;
    switch (form.kind) {
    case Kind::AllReduce:
      return AllReduceOp::create(builder, loc, results, reduction, inputs, none, form.group);
    case Kind::Reduce:
      return ReduceOp::create(builder, loc, results, reduction, root, inputs, none, form.group);
    case Kind::ReduceScatter:
      return ReduceScatterOp::create(builder, loc, results, reduction, axis, inputs, none,
                                     form.group);
    case Kind::Broadcast:
      return BroadcastOp::create(builder, loc, results, root, inputs, none, form.group);
    case Kind::AllGather:
      return AllGatherOp::create(builder, loc, results, axis, inputs, none, form.group);
    case Kind::Gather:
      return GatherOp::create(builder, loc, results, axis, root, inputs, none, form.group);
    case Kind::Scatter:
      return ScatterOp::create(builder, loc, results, axis, root, inputs, none, form.group);
    default:
      return nullptr;
    }
  }

  Operation *createLike(OpBuilder &builder, Location loc, Operation *op, ValueRange inputs,
                        TypeRange results) const override {
    OperationState state(loc, op->getName());
    state.addOperands(inputs);
    state.addTypes(results);
    NamedAttrList properties(cast<DictionaryAttr>(op->getPropertiesAsAttribute()));
    properties.set("operandSegmentSizes",
                   builder.getDenseI32ArrayAttr({static_cast<int32_t>(inputs.size()), 0}));
    state.propertiesAttr = properties.getDictionary(builder.getContext());
    Operation *made = builder.create(state);
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    return made;
  }

  bool makesPairs() const override { return true; }

  Pair createPair(OpBuilder &builder, Location loc, ArrayRef<Operation *> chain) const override {
    SmallVector<Value> outputs(chain.back()->getResults());
    SmallVector<Type> types(chain.back()->getResultTypes());
    auto async = AsyncOp::create(builder, loc, FutureType::get(builder.getContext(), types));
    Block &body = async.getBody().emplaceBlock();
    auto await = AwaitOp::create(builder, loc, types, async.getFuture());
    for (auto [output, awaited] : llvm::zip(outputs, await.getOutputs()))
      output.replaceAllUsesWith(awaited);
    for (Operation *link : chain)
      link->moveBefore(&body, body.end());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body);
    YieldOp::create(builder, loc, outputs);
    return {async, await};
  }

  Operation *createGroup(OpBuilder &builder, Location loc, StringRef name,
                         const GroupForm &form) const override {
    if (form.kind == GroupForm::Listed || form.kind == GroupForm::Other)
      return nullptr; // a form does not list ranks
    IntegerAttr size = form.size ? builder.getI64IntegerAttr(*form.size) : IntegerAttr();
    return GroupOp::create(builder, loc, name, membersOf(builder.getContext(), form), size);
  }

  bool asks(RankQuestion::Kind) const override { return true; }

  Value createRank(OpBuilder &builder, Location loc, FlatSymbolRefAttr group) const override {
    return RankOp::create(builder, loc, group);
  }

  Value createSize(OpBuilder &builder, Location loc, FlatSymbolRefAttr group) const override {
    return SizeOp::create(builder, loc, group);
  }

  bool makesRows() const override { return true; }

  Value createRow(OpBuilder &builder, Location loc, Value tensor, int64_t length) const override {
    return FlattenOp::create(builder, loc, tensor, length).getOutput();
  }

  Value createFromRow(OpBuilder &builder, Location loc, Value row,
                      RankedTensorType type) const override {
    return UnflattenOp::create(builder, loc, type, row);
  }

  bool changesRow(Operation *op) const override { return isa<FlattenOp, UnflattenOp>(op); }

private:
  static ReductionKindAttr spellReduction(OpBuilder &builder, const CommunicationForm &form) {
    return form.reduction ? ReductionKindAttr::get(builder.getContext(),
                                                   static_cast<ReductionKind>(*form.reduction))
                          : ReductionKindAttr();
  }

  static MembersAttrInterface membersOf(MLIRContext *context, const GroupForm &form) {
    switch (form.kind) {
    case GroupForm::Blocks:
      return BlocksAttr::get(context, form.length);
    case GroupForm::Strided:
      return StridedAttr::get(context, form.length);
    case GroupForm::PerNode:
      return PerNodeAttr::get(context);
    case GroupForm::AcrossNodes:
      return AcrossNodesAttr::get(context);
    case GroupForm::AtRunTime:
      return AtRunTimeAttr::get(context);
    default:
      return {};
    }
  }
};
} // namespace

void tutti::collective::addFactory(CollectiveDialect &dialect) { dialect.addInterfaces<Factory>(); }
