// convert-shard-to-collective: a partitioned program gets groups and collectives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/conversion/Passes.h"
#include "passes/conversion/shard/ShardMoves.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringExtras.h"

namespace tutti::conversion {
#define GEN_PASS_DEF_SHARDTOCOLLECTIVEPASS
#include "passes/conversion/Passes.h.inc"
} // namespace tutti::conversion

using namespace mlir;
using namespace tutti;
using namespace tutti::conversion;
using shard::GridAxis;

namespace {
/// The groups that a module has and gets, by what they mean.
class Groups {
public:
  explicit Groups(ModuleOp module) : module(module), symbols(module) {}

  /// The world, which has `size` ranks; fails if the module says otherwise.
  FailureOr<FlatSymbolRefAttr> getWorld(Operation *user, int64_t size) {
    for (auto group : module.getOps<collective::GroupOp>()) {
      if (group.getMembers())
        continue;
      if (group.getSize() && static_cast<int64_t>(*group.getSize()) != size)
        return mlir::emitError(user->getLoc())
               << "its grid has " << size << " processes, but @" << group.getSymName()
               << " says that the world has " << *group.getSize() << " ranks";
      group.setSize(size);
      return FlatSymbolRefAttr::get(group);
    }
    return declare("world", {}, size);
  }

  FlatSymbolRefAttr get(StringRef name, collective::MembersAttrInterface members) {
    for (auto group : module.getOps<collective::GroupOp>())
      if (group.getMembers() == members)
        return FlatSymbolRefAttr::get(group);
    return declare(name, members, 0);
  }

private:
  FlatSymbolRefAttr declare(StringRef name, collective::MembersAttrInterface members,
                            int64_t size) {
    auto builder = OpBuilder::atBlockBegin(module.getBody());
    for (auto group : module.getOps<collective::GroupOp>())
      builder.setInsertionPointAfter(group);
    auto group =
        collective::GroupOp::create(builder, module.getLoc(), name, members,
                                    size ? builder.getI64IntegerAttr(size) : IntegerAttr());
    symbols.insert(group, builder.getInsertionPoint());
    return FlatSymbolRefAttr::get(group);
  }

  ModuleOp module;
  SymbolTable symbols;
};

struct ShardToCollective : conversion::impl::ShardToCollectivePassBase<ShardToCollective> {
  using ShardToCollectivePassBase::ShardToCollectivePassBase;

  void runOnOperation() override {
    Groups groups(getOperation());
    eraseUnusedAnnotations();
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<shard::ShardDialect>(op->getDialect()) && !isa<shard::GridOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (failed(convert(op, groups)))
        return signalPassFailure();
      ++convertedOps;
    }
    eraseUnusedGrids();
  }

private:
  /// What partition leaves behind without a use.
  void eraseUnusedAnnotations() {
    getOperation().walk([](Operation *op) {
      if (isa<shard::ShardingOp, shard::GridShapeOp, shard::ProcessMultiIndexOp>(op) &&
          op->use_empty())
        op->erase();
    });
  }

  void eraseUnusedGrids() {
    for (auto grid : llvm::make_early_inc_range(getOperation().getOps<shard::GridOp>()))
      if (SymbolTable::symbolKnownUseEmpty(grid, getOperation()))
        grid.erase();
  }

  /// The axes that `op` communicates along; all of them for questions that name none.
  static SmallVector<GridAxis> getAxes(Operation *op, shard::GridOp grid) {
    if (auto shift = dyn_cast<shard::ShiftOp>(op))
      return {static_cast<GridAxis>(shift.getShiftAxis().getSExtValue())};
    auto named = op->getAttrOfType<shard::GridAxesAttr>("grid_axes");
    if (!named)
      named = op->getAttrOfType<shard::GridAxesAttr>("axes");
    bool asksAll = isa<shard::GridShapeOp, shard::ProcessMultiIndexOp>(op);
    if (named && !(named.empty() && asksAll))
      return SmallVector<GridAxis>(named.asArrayRef());
    if (asksAll)
      return llvm::to_vector(llvm::seq<GridAxis>(0, grid.getRank()));
    return {};
  }

  static FailureOr<shard::GridOp> getGrid(Operation *op) {
    auto name = op->getAttrOfType<FlatSymbolRefAttr>("grid");
    auto grid =
        name ? SymbolTable::lookupNearestSymbolFrom<shard::GridOp>(op, name) : shard::GridOp();
    if (grid && ShapedType::isDynamicShape(grid.getShape()))
      return mlir::emitError(op->getLoc())
             << "its grid " << name << " has lengths that are not known; expected "
             << "shard.grid with a static shape";
    return grid;
  }

  LogicalResult convert(Operation *op, Groups &groups) {
    FailureOr<shard::GridOp> symbol = getGrid(op);
    if (failed(symbol))
      return failure();
    Grid grid(*symbol ? symbol->getShape() : ArrayRef<int64_t>());
    SmallVector<GridAxis> axes = *symbol ? getAxes(op, *symbol) : SmallVector<GridAxis>();
    Place place{grid, axes, {}, {}};
    if (*symbol && failed(findGroups(op, symbol->getSymName(), groups, place)))
      return failure();
    SmallVector<Value> results;
    OpBuilder builder(op);
    if (failed(convertShardOp(op, place, builder, results)))
      return failure();
    op->replaceAllUsesWith(results);
    op->erase();
    return success();
  }

  LogicalResult findGroups(Operation *op, StringRef gridName, Groups &groups, Place &place) {
    int64_t size = place.grid.getSize();
    FailureOr<FlatSymbolRefAttr> world = groups.getWorld(op, size);
    if (failed(world))
      return failure();
    place.world = place.group = *world;
    if (isa<shard::GridShapeOp, shard::ProcessMultiIndexOp, shard::ProcessLinearIndexOp,
            shard::NeighborsLinearIndicesOp>(op))
      return success();
    auto members = getMembers(&getContext(), place.grid.getSets(place.axes), size);
    if (members)
      place.group =
          groups.get((gridName + "_" + llvm::join(names(place.axes), "_")).str(), members);
    return success();
  }

  static SmallVector<std::string> names(Grid::Axes axes) {
    return llvm::map_to_vector(axes, [](GridAxis axis) { return std::to_string(axis); });
  }
};
} // namespace
