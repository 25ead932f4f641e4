// convert-stablehlo-to-collective: communication in generic StableHLO becomes collectives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "lib/stablehlo/Ops.h"
#include "passes/stablehlo/Channels.h"
#include "passes/stablehlo/Passes.h"
#include "passes/stablehlo/Permutation.h"
#include "passes/stablehlo/ReplicaGroups.h"

#include "llvm/ADT/StringSwitch.h"

namespace tutti::stablehlo {
#define GEN_PASS_DEF_STABLEHLOTOCOLLECTIVEPASS
#include "passes/stablehlo/Passes.h.inc"
} // namespace tutti::stablehlo

using namespace mlir;
using namespace tutti;
using namespace tutti::stablehlo;
using collective::ReductionKind;

static constexpr StringLiteral kCollectives[] = {"all_reduce",           "all_gather",
                                                 "reduce_scatter",       "all_to_all",
                                                 "collective_broadcast", "collective_permute"};

static bool isCollective(Operation *op) { return llvm::is_contained(kCollectives, getKind(op)); }

static InFlightDiagnostic failAt(Operation *op) {
  return mlir::emitError(op->getLoc()) << "'" << op->getName() << "' ";
}

namespace {
/// Converts the operations of one module.
class Reading {
public:
  Reading(ModuleOp module, int64_t replicas)
      : module(module), groups(module, replicas), isShared(isChannelShared(module)) {}

  LogicalResult convert(Operation *op) {
    OpBuilder builder(op);
    NamedAttrList marks(op->getDiscardableAttrDictionary());
    for (StringRef own : {"replica_groups", "channel_handle", "use_global_device_ids",
                          "all_gather_dim", "scatter_dimension", "split_dimension",
                          "concat_dimension", "split_count", "source_target_pairs"})
      marks.erase(own);
    markChannel(op, isShared, marks);
    if (failed(checkProcesses(op)) || failed(checkTypes(op)))
      return failure();
    FailureOr<Operation *> made = isKind(op, "collective_permute")
                                      ? readPermutation(builder, op, groups, marks)
                                      : make(builder, op, marks);
    if (failed(made))
      return failure();
    (*made)->setDiscardableAttrs(marks);
    op->replaceAllUsesWith((*made)->getResults());
    op->erase();
    return success();
  }

private:
  /// Groups must mean the same processes by whatever mode they are numbered.
  LogicalResult checkProcesses(Operation *op) {
    auto count = [&](StringRef name) {
      auto number = module->getAttrOfType<IntegerAttr>(name);
      return number ? number.getInt() : 1;
    };
    if (count("mhlo.num_partitions") == 1)
      return success();
    bool hasChannel = getIntegerIn(op, "channel_handle", "handle").value_or(0) > 0;
    bool isFlat = hasChannel && op->hasAttr("use_global_device_ids");
    bool isOfPartitions =
        hasChannel && !hasGlobalIds(getKind(op)) && count("mhlo.num_replicas") == 1;
    if (isFlat || isOfPartitions)
      return success();
    return failAt(op) << "numbers replicas in a module of several partitions; expected global "
                         "device ids (channel_handle and use_global_device_ids)";
  }

  LogicalResult checkTypes(Operation *op) {
    bool reduces = op->getNumRegions() > 0;
    for (Type type : op->getOperandTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      Type element = tensor ? tensor.getElementType() : Type();
      bool isNumber =
          element && (element.isF16() || element.isBF16() || element.isF32() || element.isF64() ||
                      element.isInteger(8) || element.isSignlessInteger(16) ||
                      element.isSignlessInteger(32) || element.isSignlessInteger(64));
      if (!isNumber && !(element && element.isInteger(1) && !reduces))
        return failAt(op) << "is of " << type << ", which ranks cannot "
                          << (reduces ? "reduce" : "exchange");
    }
    if (reduces)
      for (auto [input, output] : llvm::zip(op->getOperandTypes(), op->getResultTypes()))
        if (cast<ShapedType>(input).getElementType() != cast<ShapedType>(output).getElementType())
          return failAt(op) << "reduces " << input << " to " << output
                            << ": another element type; convert before or after it";
    return success();
  }

  FailureOr<FlatSymbolRefAttr> getGroup(Operation *op, NamedAttrList &marks) {
    FailureOr<Sets> sets = readReplicaGroups(op, groups.getReplicas());
    if (failed(sets))
      return failure();
    if (sets->empty())
      marks.set(kAllReplicas, UnitAttr::get(op->getContext()));
    return groups.get(*sets);
  }

  FailureOr<ReductionKind> getKindOfReduction(Operation *op) {
    StringRef reduction = op->getNumRegions() == 1 ? getReduction(op->getRegion(0)) : "";
    auto kind = llvm::StringSwitch<std::optional<ReductionKind>>(reduction)
                    .Case("add", ReductionKind::sum)
                    .Case("multiply", ReductionKind::prod)
                    .Case("maximum", ReductionKind::max)
                    .Case("minimum", ReductionKind::min)
                    .Default(std::nullopt);
    if (!kind)
      return failAt(op) << "reduces by something else than one add, multiply, maximum or minimum "
                           "of its two arguments, which collectives do not know";
    return *kind;
  }

  /// The number `name` says, as an attribute.
  static IntegerAttr axisOf(OpBuilder &builder, Operation *op, StringRef name) {
    return builder.getI64IntegerAttr(getInteger(op, name).value_or(0));
  }

