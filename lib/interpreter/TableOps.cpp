// What ranks exchange with the tables of servers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/interpreter/Interpreter.h"

#include "dialects/kernel/Kernel.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::interpreter;

/// The table of that number; null, after an error, if there is none.
static Table *tableOf(Machine &machine, Operation *op, int64_t number) {
  if (machine.tables && number >= 0 && number < int64_t(machine.tables->size()))
    return &(*machine.tables)[number];
  emitError(op->getLoc()) << "there is no table number " << number;
  return nullptr;
}

static LogicalResult runPullRows(Machine &machine, Operation *op) {
  auto pull = cast<kernel::PullRowsOp>(op);
  for (auto [i, number] : llvm::enumerate(pull.getTables())) {
    Table *table = tableOf(machine, op, number);
    if (!table)
      return failure();
    Tensor pulled(shapeOf(pull.getResult(i)));
    int64_t rows = table->countRows(), size = table->sizeOfRow();
    auto to = pulled.elements.begin();
    for (uint64_t element : machine.get(pull.getInputs()[i])->elements) {
      int64_t index = int64_t(element), row = index < 0 ? index + rows : index;
      if (row < 0 || row >= rows)
        return emitError(op->getLoc())
               << "index " << index << " at " << cast<StringAttr>(pull.getNodes()[i]).getValue()
               << " is none of the " << rows << " rows of its table";
      auto from = table->rows.elements.begin() + row * size;
      to = std::copy(from, from + size, to);
    }
    machine.set(pull.getResult(i), std::move(pulled));
  }
  return success();
}

static LogicalResult runPushRows(Machine &machine, Operation *op) {
  auto push = cast<kernel::PushRowsOp>(op);
  Table *table = tableOf(machine, op, push.getTable());
  if (!table)
    return failure();
  Push given{op, machine.get(push.getInputs()[0]), machine.get(push.getInputs()[1]), {}};
  for (Value scalar : push.getInputs().drop_front(2))
    given.scalars.push_back(machine.get(scalar));
  table->pushes[machine.place.rank].push_back(std::move(given));
  return success();
}

void tutti::interpreter::addTableOps(HandlerTable &table) {
  table["kernel.pull_rows"] = runPullRows;
  table["kernel.push_rows"] = runPushRows;
}
