// The same program in the other dialect: what a test compares.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/foreign/Exchange.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::test;
using namespace tutti::collective;

/// Moves the body of `from` into `to`, and ends it with a `Terminator`.
template <typename Terminator> static void moveBody(Operation *from, Operation *to) {
  to->getRegion(0).takeBody(from->getRegion(0));
  Operation *end = to->getRegion(0).front().getTerminator();
  OpBuilder builder(end);
  builder.create(OperationState(end->getLoc(), Terminator::getOperationName(), end->getOperands(),
                                TypeRange()));
  end->erase();
}

namespace {
class ToExchange {
public:
  explicit ToExchange(Operation *op) : op(op), builder(op), loc(op->getLoc()) {}

  /// The operation in the other dialect; null if it has none.
  Operation *translate() {
    if (auto group = dyn_cast<GroupOp>(op))
      return RingOp::create(builder, loc, group.getSymName(), group.getMembersAttr(),
                            group.getSizeAttr());
    if (auto bucket = dyn_cast<BucketOpInterface>(op))
      return share(bucket);
    if (auto query = dyn_cast<RankQueryOpInterface>(op))
      return ask(query.getQuestion());
    if (isa<BarrierOp>(op))
      return MeetOp::create(builder, loc, ValueRange(), getForm(op)->group);
    if (isa<CreateGroupOp>(op))
      return OpenOp::create(builder, loc, op->getOperands(), getForm(op)->group);
    if (isa<DestroyGroupOp>(op))
      return CloseOp::create(builder, loc, ValueRange(), getForm(op)->group);
    if (auto send = dyn_cast<SendOp>(op))
      return TellOp::create(builder, loc, TypeRange(), send.getInputs(), send.getPeer(),
                            send.getTagAttr(), send.getGroupAttr());
    if (auto receive = dyn_cast<RecvOp>(op); receive && receive.getDestinations().empty())
      return HearOp::create(builder, loc, op->getResultTypes(), ValueRange(), receive.getPeer(),
                            receive.getTagAttr(), receive.getGroupAttr());
    if (isa<AsyncOp>(op)) {
      auto post = PostOp::create(builder, loc, TicketType::get(op->getContext()));
      return moveBody<HandOp>(op, post), post;
    }
    if (auto await = dyn_cast<AwaitOp>(op))
      return FetchOp::create(builder, loc, op->getResultTypes(), await.getFuture());
    if (isa<FlattenOp, UnflattenOp>(op) && op->getNumResults() == 1)
      return isa<FlattenOp>(op)
                 ? RowOp::create(builder, loc, op->getResultTypes(), op->getOperand(0))
                       .getOperation()
                 : UnrowOp::create(builder, loc, op->getResultTypes(), op->getOperand(0));
    return nullptr;
  }

private:
  Operation *share(BucketOpInterface bucket) {
    std::optional<CommunicationForm> form = getForm(bucket);
    if (!bucket.getDestinations().empty() || form->kind >= CommunicationKind::AllToAll)
      return nullptr;
    const auto *factory = builder.getContext()
                              ->getOrLoadDialect<ExchangeDialect>()
                              ->getRegisteredInterface<CommunicationDialectInterface>();
    return factory->create(builder, loc, *form, bucket.getInputs(), op->getResultTypes());
  }

  Operation *ask(const RankQuestion &question) {
    Value rank = op->getNumOperands() == 1 ? op->getOperand(0) : Value();
    return AskOp::create(builder, loc, builder.getIndexType(),
                         builder.getI64IntegerAttr(question.kind), question.group, question.to,
                         rank);
  }

  Operation *op;
  OpBuilder builder;
  Location loc;
};

class FromExchange {
public:
  explicit FromExchange(Operation *op) : op(op), builder(op), loc(op->getLoc()) {}

