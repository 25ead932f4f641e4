// convert-collective-to-shard: collectives on groups as communication along the axes of a grid.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/conversion/Passes.h"
#include "passes/conversion/shard/Grid.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tutti::conversion {
#define GEN_PASS_DEF_COLLECTIVETOSHARDPASS
#include "passes/conversion/Passes.h.inc"
} // namespace tutti::conversion

using namespace mlir;
using namespace tutti;
using namespace tutti::conversion;
using shard::GridAxesAttr;
using shard::GridAxis;

namespace {
/// Rewrites one module for one grid.
class Conversion {
public:
  Conversion(Grid grid, shard::GridOp symbol)
      : grid(std::move(grid)), name(FlatSymbolRefAttr::get(symbol)), builder(symbol) {}

  LogicalResult run(Operation *op) {
    builder.setInsertionPoint(op);
    if (isa<collective::AsyncOp, collective::AwaitOp>(op->getParentOp()) ||
        llvm::any_of(op->getOperandTypes(), [](Type type) { return isa<BaseMemRefType>(type); }))
      return emitNoEqual(op);
    FailureOr<GridAxesAttr> found = findAxes(op);
    if (failed(found))
      return failure();
    axes = *found;
    LogicalResult converted =
        llvm::TypeSwitch<Operation *, LogicalResult>(op)
            .Case<collective::AllReduceOp, collective::ReduceOp, collective::ReduceScatterOp,
                  collective::AllGatherOp, collective::BroadcastOp, collective::GatherOp,
                  collective::ScatterOp, collective::AllToAllOp>([&](auto bucket) {
              for (auto [input, output] : llvm::zip(bucket.getInputs(), bucket.getOutputs()))
                output.replaceAllUsesWith(convert(bucket, input, output.getType()));
              return success();
            })
            .Case<collective::RankOp, collective::SizeOp>([&](auto question) {
              question.getResult().replaceAllUsesWith(convert(question));
              return success();
            })
            .Case<collective::SendOp, collective::RecvOp>(
                [&](auto message) { return convert(message); })
            .Default([&](Operation *) { return emitNoEqual(op); });
    if (succeeded(converted))
      op->erase();
    return converted;
  }

private:
  static LogicalResult emitNoEqual(Operation *op) {
    return mlir::emitError(op->getLoc())
           << "the shard dialect has no equal of this; it has collectives on "
              "tensors, ranks, sizes, and messages with tag 0";
  }

  FailureOr<GridAxesAttr> findAxes(Operation *op) {
    auto symbol = op->getAttrOfType<FlatSymbolRefAttr>("group");
    if (!symbol) {
      (void)emitNoEqual(op);
      return failure();
    }
    std::optional<Grid::Sets> sets =
        conversion::getSets(collective::lookupGroup(op, symbol), grid.getSize());
    auto found = sets ? grid.findAxes(*sets) : std::nullopt;
    if (!found)
      return mlir::emitError(op->getLoc())
             << "the sets of " << symbol << " lie along no axes of the grid; give another shape of "
             << grid.getSize() << " processes with the option shape";
    return GridAxesAttr::get(builder.getContext(), *found);
  }

  shard::ReductionKindAttr reduction(collective::ReductionKind kind) {
    using collective::ReductionKind;
    auto make = [&](shard::ReductionKind theirs) {
      return shard::ReductionKindAttr::get(builder.getContext(), theirs);
    };
    switch (kind) {
    case ReductionKind::sum:
      return make(shard::ReductionKind::Sum);
    case ReductionKind::mean:
      return make(shard::ReductionKind::Average);
    case ReductionKind::min:
      return make(shard::ReductionKind::Min);
    case ReductionKind::max:
      return make(shard::ReductionKind::Max);
    case ReductionKind::prod:
      return make(shard::ReductionKind::Product);
    }
    llvm_unreachable("all reductions are above");
  }

  /// The indices along the axes of a member of the group.
  DenseI64ArrayAttr indices(int64_t rank) {
    SmallVector<int64_t> at(axes.size());
    for (int i = static_cast<int>(axes.size()) - 1; i >= 0; --i) {
      at[i] = rank % grid.getShape()[axes[i]];
      rank /= grid.getShape()[axes[i]];
    }
    return builder.getDenseI64ArrayAttr(at);
  }

  /// An operation of shard with one result, and that result.
  template <typename Op, typename... Arguments>
  Value make(Operation *op, Arguments &&...arguments) {
    return Op::create(builder, op->getLoc(), std::forward<Arguments>(arguments)...).getResult();
  }

  Value convert(collective::AllReduceOp op, Value input, Type type) {
    return make<shard::AllReduceOp>(op, type, name, axes, input, reduction(op.getReduction()));
  }
  Value convert(collective::ReduceOp op, Value input, Type type) {
    return make<shard::ReduceOp>(op, type, name, axes, input, reduction(op.getReduction()),
                                 indices(op.getRoot()), ValueRange());
  }
  Value convert(collective::ReduceScatterOp op, Value input, Type type) {
    return make<shard::ReduceScatterOp>(op, type, name, axes, input, reduction(op.getReduction()),
                                        axis(op.getAxis()));
  }
  Value convert(collective::AllGatherOp op, Value input, Type type) {
    return make<shard::AllGatherOp>(op, type, name, axes, input, axis(op.getAxis()));
  }
  Value convert(collective::BroadcastOp op, Value input, Type type) {
    return make<shard::BroadcastOp>(op, type, name, axes, input, indices(op.getRoot()),
                                    ValueRange());
  }
  Value convert(collective::GatherOp op, Value input, Type type) {
    return make<shard::GatherOp>(op, type, name, axes, input, axis(op.getAxis()),
                                 indices(op.getRoot()), ValueRange());
  }
  Value convert(collective::ScatterOp op, Value input, Type type) {
    return make<shard::ScatterOp>(op, type, name, axes, input, axis(op.getAxis()),
                                  indices(op.getRoot()), ValueRange());
  }
  Value convert(collective::AllToAllOp op, Value input, Type type) {
    return make<shard::AllToAllOp>(op, type, name, axes, input, axis(op.getSplitAxis()),
                                   axis(op.getConcatAxis()));
  }

