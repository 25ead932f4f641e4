// distribute-reduce-totals: what is made of the whole batch is made by all ranks together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/Remarks.h"
#include "lib/layout/ShardingRules.h"
#include "lib/program/Exchange.h"
#include "lib/program/ValueNames.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/RankMean.h"
#include "passes/distribution/samples/LayoutChanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_REDUCETOTALSPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

namespace {
struct ReduceTotals : distribution::impl::ReduceTotalsPassBase<ReduceTotals> {
  using ReduceTotalsPassBase::ReduceTotalsPassBase;

  void runOnOperation() override {
    FailureOr<Program> program = Program::find(getOperation());
    if (failed(program))
      return signalPassFailure();
    FailureOr<RankMean> mean = RankMean::find(*program);
    if (failed(mean) || failed(verifyNeeds(*program, *mean)))
      return signalPassFailure();
    rewrite(*program, *mean);
  }

private:
  /// Shares are divided by the number of ranks; samples are gathered, and scattered again.
  static LogicalResult verifyNeeds(Program program, const RankMean &mean) {
    ExchangeNeeds needs{{}, {}};
    Operation *moving = nullptr;
    program.step.walk([&](Operation *op) {
      if (isa<train::BatchShareOp, train::BatchSumOp, train::BatchPieceOp>(op))
        needs.questions = {RankQuestion::Size, RankQuestion::Rank};
      if (isa<train::BatchGatherOp>(op))
        needs.kinds.push_back(CommunicationKind::AllGather);
      if (isa<train::BatchScatterOp>(op))
        needs.kinds.push_back(CommunicationKind::ReduceScatter);
      if (movesSamples(op))
        moving = op;
    });
    if (moving && mean.getWeighted())
      return mlir::emitError(moving->getLoc())
             << "couples samples of different ranks, which batch-policy=weighted would give "
                "unequal "
                "parts of them; choose batch-policy=drop, or a global batch that the ranks divide";
    if (needs.kinds.empty() && needs.questions.empty())
      return success();
    return verifyFactory(program.module, needs);
  }

  void rewrite(Program program, const RankMean &mean) {
    bool hadWorld = llvm::any_of(program.module.getOps<GroupOpInterface>(),
                                 [](GroupOpInterface group) { return group.isOfWholeWorld(); });
    world = getOrCreateWorld(program.module);
    SmallVector<Operation *> parts;
    program.step.walk([&](Operation *op) { parts.push_back(op); });
    bool changes = false;
    for (Operation *op : llvm::reverse(parts)) { // a share sees who takes it
      OpBuilder builder(op);
      bool isOwn = local && !isMetric(op);
      if (Value made = isOwn ? takeOwn(builder, mean, op) : build(builder, program, mean, op)) {
        op->replaceAllUsesWith(ValueRange(made));
        op->erase();
        changes = true;
      }
    }
    if (!changes && hadWorld)
      markAllAnalysesPreserved();
  }

  Value build(OpBuilder &builder, Program program, const RankMean &mean, Operation *op) {
    return llvm::TypeSwitch<Operation *, Value>(op)
        .Case([&](train::BatchTotalOp total) { return reduce(builder, program, total); })
        .Case([&](train::BatchShareOp share) { return takeShare(builder, mean, share); })
        .Case([&](train::BatchSumOp sum) { return takeSummand(builder, mean, sum); })
        .Case([&](train::BatchGatherOp gather) {
          if (givesShapeOnly(gather))
            return takeShape(builder, gather);
          return exchange(builder, gather, CommunicationKind::AllGather, std::nullopt);
        })
        .Case([&](train::BatchScatterOp scatter) {
          return exchange(builder, scatter, CommunicationKind::ReduceScatter, Reduction::Sum);
        })
        .Case([&](train::BatchPieceOp piece) { return takePiece(builder, piece); })
        .Default([](Operation *) { return Value(); });
  }

  /// A metric that is a maximum, or another total, is made of all samples however ranks train.
  static bool isMetric(Operation *op) {
    return isa<train::BatchTotalOp>(op) && llvm::all_of(op->getUsers(), [](Operation *user) {
             return user->hasTrait<OpTrait::ReturnLike>();
           });
  }

  /// What the rank makes of its own samples stands for the whole: a sum as often as there are
  /// parts. A summand waits for distribute-local-sgd.
  Value takeOwn(OpBuilder &builder, const RankMean &mean, Operation *op) {
    if (isa<train::BatchTotalOp, train::BatchGatherOp>(op) &&
        warned.insert(withoutPart(op->getLoc())).second)
      mlir::emitWarning(op->getLoc())
          << "each rank makes it of its own samples alone, because it trains on its own "
             "(local-sgd): the numbers are not those of one device";
    if (auto total = dyn_cast<train::BatchTotalOp>(op))
      return total.getReduction() != "sum" ? total.getNumber() : takeAsAll(builder, mean, total);
    if (auto share = dyn_cast<train::BatchShareOp>(op))
      return takeShare(builder, mean, share);
    return movesSamples(op) ? op->getOperand(0) : Value();
  }