  Operation *translate() {
    if (auto ring = dyn_cast<RingOp>(op))
      return GroupOp::create(builder, loc, ring.getSymName(),
                             dyn_cast_or_null<MembersAttrInterface>(ring.getMembersAttr()),
                             ring.getRanksAttr());
    if (auto share = dyn_cast<ShareOp>(op))
      return builder.getContext()
          ->getOrLoadDialect<CollectiveDialect>()
          ->getRegisteredInterface<CommunicationDialectInterface>()
          ->create(builder, loc, share.getForm(), share.getGiven(), op->getResultTypes());
    if (auto query = dyn_cast<AskOp>(op))
      return ask(query.getQuestion());
    if (auto meet = dyn_cast<MeetOp>(op))
      return BarrierOp::create(builder, loc, meet.getRingAttr());
    if (auto open = dyn_cast<OpenOp>(op))
      return CreateGroupOp::create(builder, loc, open.getRanks(), open.getRingAttr());
    if (auto close = dyn_cast<CloseOp>(op))
      return DestroyGroupOp::create(builder, loc, close.getRingAttr());
    if (auto tell = dyn_cast<TellOp>(op))
      return SendOp::create(builder, loc, tell.getGiven(), tell.getPartner(), tell.getNumberAttr(),
                            tell.getRingAttr());
    if (auto hear = dyn_cast<HearOp>(op))
      return RecvOp::create(builder, loc, op->getResultTypes(), ValueRange(), hear.getPartner(),
                            hear.getNumberAttr(), hear.getRingAttr());
    if (isa<PostOp>(op)) {
      SmallVector<Type> types(op->getRegion(0).front().getTerminator()->getOperandTypes());
      auto async = AsyncOp::create(builder, loc, FutureType::get(op->getContext(), types));
      return moveBody<YieldOp>(op, async), async;
    }
    if (auto fetch = dyn_cast<FetchOp>(op))
      return AwaitOp::create(builder, loc, op->getResultTypes(), fetch.getTicket());
    if (isa<RowOp>(op))
      return FlattenOp::create(builder, loc, op->getResultTypes(), op->getOperand(0), Value());
    if (isa<UnrowOp>(op))
      return UnflattenOp::create(builder, loc, op->getResultTypes(), op->getOperand(0));
    return nullptr;
  }

private:
  Operation *ask(const RankQuestion &question) {
    switch (question.kind) {
    case RankQuestion::Rank:
      return RankOp::create(builder, loc, question.group);
    case RankQuestion::Size:
      return SizeOp::create(builder, loc, question.group);
    case RankQuestion::LocalRank:
      return LocalRankOp::create(builder, loc);
    case RankQuestion::LocalSize:
      return LocalSizeOp::create(builder, loc);
    case RankQuestion::Translate:
      return TranslateRankOp::create(builder, loc, op->getOperand(0), question.group, question.to);
    }
    return nullptr;
  }

  Operation *op;
  OpBuilder builder;
  Location loc;
};

/// Translates every operation of the dialect `From`, those that contain others last.
template <typename From, typename Translation, typename Self>
struct Translator : PassWrapper<Self, OperationPass<ModuleOp>> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<CollectiveDialect, ExchangeDialect>();
  }
  void runOnOperation() override {
    SmallVector<Operation *> found;
    this->getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<From>(op->getDialect()) && !isa<YieldOp, HandOp>(op))
        found.push_back(op);
    });
    for (Operation *op : found)
      if (mlir::failed(replace(op)))
        return this->signalPassFailure();
  }

private:
  LogicalResult replace(Operation *op) {
    Operation *made = Translation(op).translate();
    if (!made)
      return op->emitError("has no counterpart in the other dialect");
    for (NamedAttribute mark : op->getDiscardableAttrs())
      made->setDiscardableAttr(mark.getName(), mark.getValue());
    op->replaceAllUsesWith(made);
    op->erase();
    return success();
  }
};

/// Whether exchange has a counterpart of `op`, of the dialect collective: it has no buffers.
bool isTranslatable(Operation *op) {
  auto isBuffer = [](Type type) { return isa<BaseMemRefType>(type); };
  if (!isa_and_nonnull<CollectiveDialect>(op->getDialect()))
    return true;
  std::optional<CommunicationForm> form = getForm(op);
  bool isExchangeOfAll =
      form && form->kind >= CommunicationKind::AllToAll && form->kind < CommunicationKind::Barrier;
  return !isExchangeOfAll && !isa<CompleteOp>(op) && !op->hasAttr(kFuture) &&
         llvm::none_of(op->getOperandTypes(), isBuffer);
}

/// Drops functions that hold something without a counterpart.
struct KeepTranslatablePass : PassWrapper<KeepTranslatablePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KeepTranslatablePass)
  StringRef getArgument() const final { return "keep-translatable"; }
  StringRef getDescription() const final { return "drops functions that exchange cannot say"; }
  void runOnOperation() override {
    SmallVector<Operation *> dropped;
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      WalkResult all = function->walk([](Operation *op) {
        return isTranslatable(op) ? WalkResult::advance() : WalkResult::interrupt();
      });
      if (all.wasInterrupted() && SymbolTable::symbolKnownUseEmpty(function, getOperation()))
        dropped.push_back(function);
    }
    for (Operation *function : dropped)
      function->erase();
  }
};

struct ToExchangePass : Translator<CollectiveDialect, ToExchange, ToExchangePass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ToExchangePass)
  StringRef getArgument() const final { return "to-exchange"; }
  StringRef getDescription() const final { return "writes collectives in the dialect exchange"; }
};

struct FromExchangePass : Translator<ExchangeDialect, FromExchange, FromExchangePass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FromExchangePass)
  StringRef getArgument() const final { return "from-exchange"; }
  StringRef getDescription() const final { return "writes collectives in the dialect collective"; }
};
} // namespace

void tutti::test::registerTranslations() {
  PassRegistration<KeepTranslatablePass>();
  PassRegistration<ToExchangePass>();
  PassRegistration<FromExchangePass>();
}
