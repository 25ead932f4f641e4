// The pass train-update-rows: where the gradient of a table is a list of rows, only these rows are
// updated, and the gradient of the table is never made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/conversion/Passes.h"

#include "dialects/train/Train.h"
#include "lib/analysis/Remarks.h"
#include "lib/program/Program.h"
#include "lib/program/gradients/RowUpdates.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::train;

namespace tutti::conversion {
#define GEN_PASS_DEF_UPDATEROWSPASS
#include "passes/conversion/Passes.h.inc"
} // namespace tutti::conversion

namespace {

/// A gradient that is a list of rows, with the scalars that it is multiplied by afterwards.
struct RowsGradient {
  ScatterRowsOp scatter;
  SmallVector<ScaleOp> scales; ///< from the table towards the optimizer

  static std::optional<RowsGradient> find(Value gradient) {
    RowsGradient found;
    while (auto scale = gradient.getDefiningOp<ScaleOp>()) {
      found.scales.insert(found.scales.begin(), scale);
      gradient = scale.getInput();
    }
    found.scatter = gradient.getDefiningOp<ScatterRowsOp>();
    return found.scatter ? std::optional(found) : std::nullopt;
  }

  /// A user other than those on the way to the optimizer, or null.
  Operation *findOtherUser(Operation *optimizer) {
    SmallVector<Operation *> chain = {scatter};
    llvm::append_range(chain, scales);
    for (auto [i, op] : llvm::enumerate(chain)) {
      Operation *next = i + 1 < chain.size() ? chain[i + 1] : optimizer;
      for (Operation *user : op->getUsers())
        if (user != next)
          return user;
    }
    return nullptr;
  }
};

int64_t lengthOf(TypedValue<RankedTensorType> tensor) { return tensor.getType().getDimSize(0); }

Refusal whyNotByRows(OptimizerOpInterface optimizer, RowsGradient gradient) {
  if (Refusal refusal = tutti::program::whyAllRowsChange(optimizer))
    return refusal;
  if (Operation *user = gradient.findOtherUser(optimizer))
    return "'" + user->getName().getStringRef() + "' takes its gradient too";
  int64_t entries = lengthOf(gradient.scatter.getIndices());
  int64_t rows = lengthOf(gradient.scatter.getTable());
  if (ShapedType::isDynamic(entries))
    return "the number of rows that a step touches is not known";
  if (entries >= rows)
    return "a step may touch " + std::to_string(entries) + " rows, and the table has " +
           std::to_string(rows);
  return {};
}

/// The name of the variable for a remark; "a table" if it has none.
std::string nameOf(Value variable) {
  VariableAttr role = tutti::program::findHeldVariable(variable);
  return role ? ("variable \"" + role.getName() + "\"").str() : "a table";
}

struct UpdateRowsPass : tutti::conversion::impl::UpdateRowsPassBase<UpdateRowsPass> {
  void runOnOperation() override {
    SmallVector<OptimizerOpInterface> optimizers;
    getOperation().walk([&](OptimizerOpInterface op) { optimizers.push_back(op); });
    for (OptimizerOpInterface optimizer : optimizers)
      if (auto gradient = RowsGradient::find(optimizer.getGradientMutable().get()))
        consider(optimizer, *gradient);
  }

private:
  void consider(OptimizerOpInterface optimizer, RowsGradient gradient) {
    std::string name = nameOf(optimizer.getVariable());
    if (Refusal refusal = whyNotByRows(optimizer, gradient)) {
      ++wholeTables;
      remark::missed(optimizer.getLoc(), remarkBy(getArgument(), getOperation()))
          << name
          << " is updated as a whole, though its gradient is a list of rows: " << refusal.reason();
      return;
    }
    ++rowUpdates;
    remark::passed(optimizer.getLoc(), remarkBy(getArgument(), getOperation()))
        << name << ": only the rows that a step touches are updated, at most "
        << std::to_string(lengthOf(gradient.scatter.getIndices())) << " of "
        << std::to_string(lengthOf(gradient.scatter.getTable()));
    updateRows(optimizer, gradient);
  }

  /// Each row once, with its whole gradient: optimizers are not linear in the gradient.
  static std::pair<Value, Value> createMerged(OpBuilder &builder, ScatterRowsOp scatter) {
    if (auto merge = scatter.getRows().getDefiningOp<MergeRowsOp>();
        merge && merge.getMergedIndices() == scatter.getIndices())
      return {merge.getMergedIndices(), merge.getMergedRows()};
    auto merge = MergeRowsOp::create(
        builder, scatter.getLoc(), scatter.getIndices().getType(), scatter.getRows().getType(),
        scatter.getIndices(), scatter.getRows(), Value(),
        scatter.getTable().getType().getDimSize(0), FlatSymbolRefAttr(), DenseI64ArrayAttr());
    return {merge.getMergedIndices(), merge.getMergedRows()};
  }

  /// The same optimizer on the rows of its variable and states, which are taken before and put back
  /// after it.
  static void updateRows(OptimizerOpInterface optimizer, RowsGradient gradient) {
    OpBuilder builder(optimizer);
    auto [indices, rows] = createMerged(builder, gradient.scatter);
    Type type = rows.getType();
    Location loc = optimizer.getLoc();
    for (ScaleOp scale : gradient.scales)
      rows = ScaleOp::create(builder, scale.getLoc(), type, rows, scale.getFactor());
    SmallVector<Value> tables = {optimizer.getVariable()};
    llvm::append_range(tables, optimizer.getStates());
    IRMapping mapping;
    auto rowsOf = [&](Value table) { // a state may have other rows than its variable
      auto whole = cast<RankedTensorType>(table.getType());
      SmallVector<int64_t> shape(whole.getShape());
      shape[0] = cast<RankedTensorType>(type).getDimSize(0);
      return RankedTensorType::get(shape, whole.getElementType());
    };
    for (Value table : tables)
      mapping.map(table,
                  GatherRowsOp::create(builder, loc, rowsOf(table), table, indices).getRows());
    mapping.map(optimizer.getGradientMutable().get(), rows);
    Operation *onRows = builder.clone(*optimizer, mapping);
    for (auto [table, result, whole] :
         llvm::zip_equal(tables, onRows->getResults(), optimizer->getResults())) {
      result.setType(rowsOf(table));
      whole.replaceAllUsesWith(ScatterUpdateRowsOp::create(builder, loc, result, indices, table));
    }
    optimizer->erase();
    for (ScaleOp scale : llvm::reverse(gradient.scales))
      scale->erase();
    gradient.scatter->erase();
  }
};

} // namespace
