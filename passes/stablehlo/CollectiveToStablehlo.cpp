// convert-collective-to-stablehlo: collectives become communication that XLA runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "lib/stablehlo/Ops.h"
#include "passes/stablehlo/Channels.h"
#include "passes/stablehlo/Passes.h"
#include "passes/stablehlo/Permutation.h"
#include "passes/stablehlo/ReplicaGroups.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tutti::stablehlo {
#define GEN_PASS_DEF_COLLECTIVETOSTABLEHLOPASS
#include "passes/stablehlo/Passes.h.inc"
} // namespace tutti::stablehlo

using namespace mlir;
using namespace tutti;
using namespace tutti::stablehlo;
using collective::ReductionKind;

static LogicalResult emitNoEqual(Operation *op) {
  return mlir::emitError(op->getLoc())
         << "StableHLO has no equal of this; it has all_reduce, reduce_scatter, all_gather, "
            "all_to_all, broadcast and permutations of tensors";
}

static StringRef nameOf(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::sum:
  case ReductionKind::mean:
    return "add";
  case ReductionKind::prod:
    return "multiply";
  case ReductionKind::max:
    return "maximum";
  case ReductionKind::min:
    return "minimum";
  }
  llvm_unreachable("all reductions are above");
}

namespace {
/// Writes one collective after another; channels are counted.
class Writing {
public:
  explicit Writing(ModuleOp module) : builder(module.getContext()), channels(module) {}

  LogicalResult convert(Operation *op) {
    builder.setInsertionPoint(op);
    SmallVector<Value> results;
    if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<BaseMemRefType>))
      return emitNoEqual(op);
    if (failed(write(op, results)))
      return failure();
    op->replaceAllUsesWith(results);
    op->erase();
    return success();
  }

  Channels &getChannels() { return channels; }

  /// Dropping a constant that only conversion needed.
  static void eraseIfUnused(Value value) {
    Operation *op = value.getDefiningOp();
    if (op && op->use_empty() && (isKind(op, "constant") || op->hasTrait<OpTrait::ConstantLike>()))
      op->erase();
  }