  FailureOr<Operation *> make(OpBuilder &builder, Operation *op, NamedAttrList &marks) {
    if (isKind(op, "collective_broadcast"))
      return makeBroadcast(builder, op, marks);
    FailureOr<FlatSymbolRefAttr> group = getGroup(op, marks);
    if (failed(group))
      return failure();
    TypeRange types = op->getResultTypes();
    ValueRange inputs = op->getOperands();
    if (isKind(op, "all_gather"))
      return collective::AllGatherOp::create(builder, op->getLoc(), types,
                                             axisOf(builder, op, "all_gather_dim"), inputs,
                                             ValueRange(), *group)
          .getOperation();
    if (isKind(op, "all_to_all"))
      return collective::AllToAllOp::create(
                 builder, op->getLoc(), types, axisOf(builder, op, "split_dimension"),
                 axisOf(builder, op, "concat_dimension"), inputs, ValueRange(), *group)
          .getOperation();
    FailureOr<ReductionKind> kind = getKindOfReduction(op);
    if (failed(kind))
      return failure();
    auto reduction = collective::ReductionKindAttr::get(builder.getContext(), *kind);
    if (isKind(op, "all_reduce"))
      return collective::AllReduceOp::create(builder, op->getLoc(), types, reduction, inputs,
                                             ValueRange(), *group)
          .getOperation();
    return collective::ReduceScatterOp::create(builder, op->getLoc(), types, reduction,
                                               axisOf(builder, op, "scatter_dimension"), inputs,
                                               ValueRange(), *group)
        .getOperation();
  }

  /// The first of a group is the root. Where the others are in order, the group is written in order
  /// and the root by its place.
  FailureOr<Operation *> makeBroadcast(OpBuilder &builder, Operation *op, NamedAttrList &marks) {
    if (op->getNumOperands() != op->getNumResults())
      return failAt(op) << "has a root that is computed; expected the first of each group";
    FailureOr<Sets> sets = readReplicaGroups(op, groups.getReplicas());
    if (failed(sets))
      return failure();
    size_t members = 0;
    for (ArrayRef<int64_t> set : *sets)
      members += set.size();
    if (static_cast<int64_t>(members) != groups.getReplicas())
      return failAt(op) << "leaves out replicas, which get zeros; expected groups of all "
                        << groups.getReplicas();
    int64_t root = 0;
    if (sets->size() == 1 && llvm::is_sorted(ArrayRef(sets->front()).drop_front())) {
      root = sets->front().front();
      llvm::sort(sets->front());
    }
    return collective::BroadcastOp::create(builder, op->getLoc(), op->getResultTypes(),
                                           builder.getI64IntegerAttr(root), op->getOperands(),
                                           ValueRange(), groups.get(*sets))
        .getOperation();
  }

  ModuleOp module;
  ReplicaGroups groups;
  bool isShared;
};

/// async_start and async_done around a collective that was converted already.
class Futures {
public:
  LogicalResult convert(Operation *start) {
    Block &body = start->getRegion(0).front();
    if (failed(check(start, body)))
      return failure();
    OpBuilder builder(start);
    for (auto [argument, operand] : llvm::zip(body.getArguments(), start->getOperands()))
      argument.replaceAllUsesWith(operand);
    SmallVector<Value> results(body.getTerminator()->getOperands());
    auto type = collective::FutureType::get(start->getContext(),
                                            llvm::to_vector(ValueRange(results).getTypes()));
    auto async = collective::AsyncOp::create(builder, start->getLoc(), type);
    async->setDiscardableAttrs(start->getDiscardableAttrDictionary());
    builder.createBlock(&async.getBody());
    body.front().moveBefore(builder.getInsertionBlock(), builder.getInsertionBlock()->end());
    builder.setInsertionPointToEnd(builder.getInsertionBlock());
    collective::YieldOp::create(builder, start->getLoc(), results);
    for (Operation *done : llvm::make_early_inc_range(start->getResult(0).getUsers()))
      convertDone(done, async, ValueRange(results).getTypes());
    start->erase();
    return success();
  }

private:
  static LogicalResult check(Operation *start, Block &body) {
    if (body.getOperations().size() != 2 ||
        body.getTerminator()->getOperands() != body.front().getResults())
      return failAt(start) << "must hold one operation, and return what that gives";
    unsigned users = 0;
    for (Operation *user : start->getResult(0).getUsers())
      if (!isKind(user, "async_done") || user->getBlock() != start->getBlock() || ++users > 1)
        return failAt(start) << "has a future that leaves its block, or is awaited twice; expected "
                                "one async_done of it after it";
    return success();
  }

  static void convertDone(Operation *done, collective::AsyncOp async, TypeRange types) {
    OpBuilder builder(done);
    auto await = collective::AwaitOp::create(builder, done->getLoc(), types, async.getFuture());
    await->setDiscardableAttrs(done->getDiscardableAttrDictionary());
    done->replaceAllUsesWith(await->getResults());
    done->erase();
  }
};

struct StablehloToCollective
    : stablehlo::impl::StablehloToCollectivePassBase<StablehloToCollective> {
  using StablehloToCollectivePassBase::StablehloToCollectivePassBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops, starts;
    getOperation().walk([&](Operation *op) {
      if (isCollective(op))
        ops.push_back(op);
      if (isKind(op, "async_start") && op->getNumRegions() == 1 && op->getRegion(0).hasOneBlock() &&
          isCollective(&op->getRegion(0).front().front()))
        starts.push_back(op);
    });
    if (ops.empty())
      return markAllAnalysesPreserved();
    Reading reading(getOperation(), ranks ? ranks.getValue() : countReplicas(getOperation()));
    for (Operation *op : ops) {
      if (failed(reading.convert(op)))
        return signalPassFailure();
      ++convertedOps;
    }
    for (Operation *start : starts)
      if (failed(Futures().convert(start)))
        return signalPassFailure();
  }
};
} // namespace
