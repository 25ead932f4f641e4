// The communication plan, taken from a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/plan/Plan.h"

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/ranks/Communication.h"
#include "lib/program/Program.h"
#include "lib/program/ValueNames.h"
#include "lib/program/plan/TableEntries.h"
#include "tutti/types.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;
using namespace tutti::program;

int32_t tutti::program::numberOfType(Type type) {
  if (type.isF16())
    return TUTTI_F16;
  if (type.isBF16())
    return TUTTI_BF16;
  if (type.isF32())
    return TUTTI_F32;
  if (type.isF64())
    return TUTTI_F64;
  if (type.isUnsignedInteger())
    return type.getIntOrFloatBitWidth() == 8 ? TUTTI_U8 : 0;
  auto integer = dyn_cast<IntegerType>(type);
  switch (integer ? integer.getWidth() : 0) {
  case 1:
    return TUTTI_BOOL;
  case 8:
    return TUTTI_I8;
  case 16:
    return TUTTI_I16;
  case 32:
    return TUTTI_I32;
  case 64:
    return TUTTI_I64;
  default:
    return 0;
  }
}

StringRef tutti::program::spellType(Type type) {
  switch (numberOfType(type)) {
#define TUTTI_TYPE_CASE(constant, value, spelling, bytes)                                          \
  case constant:                                                                                   \
    return spelling;
    TUTTI_FOR_EACH_TYPE(TUTTI_TYPE_CASE)
#undef TUTTI_TYPE_CASE
  default:
    return "";
  }
}

int64_t tutti::program::bytesOfType(Type type) { return bytesOfType(numberOfType(type)); }

int64_t tutti::program::bytesOfType(int32_t number) {
  switch (number) {
#define TUTTI_TYPE_CASE(constant, value, spelling, bytes)                                          \
  case constant:                                                                                   \
    return bytes;
    TUTTI_FOR_EACH_TYPE(TUTTI_TYPE_CASE)
#undef TUTTI_TYPE_CASE
  default:
    return 0;
  }
}

SmallVector<SmallVector<unsigned>> tutti::program::splitByType(TypeRange elementTypes) {
  llvm::MapVector<Type, SmallVector<unsigned>> groups;
  for (auto [position, type] : llvm::enumerate(elementTypes))
    groups[type].push_back(position);
  return llvm::map_to_vector(groups, [](auto &group) { return group.second; });
}

/// What tells one kind of call from another.
static PlanEntry describeKind(Operation *op) {
  PlanEntry entry;
  entry.operation = spellKind(op);
  entry.is_asynchronous = isStartedApart(op) || op->hasAttr(kFuture);
  llvm::TypeSwitch<Operation *>(op).Case<CollectiveOpInterface, PointToPointOpInterface>(
      [&](auto called) { entry.group = called.getGroupAttr().getValue().str(); });
  if (auto message = dyn_cast<PointToPointOpInterface>(op)) {
    entry.tag = message.getTag();
    entry.peer = getConstantIndex(message.getPeer()).value_or(-1);
  }
  std::optional<CommunicationForm> form = getForm(op);
  if (form && form->reduction)
    entry.reduction = spellReduction(*form->reduction);
  if (form && hasRoot(form->kind))
    entry.root = form->root;
  return entry;
}

SmallVector<Value> tutti::program::payloadOf(Operation *op) {
  auto communication = dyn_cast<CommunicationOpInterface>(op);
  return communication ? communication.getPayload() : SmallVector<Value>();
}

static SmallVector<Type> elementTypesOf(ArrayRef<Value> payload) {
  return llvm::map_to_vector(payload, [](Value value) { return getElementTypeOrSelf(value); });
}

unsigned tutti::program::countCalls(Operation *op) {
  if (!isa<CollectiveOpInterface, PointToPointOpInterface>(op))
    return tableEntriesOf(op).size();
  SmallVector<Value> payload = payloadOf(op);
  return payload.empty() ? 1 : splitByType(elementTypesOf(payload)).size();
}

/// What is received for payload `position`, or the payload itself.
static Value receivedFor(Operation *op, Value given, unsigned position) {
  if (position < op->getNumResults())
    return op->getResult(position);
  auto bucket = dyn_cast<BucketOpInterface>(op);
  return bucket ? bucket.getDestinations()[position] : given;
}

static void addBuffer(Operation *op, Value given, unsigned position, PlanEntry &entry) {
  auto type = cast<ShapedType>(given.getType());
  int64_t elements = type.hasStaticShape() ? type.getNumElements() : PlanEntry::unknown;
  entry.elements.push_back(elements);
  if (elements == PlanEntry::unknown || entry.bytes == PlanEntry::unknown)
    entry.bytes = PlanEntry::unknown;
  else
    entry.bytes += elements * bytesOfType(type.getElementType());
  train::VariableAttr variable = findHeldVariable(given); // of which the ranks have parts
  entry.source.push_back(variable ? variable.getName().str()
                                  : nameOfValue(receivedFor(op, given, position), given.getLoc()));
}