private:
  struct Plan {
    StringRef kind;
    SmallVector<NamedAttribute> attributes;
    NamedAttrList marks;
    Sets sets;
  };

  LogicalResult write(Operation *op, SmallVectorImpl<Value> &results) {
    using namespace collective;
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](AllReduceOp sum) {
          return writeReduction(sum, "all_reduce", {}, sum.getReduction(), results);
        })
        .Case([&](ReduceScatterOp sum) {
          return writeReduction(sum, "reduce_scatter", number("scatter_dimension", sum.getAxis()),
                                sum.getReduction(), results);
        })
        .Case([&](AllGatherOp gather) {
          return writeMove(gather, "all_gather", number("all_gather_dim", gather.getAxis()),
                           results);
        })
        .Case([&](AllToAllOp all) { return writeAllToAll(all, results); })
        .Case([&](BroadcastOp cast) { return writeBroadcast(cast, results); })
        .Case([&](AllToAllVCOp all) { return writePermute(all, results); })
        .Default([](Operation *other) { return emitNoEqual(other); });
  }

  NamedAttribute number(StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  }

  /// Groups and marks of a bucket; fails where its ranks are not known.
  template <typename Op>
  LogicalResult plan(Op op, StringRef kind, ArrayRef<NamedAttribute> own, Plan &plan) {
    plan.kind = kind;
    plan.attributes.assign(own.begin(), own.end());
    plan.marks = NamedAttrList(op->getDiscardableAttrDictionary());
    if (plan.marks.erase(kAllReplicas))
      return success();
    auto group = collective::lookupGroup(op, op.getGroupAttr());
    FailureOr<Sets> sets = stablehlo::getSets(op, group);
    if (failed(sets))
      return failure();
    plan.sets = *sets;
    return success();
  }

  Operation *build(Location loc, Plan &plan, TypeRange types, ValueRange operands,
                   unsigned regions) {
    SmallVector<NamedAttribute> attributes = plan.attributes;
    attributes.push_back(builder.getNamedAttr("replica_groups", toTensor(builder, plan.sets)));
    NamedAttrList marks = plan.marks;
    channels.write(builder, plan.kind, marks, attributes);
    Operation *made = create(builder, loc, plan.kind, types, operands, attributes, regions);
    made->setDiscardableAttrs(marks.getDictionary(builder.getContext()));
    return made;
  }

  template <typename Op>
  LogicalResult writeMove(Op op, StringRef kind, ArrayRef<NamedAttribute> own,
                          SmallVectorImpl<Value> &results) {
    Plan plan;
    if (failed(this->plan(op, kind, own, plan)))
      return failure();
    llvm::append_range(
        results, build(op.getLoc(), plan, op->getResultTypes(), op.getInputs(), 0)->getResults());
    return success();
  }

  LogicalResult writeAllToAll(collective::AllToAllOp op, SmallVectorImpl<Value> &results) {
    std::optional<int64_t> size = collective::lookupGroupSize(op, op.getGroupAttr());
    if (!size)
      return mlir::emitError(op.getLoc())
             << "the sets of " << op.getGroupAttr() << " have no one size that is known";
    return writeMove(op, "all_to_all",
                     {number("concat_dimension", op.getConcatAxis()),
                      number("split_dimension", op.getSplitAxis()), number("split_count", *size)},
                     results);
  }

  /// The root comes first, then the others in order.
  LogicalResult writeBroadcast(collective::BroadcastOp op, SmallVectorImpl<Value> &results) {
    Plan plan;
    if (failed(this->plan(op, "collective_broadcast", {}, plan)))
      return failure();
    auto group = collective::lookupGroup(op, op.getGroupAttr());
    if (plan.sets.empty() || !group.hasEveryRank())
      return mlir::emitError(op.getLoc()) << "not every rank is in a set of " << op.getGroupAttr()
                                          << ": there, StableHLO would give zeros";
    for (auto &set : plan.sets)
      std::rotate(set.begin(), set.begin() + op.getRoot(), set.begin() + op.getRoot() + 1);
    llvm::append_range(
        results, build(op.getLoc(), plan, op->getResultTypes(), op.getInputs(), 0)->getResults());
    return success();
  }

  LogicalResult writePermute(collective::AllToAllVCOp op, SmallVectorImpl<Value> &results) {
    FailureOr<Operation *> made =
        writePermutation(builder, op, channels, NamedAttrList(op->getDiscardableAttrDictionary()));
    if (failed(made))
      return failure();
    results.push_back((*made)->getResult(0));
    return success();
  }

  /// all_reduce takes many tensors of one element type, reduce_scatter one.
  template <typename Op>
  LogicalResult writeReduction(Op op, StringRef kind, ArrayRef<NamedAttribute> own,
                               ReductionKind reduction, SmallVectorImpl<Value> &results) {
    Plan plan;
    if (failed(this->plan(op, kind, own, plan)))
      return failure();
    auto elementOf = [](Value value) { return cast<ShapedType>(value.getType()).getElementType(); };
    SmallVector<Value> bucket;
    unsigned first = 0;
    for (unsigned at = 0; at < op.getInputs().size(); ++at) {
      bucket.push_back(op.getInputs()[at]);
      bool isLast = at + 1 == op.getInputs().size();
      if (kind == "all_reduce" && !isLast &&
          elementOf(op.getInputs()[at + 1]) == elementOf(bucket.front()))
        continue;
      TypeRange types = TypeRange(op->getResultTypes()).slice(first, bucket.size());
      Operation *made = build(op.getLoc(), plan, types, bucket, 1);
      fillReduction(made->getRegion(0), op.getLoc(), nameOf(reduction), elementOf(bucket.front()));
      llvm::append_range(results, made->getResults());
      first = at + 1;
      bucket.clear();
    }
    return reduction == ReductionKind::mean ? divide(op, results) : success();
  }

  template <typename Op> LogicalResult divide(Op op, SmallVectorImpl<Value> &results) {
    std::optional<int64_t> size = collective::lookupGroupSize(op, op.getGroupAttr());
    if (!size)
      return mlir::emitError(op.getLoc()) << "is a mean over sets that have no one size that is "
                                             "known; StableHLO has sums, which are divided by it";
    for (Value &result : results) {
      auto type = cast<RankedTensorType>(result.getType());
      Value divisor = createConstant(
          builder, op.getLoc(),
          DenseElementsAttr::get(type, builder.getFloatAttr(type.getElementType(), *size)));
      result = create(builder, op.getLoc(), "divide", type, {result, divisor})->getResult(0);
    }
    return success();
  }

  OpBuilder builder;
  Channels channels;
};

/// collective.async and collective.await around collectives that were converted already.
class Futures {
public:
  explicit Futures(Channels &channels) : channels(channels) {}

