// The pass lower-ps: what a worker does to tables becomes calls of the runtime.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/Kernel.h"
#include "dialects/ps/Ps.h"
#include "lib/program/ValueNames.h"
#include "lib/program/plan/TableEntries.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/Passes.h"
#include "passes/conversion/ps/PullGroup.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti;
using tutti::conversion::PullGroup;
using tutti::kernel::createKernel;

namespace tutti::conversion {
#define GEN_PASS_DEF_LOWERPSPASS
#include "passes/conversion/Passes.h.inc"
} // namespace tutti::conversion

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

namespace {
/// The tables of a module, by their numbers, and what asks for them, by its entry of the plan.
class Tables {
public:
  explicit Tables(ModuleOp module) : all(module.getOps<ps::TableOp>()) {
    for (auto [number, table] : llvm::enumerate(all))
      numbers[table.getSymName()] = number;
    for (auto [op, id] : program::numberEntries(module))
      entries[op] = id;
  }
  int64_t entry(Operation *op) const {
    auto found = entries.find(op);
    return found == entries.end() ? -1 : found->second;
  }
  int64_t number(StringRef name) const { return numbers.lookup(name); }
  ps::TableOp operator[](StringRef name) const { return all[number(name)]; }
  ArrayRef<ps::TableOp> list() const { return all; }

private:
  SmallVector<ps::TableOp> all;
  llvm::StringMap<int64_t> numbers;
  llvm::DenseMap<Operation *, int64_t> entries;
};

/// Lists of rows on their way to one kernel.
class RowLists {
public:
  RowLists(ImplicitLocOpBuilder &builder, const Tables &known) : builder(builder), known(known) {}

  void add(ps::TableOp table, Value listed, Location loc) {
    RankedTensorType row = table.getRowsType(1);
    indices.push_back(listed);
    numbers.push_back(known.number(table.getSymName()));
    tableRows.push_back(table.getNumRows());
    rowBytes.push_back(row.getNumElements() * (row.getElementTypeBitWidth() / 8));
    nodes.push_back(builder.getStringAttr(program::nodeAt(loc)));
  }
  template <typename Op> Op create(ValueRange outputs) {
    return createKernel<Op>(builder, builder.getLoc(), indices, outputs,
                            builder.getDenseI64ArrayAttr(numbers),
                            builder.getDenseI64ArrayAttr(tableRows),
                            builder.getDenseI64ArrayAttr(rowBytes), builder.getArrayAttr(nodes));
  }

private:
  ImplicitLocOpBuilder &builder;
  const Tables &known;
  SmallVector<Value> indices;
  SmallVector<int64_t> numbers, tableRows, rowBytes;
  SmallVector<Attribute> nodes;
};
} // namespace

static void lowerPulls(const PullGroup &group, const Tables &tables) {
  Operation *first = group.front();
  ImplicitLocOpBuilder builder(first->getLoc(), first);
  RowLists lists(builder, tables);
  SmallVector<Value> outputs;
  for (Operation *op : group) {
    if (auto pull = dyn_cast<ps::PullRowsOp>(op)) {
      lists.add(tables[pull.getTable()], pull.getIndices(), op->getLoc());
      outputs.push_back(conversion::createEmpty(builder, pull.getRows().getType()));
    } else {
      ps::TableOp table = tables[cast<ps::PullOp>(op).getTable()];
      lists.add(table, createOnlyIndex(builder), op->getLoc());
      outputs.push_back(conversion::createEmpty(builder, table.getRowsType(1)));
    }
  }
  auto call = lists.create<kernel::PullRowsOp>(outputs);
  for (Operation *op : group)
    program::keepTableEntries(op, call, tables.entry(op));
  for (auto [op, rows] : llvm::zip_equal(group, call->getResults())) {
    Value pulled = rows;
    builder.setInsertionPoint(op);
    if (auto whole = dyn_cast<ps::PullOp>(op)) {
      auto type = cast<RankedTensorType>(whole.getValue().getType());
      pulled = tensor::CollapseShapeOp::create(builder, type, rows, groupDims(type));
    }
    op->getResult(0).replaceAllUsesWith(pulled);
    op->erase();
  }
}

static void lowerPrefetches(ArrayRef<ps::PrefetchRowsOp> prefetches, const Tables &tables) {
  ps::PrefetchRowsOp last = prefetches.back();
  ImplicitLocOpBuilder builder(last.getLoc(), last);
  RowLists lists(builder, tables);
  for (ps::PrefetchRowsOp prefetch : prefetches)
    lists.add(tables[prefetch.getTable()], prefetch.getIndices(), prefetch.getLoc());
  lists.create<kernel::PrefetchRowsOp>({});
  for (ps::PrefetchRowsOp prefetch : prefetches)
    prefetch.erase();
}

static void lower(ps::PushRowsOp push, const Tables &tables) {
  OpBuilder builder(push);
  auto call = createKernel<kernel::PushRowsOp>(builder, push.getLoc(), push->getOperands(),
                                               ValueRange(), tables.number(push.getTable()),
                                               tables[push.getTable()].getNumRows());
  program::keepTableEntries(push, call, tables.entry(push));
  push.erase();
}

static void lower(ps::PushOp push, const Tables &tables) {
  ImplicitLocOpBuilder builder(push.getLoc(), push);
  ps::TableOp table = tables[push.getTable()];
  SmallVector<Value> operands = {createOnlyIndex(builder),
                                 tensor::ExpandShapeOp::create(builder, table.getRowsType(1),
                                                               push.getGradient(),
                                                               groupDims(table.getType()))};
  llvm::append_range(operands, push.getScalars());
  auto call = createKernel<kernel::PushRowsOp>(builder, push.getLoc(), operands, ValueRange(),
                                               tables.number(push.getTable()), /*rows=*/1);
  program::keepTableEntries(push, call, tables.entry(push));
  push.erase();
}

namespace {
struct LowerPs : conversion::impl::LowerPsPassBase<LowerPs> {
  void runOnOperation() override {
    Tables tables(getOperation());
    getOperation().walk([&](Block *block) {
      for (const PullGroup &group : conversion::groupPulls(*block))
        lowerPulls(group, tables);
      auto prefetches = llvm::to_vector(block->getOps<ps::PrefetchRowsOp>());
      if (!prefetches.empty())
        lowerPrefetches(prefetches, tables);
    });
    getOperation().walk([&](Operation *op) {
      llvm::TypeSwitch<Operation *>(op).Case<ps::PushRowsOp, ps::PushOp>(
          [&](auto push) { lower(push, tables); });
    });
    // The servers' part.
    SymbolTable symbols(getOperation());
    for (ps::TableOp table : tables.list()) {
      if (Operation *update = symbols.lookup(table.getUpdate()))
        symbols.erase(update);
      table.erase();
    }
  }
};
} // namespace
