// The pass lower-ps: what a worker does to tables becomes calls of the runtime.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/Kernel.h"
#include "dialects/ps/Ps.h"
#include "lib/program/TableEntries.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti;
using tutti::kernel::createKernel;

namespace tutti::conversion {
#define GEN_PASS_DEF_LOWERPSPASS
#include "passes/conversion/Passes.h.inc"
} // namespace tutti::conversion

static void lower(ps::PullRowsOp pull, int64_t number, ps::TableOp table, int64_t id) {
  ImplicitLocOpBuilder builder(pull.getLoc(), pull);
  Value rows = conversion::createEmpty(builder, pull.getRows().getType());
  auto call = createKernel<kernel::PullRowsOp>(builder, pull.getLoc(), pull.getIndices(), rows,
                                               number, table.getNumRows());
  program::keepTableEntries(pull, call, id);
  pull.getRows().replaceAllUsesWith(call->getResult(0));
  pull.erase();
}

static void lower(ps::PushRowsOp push, int64_t number, ps::TableOp table, int64_t id) {
  OpBuilder builder(push);
  auto call = createKernel<kernel::PushRowsOp>(builder, push.getLoc(), push->getOperands(),
                                               ValueRange(), number, table.getNumRows());
  program::keepTableEntries(push, call, id);
  push.erase();
}

/// The index of a whole variable, which is a table's only row.
static Value createOnlyIndex(ImplicitLocOpBuilder &builder) {
  auto type = RankedTensorType::get({1}, builder.getI64Type());
  return arith::ConstantOp::create(builder,
                                   DenseElementsAttr::get(type, builder.getI64IntegerAttr(0)));
}

/// Which dimensions of a variable those of its row are: all, the first with the row's.
static SmallVector<ReassociationIndices> groupDims(RankedTensorType variable) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < variable.getRank(); ++i)
    groups.push_back(i == 0 ? ReassociationIndices{0, 1} : ReassociationIndices{i + 1});
  return groups;
}

static void lower(ps::PullOp pull, int64_t number, ps::TableOp table, int64_t id) {
  ImplicitLocOpBuilder builder(pull.getLoc(), pull);
  Value rows = conversion::createEmpty(builder, table.getRowsType(1));
  auto call = createKernel<kernel::PullRowsOp>(builder, pull.getLoc(), createOnlyIndex(builder),
                                               rows, number, /*rows=*/1);
  program::keepTableEntries(pull, call, id);
  pull.getValue().replaceAllUsesWith(tensor::CollapseShapeOp::create(
      builder, table.getType(), call->getResult(0), groupDims(table.getType())));
  pull.erase();
}

static void lower(ps::PushOp push, int64_t number, ps::TableOp table, int64_t id) {
  ImplicitLocOpBuilder builder(push.getLoc(), push);
  SmallVector<Value> operands = {createOnlyIndex(builder),
                                 tensor::ExpandShapeOp::create(builder, table.getRowsType(1),
                                                               push.getGradient(),
                                                               groupDims(table.getType()))};
  llvm::append_range(operands, push.getScalars());
  auto call = createKernel<kernel::PushRowsOp>(builder, push.getLoc(), operands, ValueRange(),
                                               number, /*rows=*/1);
  program::keepTableEntries(push, call, id);
  push.erase();
}

namespace {
struct LowerPs : conversion::impl::LowerPsPassBase<LowerPs> {
  void runOnOperation() override {
    SmallVector<ps::TableOp> tables(getOperation().getOps<ps::TableOp>());
    llvm::StringMap<int64_t> numbers;
    for (auto [number, table] : llvm::enumerate(tables))
      numbers[table.getSymName()] = number;
    llvm::DenseMap<Operation *, int64_t> ids;
    for (auto [op, id] : program::numberEntries(getOperation()))
      ids[op] = id;
    getOperation().walk([&](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case<ps::PullRowsOp, ps::PushRowsOp, ps::PullOp, ps::PushOp>([&](auto use) {
            int64_t number = numbers.lookup(use.getTable());
            auto planned = ids.find(use);
            lower(use, number, tables[number], planned == ids.end() ? -1 : planned->second);
          });
    });
    // The servers' part.
    for (ps::TableOp table : tables) {
      if (Operation *update = getOperation().lookupSymbol(table.getUpdate()))
        update->erase();
      table.erase();
    }
  }
};
} // namespace