  /// One async_start for each result: a future of StableHLO holds one tensor.
  LogicalResult convert(collective::AsyncOp async) {
    Block &body = async.getBody().front();
    SmallVector<Value> results;
    SmallVector<collective::AwaitOp> awaits;
    for (Operation *user : async.getFuture().getUsers())
      if (auto await = dyn_cast<collective::AwaitOp>(user))
        awaits.push_back(await);
    OpBuilder builder(async);
    SmallVector<Value> futures;
    for (Value yielded : body.getTerminator()->getOperands()) {
      Operation *op = yielded.getDefiningOp();
      if (failed(check(async, op)))
        return failure();
      futures.push_back(start(builder, async, cast<OpResult>(yielded)));
    }
    for (collective::AwaitOp await : awaits)
      convertAwait(await, futures);
    async.erase();
    return success();
  }

private:
  static LogicalResult check(collective::AsyncOp async, Operation *op) {
    bool isOne = op && op->getParentOp() == async && getKind(op) != "divide" &&
                 llvm::all_of(op->getOperands(), [&](Value operand) {
                   return operand.getParentRegion() != &async.getBody();
                 });
    if (isOne)
      return success();
    return mlir::emitError(async.getLoc())
           << "runs several operations that depend on one another, or a mean, which is two; a "
              "StableHLO async_start holds one collective";
  }

  /// The one result of its operation, with its operands: a bucket is cut into its members.
  Value start(OpBuilder &builder, collective::AsyncOp async, OpResult result) {
    Operation *op = result.getOwner();
    SmallVector<Value> operands(op->getOperands());
    if (op->getNumResults() > 1)
      operands = {op->getOperand(result.getResultNumber())};
    std::string text;
    llvm::raw_string_ostream(text) << "future<" << result.getType() << ">";
    Type future = OpaqueType::get(StringAttr::get(op->getContext(), "stablehlo"), text);
    Operation *start =
        create(builder, async.getLoc(), "async_start", future, operands, {}, /*regions=*/1);
    start->setDiscardableAttrs(async->getDiscardableAttrDictionary());
    SmallVector<Location> locs(operands.size(), async.getLoc());
    OpBuilder inside(op->getContext());
    Block *block =
        inside.createBlock(&start->getRegion(0), {}, ValueRange(operands).getTypes(), locs);
    OperationState state(op->getLoc(), op->getName(), block->getArguments(), {result.getType()});
    state.propertiesAttr = op->getPropertiesAsAttribute();
    state.addAttributes(op->getDiscardableAttrDictionary().getValue());
    for (Region &region : op->getRegions()) {
      IRMapping mapping;
      region.cloneInto(state.addRegion(), mapping);
    }
    Operation *member = inside.create(state);
    if (result.getResultNumber() > 0)
      channels.renew(member);
    create(inside, op->getLoc(), "return", {}, member->getResults());
    return start->getResult(0);
  }

  static void convertAwait(collective::AwaitOp await, ArrayRef<Value> futures) {
    OpBuilder builder(await);
    SmallVector<Value> values;
    for (auto [future, output] : llvm::zip_equal(futures, await.getOutputs())) {
      Operation *done =
          create(builder, await.getLoc(), "async_done", output.getType(), ValueRange(future));
      done->setDiscardableAttrs(await->getDiscardableAttrDictionary());
      values.push_back(done->getResult(0));
    }
    await->replaceAllUsesWith(values);
    await.erase();
  }

  Channels &channels;
};

struct CollectiveToStablehlo
    : stablehlo::impl::CollectiveToStablehloPassBase<CollectiveToStablehlo> {
  using CollectiveToStablehloPassBase::CollectiveToStablehloPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<Operation *> ops;
    SmallVector<collective::AsyncOp> asyncs;
    module.walk([&](Operation *op) {
      if (auto async = dyn_cast<collective::AsyncOp>(op))
        asyncs.push_back(async);
      else if (isa_and_nonnull<collective::CollectiveDialect>(op->getDialect()) &&
               !isa<collective::GroupOp, collective::YieldOp, collective::AwaitOp>(op))
        ops.push_back(op);
    });
    if (ops.empty())
      return markAllAnalysesPreserved();
    SmallVector<Value> constants;
    Writing writing(module);
    for (Operation *op : ops) {
      if (auto all = dyn_cast<collective::AllToAllVCOp>(op))
        constants.append({all.getCounts(), all.getInit()});
      if (failed(writing.convert(op)))
        return signalPassFailure();
      ++convertedOps;
    }
    for (Value constant : llvm::SmallSetVector<Value, 4>(constants.begin(), constants.end()))
      Writing::eraseIfUnused(constant);
    for (collective::AsyncOp async : asyncs)
      if (failed(Futures(writing.getChannels()).convert(async)))
        return signalPassFailure();
    for (auto group : llvm::make_early_inc_range(module.getOps<collective::GroupOp>()))
      if (!isNamed(module, group.getSymNameAttr()))
        group.erase();
  }
};
} // namespace
