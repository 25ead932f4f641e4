// The pass lower-ps: what a worker does to tables becomes calls of the runtime.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/Kernel.h"
#include "dialects/ps/Ps.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tutti;
using tutti::kernel::createKernel;

namespace tutti::conversion {
#define GEN_PASS_DEF_LOWERPSPASS
#include "passes/conversion/Passes.h.inc"
} // namespace tutti::conversion

static void lower(ps::PullRowsOp pull, int64_t number, ps::TableOp table) {
  ImplicitLocOpBuilder builder(pull.getLoc(), pull);
  Value rows = conversion::createEmpty(builder, pull.getRows().getType());
  auto call = createKernel<kernel::PullRowsOp>(builder, pull.getLoc(), pull.getIndices(), rows,
                                               number, table.getType().getDimSize(0));
  pull.getRows().replaceAllUsesWith(call->getResult(0));
  pull.erase();
}

static void lower(ps::PushRowsOp push, int64_t number, ps::TableOp table) {
  OpBuilder builder(push);
  createKernel<kernel::PushRowsOp>(builder, push.getLoc(), push->getOperands(), ValueRange(),
                                   number, table.getType().getDimSize(0));
  push.erase();
}

namespace {
struct LowerPs : conversion::impl::LowerPsPassBase<LowerPs> {
  void runOnOperation() override {
    SmallVector<ps::TableOp> tables(getOperation().getOps<ps::TableOp>());
    llvm::StringMap<int64_t> numbers;
    for (auto [number, table] : llvm::enumerate(tables))
      numbers[table.getSymName()] = number;
    getOperation().walk([&](Operation *op) {
      if (auto pull = dyn_cast<ps::PullRowsOp>(op))
        lower(pull, numbers.lookup(pull.getTable()), tables[numbers.lookup(pull.getTable())]);
      else if (auto push = dyn_cast<ps::PushRowsOp>(op))
        lower(push, numbers.lookup(push.getTable()), tables[numbers.lookup(push.getTable())]);
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