/// The element type of what `value` was before it was cast for the wire.
static Type typeBeforeWire(Value value) {
  constexpr unsigned kReach = 4; // a cast, and what puts it into a bucket
  Value current = value;
  for (unsigned steps = 0; steps < kReach; ++steps) {
    Operation *op = current.getDefiningOp();
    if (!op || op->getNumOperands() == 0)
      break;
    if (op->hasAttr(kWireCast))
      return getElementTypeOrSelf(op->getOperand(0));
    if (op->getNumOperands() > 1 || isa<CollectiveOpInterface>(op))
      break;
    current = op->getOperand(0);
  }
  return getElementTypeOrSelf(value);
}

/// Counts the buckets of a function.
static int64_t takeBucket(Operation *op, int64_t &buckets) {
  return isa<BucketOpInterface>(op) ? buckets++ : -1;
}

/// The trips of all loops around `op`.
static int64_t timesOf(Operation *op) {
  int64_t times = 1;
  for (Operation *around = op->getParentOp(); around; around = around->getParentOp()) {
    if (!isa<LoopLikeOpInterface>(around))
      continue;
    auto loop = dyn_cast<scf::ForOp>(around);
    std::optional<APInt> trips = loop ? loop.getStaticTripCount() : std::nullopt;
    if (!trips)
      return PlanEntry::unknown;
    times *= trips->getSExtValue();
  }
  return times;
}

/// The name of the function of the module that `op` stands in.
static StringRef functionAround(Operation *op) {
  while (!isa<ModuleOp>(op->getParentOp()))
    op = op->getParentOp();
  return SymbolTable::getSymbolName(op).getValue();
}

/// The entries of `op`, which stands in `function`; their ids begin with `id` unless it keeps them.
static void addEntries(Operation *op, StringRef function, int64_t id, int64_t &buckets,
                       std::vector<PlanEntry> &plan) {
  auto add = [&](PlanEntry entry) {
    bool isKept = !entry.table.empty() && entry.id >= 0;
    entry.id = isKept ? entry.id : id++;
    entry.function = function.str();
    entry.times = timesOf(op);
    plan.push_back(std::move(entry));
  };
  for (PlanEntry &entry : tableEntriesOf(op))
    add(std::move(entry));
  if (!isa<CollectiveOpInterface, PointToPointOpInterface>(op))
    return;
  PlanEntry kind = describeKind(op);
  kind.bucket = takeBucket(op, buckets);
  SmallVector<Value> payload = payloadOf(op);
  if (payload.empty())
    return add(kind);
  SmallVector<Type> types = elementTypesOf(payload);
  for (ArrayRef<unsigned> positions : splitByType(types)) {
    PlanEntry entry = kind;
    entry.wire = spellType(types[positions.front()]).str();
    entry.type = spellType(typeBeforeWire(payload[positions.front()])).str();
    for (unsigned position : positions)
      addBuffer(op, payload[position], position, entry);
    add(std::move(entry));
  }
}

/// Calls use(op) for what communicates, in order.
static void forEachCall(ModuleOp module, function_ref<void(Operation *)> use) {
  for (StringRef name : {"initialize", "step", "evaluate"})
    if (Operation *function = module.lookupSymbol(name))
      function->walk([&](Operation *op) {
        if (countCalls(op) > 0)
          use(op);
      });
}

std::vector<std::pair<Operation *, int64_t>> tutti::program::numberEntries(ModuleOp module) {
  llvm::DenseSet<int64_t> kept;
  forEachCall(module, [&](Operation *op) {
    for (const PlanEntry &entry : tableEntriesOf(op))
      if (entry.id >= 0)
        kept.insert(entry.id);
  });
  std::vector<std::pair<Operation *, int64_t>> numbered;
  int64_t next = 0;
  forEachCall(module, [&](Operation *op) {
    std::vector<PlanEntry> atServers = tableEntriesOf(op);
    if (!atServers.empty() && atServers.front().id >= 0) {
      numbered.emplace_back(op, atServers.front().id);
      return;
    }
    while (kept.contains(next))
      ++next;
    numbered.emplace_back(op, next);
    next += countCalls(op);
  });
  return numbered;
}

std::vector<PlanEntry> tutti::program::extractPlan(ModuleOp module) {
  std::vector<PlanEntry> plan;
  int64_t buckets = 0;
  StringRef last;
  for (auto [op, id] : numberEntries(module)) {
    StringRef function = functionAround(op);
    buckets = function == last ? buckets : 0;
    last = function;
    addEntries(op, function, id, buckets, plan);
  }
  llvm::sort(plan, [](const PlanEntry &a, const PlanEntry &b) { return a.id < b.id; });
  return plan;
}