  IntegerAttr axis(uint64_t value) { return builder.getIndexAttr(value); }

  /// The rank within the group: the place among the processes that differ along the axes.
  Value convert(collective::RankOp op) {
    Value rank = arith::ConstantIndexOp::create(builder, op.getLoc(), 0);
    if (axes.empty())
      return rank;
    SmallVector<Type> types(axes.size(), builder.getIndexType());
    auto index = shard::ProcessMultiIndexOp::create(builder, op.getLoc(), types, name, axes);
    for (auto [at, along] : llvm::zip(index.getResults(), axes.asArrayRef())) {
      Value length = arith::ConstantIndexOp::create(builder, op.getLoc(), grid.getShape()[along]);
      rank = builder.createOrFold<arith::MulIOp>(op.getLoc(), rank, length);
      rank = builder.createOrFold<arith::AddIOp>(op.getLoc(), rank, at);
    }
    return rank;
  }
  Value convert(collective::SizeOp op) {
    return arith::ConstantIndexOp::create(builder, op.getLoc(), grid.getSize(axes.asArrayRef()));
  }

  /// Along one axis the rank of the other side is its index.
  LogicalResult convert(collective::SendOp op) {
    if (op.getTag() != 0 || axes.size() != 1 || !areShaped(op.getInputs().getTypes()))
      return emitNoEqual(op);
    for (Value input : op.getInputs())
      shard::SendOp::create(builder, op.getLoc(), input.getType(), name, axes, input,
                            builder.getDenseI64ArrayAttr({ShapedType::kDynamic}), op.getPeer());
    return success();
  }
  LogicalResult convert(collective::RecvOp op) {
    if (op.getTag() != 0 || axes.size() != 1 || !areShaped(op.getOutputs().getTypes()))
      return emitNoEqual(op);
    for (Value output : op.getOutputs()) {
      auto type = cast<RankedTensorType>(output.getType());
      Value ignored = tensor::EmptyOp::create(builder, op.getLoc(), type, ValueRange());
      auto source = builder.getDenseI64ArrayAttr({ShapedType::kDynamic});
      output.replaceAllUsesWith(shard::RecvOp::create(builder, op.getLoc(), type, name, axes,
                                                      ignored, source, op.getPeer())
                                    .getResult());
    }
    return success();
  }

  /// What shard sends has dimensions, and what we receive needs sizes.
  static bool areShaped(TypeRange types) {
    return llvm::all_of(types, [](Type type) {
      auto shaped = cast<ShapedType>(type);
      return shaped.getRank() > 0 && shaped.hasStaticShape();
    });
  }

  Grid grid;
  FlatSymbolRefAttr name;
  GridAxesAttr axes;
  OpBuilder builder;
};

struct CollectiveToShard : conversion::impl::CollectiveToShardPassBase<CollectiveToShard> {
  using CollectiveToShardPassBase::CollectiveToShardPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<Operation *> ops;
    module.walk([&](Operation *op) {
      if (isa_and_nonnull<collective::CollectiveDialect>(op->getDialect()) &&
          !isa<collective::GroupOp>(op))
        ops.push_back(op);
    });
    if (ops.empty())
      return;
    FailureOr<SmallVector<int64_t>> lengths = getShape(ops.front());
    if (failed(lengths))
      return signalPassFailure();
    OpBuilder apart(&getContext()); // the table gives it a name of its own as it goes in
    auto grid = shard::GridOp::create(apart, module.getLoc(), "grid", *lengths);
    SymbolTable(module).insert(grid, module.getBody()->begin());
    Conversion conversion(Grid(*lengths), grid);
    for (Operation *op : ops) {
      if (failed(conversion.run(op)))
        return signalPassFailure();
      ++convertedOps;
    }
    for (auto group : llvm::make_early_inc_range(module.getOps<collective::GroupOp>()))
      if (SymbolTable::symbolKnownUseEmpty(group, module))
        group.erase();
  }

private:
  /// The option, or N/L x L where a group has blocks of L or a stride of L, or N.
  FailureOr<SmallVector<int64_t>> getShape(Operation *user) {
    std::optional<int64_t> world = collective::lookupWorldSize(user);
    if (!world)
      return mlir::emitError(user->getLoc())
             << "the number of ranks is not known: give the world a size, for "
                "example with specialize-world";
    if (!shape.empty()) {
      SmallVector<int64_t> given(shape.begin(), shape.end());
      if (llvm::any_of(given, [](int64_t length) { return length < 1; }) ||
          Grid(given).getSize() != *world)
        return mlir::emitError(user->getLoc())
               << "the option shape describes another number of processes than " << *world
               << ", which the world has";
      return given;
    }
    for (auto group : getOperation().getOps<collective::GroupOp>()) {
      Attribute members = group.getMembersAttr();
      if (auto blocks = dyn_cast_or_null<collective::BlocksAttr>(members))
        return SmallVector<int64_t>{*world / blocks.getLength(), blocks.getLength()};
      if (auto strided = dyn_cast_or_null<collective::StridedAttr>(members))
        return SmallVector<int64_t>{*world / strided.getStride(), strided.getStride()};
    }
    return SmallVector<int64_t>{*world};
  }
};
} // namespace
