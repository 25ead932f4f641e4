// Pulls and pushes as entries of the communication plan.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/plan/TableEntries.h"

#include "dialects/kernel/Kernel.h"
#include "dialects/ps/Ps.h"
#include "lib/program/ValueNames.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;

/// `rows` is what travels for the table: rows that are asked for, or gradients.
static PlanEntry entryOf(Operation *op, FlatSymbolRefAttr name, Value rows) {
  auto type = cast<RankedTensorType>(rows.getType());
  auto table = SymbolTable::lookupNearestSymbolFrom<ps::TableOp>(op, name);
  Type wire = table && table.getWire() ? *table.getWire() : type.getElementType();
  PlanEntry entry;
  entry.id = -1;
  entry.operation = op->getName().stripDialect();
  entry.group = PlanEntry::at_servers;
  entry.table = name.getValue();
  entry.type = spellType(type.getElementType());
  entry.wire = spellType(wire);
  int64_t elements = type.hasStaticShape() ? type.getNumElements() : PlanEntry::unknown;
  entry.elements = {elements};
  entry.bytes = type.hasStaticShape() ? elements * bytesOfType(wire) : PlanEntry::unknown;
  std::string node = nodeAt(op->getLoc());
  entry.source = {node.empty() ? entry.table : node};
  return entry;
}

static DictionaryAttr pack(const PlanEntry &entry, Builder &builder) {
  auto text = [&](StringRef key, StringRef value) {
    return builder.getNamedAttr(key, builder.getStringAttr(value));
  };
  auto number = [&](StringRef key, int64_t value) {
    return builder.getNamedAttr(key, builder.getI64IntegerAttr(value));
  };
  return builder.getDictionaryAttr(
      {number("id", entry.id), text("operation", entry.operation), text("table", entry.table),
       text("type", entry.type), text("wire", entry.wire),
       number("elements", entry.elements.front()), number("bytes", entry.bytes),
       text("source", entry.source.front())});
}

static PlanEntry unpack(DictionaryAttr packed) {
  auto text = [&](StringRef key) { return packed.getAs<StringAttr>(key).str(); };
  auto number = [&](StringRef key) { return packed.getAs<IntegerAttr>(key).getInt(); };
  PlanEntry entry;
  entry.id = number("id");
  entry.operation = text("operation");
  entry.group = PlanEntry::at_servers;
  entry.table = text("table");
  entry.type = text("type");
  entry.wire = text("wire");
  entry.elements = {number("elements")};
  entry.bytes = number("bytes");
  entry.source = {text("source")};
  return entry;
}

std::vector<PlanEntry> tutti::program::tableEntriesOf(Operation *op) {
  std::vector<PlanEntry> entries;
  if (auto kept = op->getAttrOfType<ArrayAttr>(kernel::kTableEntries))
    for (auto packed : kept.getAsRange<DictionaryAttr>())
      entries.push_back(unpack(packed));
  auto add = [&](auto asked, Value rows) {
    entries.push_back(entryOf(op, asked.getTableAttr(), rows));
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](ps::PullRowsOp pull) { add(pull, pull.getRows()); })
      .Case([&](ps::PullOp pull) { add(pull, pull.getValue()); })
      .Case([&](ps::PushRowsOp push) { add(push, push.getGradients()); })
      .Case([&](ps::PushOp push) { add(push, push.getGradient()); });
  return entries;
}

void tutti::program::keepTableEntries(Operation *op, Operation *lowered, int64_t id) {
  Builder builder(op->getContext());
  SmallVector<Attribute> packed;
  if (auto kept = lowered->getAttrOfType<ArrayAttr>(kernel::kTableEntries))
    packed.append(kept.begin(), kept.end());
  for (PlanEntry &entry : tableEntriesOf(op)) {
    entry.id = id++;
    packed.push_back(pack(entry, builder));
  }
  lowered->setAttr(kernel::kTableEntries, builder.getArrayAttr(packed));
}