  Value takeAsAll(OpBuilder &builder, const RankMean &mean, train::BatchTotalOp total) {
    Type element = getElementTypeOrSelf(total.getNumber());
    if (isa<FloatType>(element))
      return mean.buildSummand(builder, total.getLoc(), total.getNumber());
    Value ranks = getFactoryOf(total, world).createSize(builder, total.getLoc(), world);
    ranks = arith::IndexCastOp::create(builder, total.getLoc(), element, ranks);
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, total.getLoc(), total.getNumber());
    Value counts = tensor::SplatOp::create(builder, total.getLoc(), ranks, sizes);
    return arith::MulIOp::create(builder, total.getLoc(), total.getNumber(), counts);
  }

  static Reduction reductionOf(train::BatchTotalOp op) {
    return op.getReduction() == "max"   ? Reduction::Max
           : op.getReduction() == "min" ? Reduction::Min
                                        : Reduction::Sum;
  }

  Value reduce(OpBuilder &builder, Program program, train::BatchTotalOp op) {
    ++reducedTotals;
    remark::passed(op.getLoc(), remarkBy(getArgument(), program.step))
        << (op.getReduction() == "sum" ? "it is added up over all ranks"
                                       : "it is reduced over all ranks");
    return createAllReduce(builder, op.getLoc(), op, reductionOf(op), op.getNumber(), world)
        .front();
  }

  /// With `reduction=sum`, who divides by a share of the count divides by all of it. What is
  /// completed is the same however gradients are reduced.
  Value takeShare(OpBuilder &builder, const RankMean &mean, train::BatchShareOp op) {
    bool isCompleted = llvm::all_of(op->getUsers(), llvm::IsaPred<train::BatchTotalOp>);
    if (reduction == GradientReduction::Mean || isCompleted)
      return mean.buildShare(builder, op.getLoc(), op.getNumber());
    return op.getNumber();
  }

  /// A gradient or a metric waits for its reduction, which is a sum then.
  Value takeSummand(OpBuilder &builder, const RankMean &mean, train::BatchSumOp op) {
    return isReducedAsSum(op) ? Value() : mean.buildSummand(builder, op.getLoc(), op.getNumber());
  }

  /// Whether no user looks at anything but how long the dimensions are.
  static bool givesShapeOnly(Operation *op) {
    return !op->use_empty() && llvm::all_of(op->getUses(), [](OpOperand &use) {
      Operation *user = use.getOwner();
      if (isa<train::PieceOp>(user))
        return givesShapeOnly(user);
      FailureOr<ShardingRule> rule = findShardingRule(user);
      return succeeded(rule) && llvm::is_contained(rule->shapesOnly, use.getOperandNumber());
    });
  }

  /// Nothing travels for a shape.
  Value takeShape(OpBuilder &builder, train::BatchGatherOp op) {
    Location loc = op.getLoc();
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, op.getNumber());
    Value ranks = getFactoryOf(op, world).createSize(builder, loc, world);
    Value own = getValueOrCreateConstantIndexOp(builder, loc, sizes[op.getAxis()]);
    sizes[op.getAxis()] = arith::MulIOp::create(builder, loc, own, ranks).getResult();
    auto type = cast<RankedTensorType>(op.getType());
    Value empty = tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
    return empty.getType() == type ? empty : tensor::CastOp::create(builder, loc, type, empty);
  }

  template <typename Op>
  Value exchange(OpBuilder &builder, Op op, CommunicationKind kind,
                 std::optional<Reduction> reduction) {
    CommunicationForm form{kind, world, reduction, int64_t(op.getAxis())};
    ++movedSamples;
    return createExchange(builder, op.getLoc(), op, form, op.getNumber(), op.getType())
        ->getResult(0);
  }

  Value takePiece(OpBuilder &builder, train::BatchPieceOp op) {
    Location loc = op.getLoc();
    const CommunicationDialectInterface &factory = getFactoryOf(op, world);
    Value rank = factory.createRank(builder, loc, world);
    Value size = factory.createSize(builder, loc, world);
    return train::PieceOp::create(builder, loc, op.getType(), rank, size, op.getNumber(),
                                  op.getAxis());
  }

  FlatSymbolRefAttr world;
  llvm::DenseSet<Location> warned;
};
} // namespace
