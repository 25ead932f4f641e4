// The table of operations, and functions and blocks made of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/interpreter/Interpreter.h"

#include "dialects/collective/Collective.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tutti::interpreter;

//===----------------------------------------------------------------------===//
// What is known of a module
//===----------------------------------------------------------------------===//

PreparedModule::PreparedModule(ModuleOp module) : module(module) {
  for (auto function : module.getOps<func::FuncOp>())
    for (Block &block : function.getBody())
      findLastUses(block);
}

/// The last operation of the block that uses a value of it, itself or in its regions.
void PreparedModule::findLastUses(Block &block) {
  llvm::DenseSet<Value> seen;
  auto note = [&](Operation *op, Value value) {
    if (value.getParentBlock() == &block && seen.insert(value).second)
      lastUses[op].push_back(value);
  };
  for (Operation &op : llvm::reverse(block)) {
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        note(&op, operand);
    });
    for (Value result : op.getResults())
      note(&op, result);
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (!isa<linalg::LinalgOp>(op))
          findLastUses(inner);
  }
}

ArrayRef<Value> PreparedModule::lastUsedAt(Operation *op) const {
  auto found = lastUses.find(op);
  return found == lastUses.end() ? ArrayRef<Value>() : ArrayRef<Value>(found->second);
}

const ScalarBody *PreparedModule::bodyOf(Operation *op, Block &block) {
  std::unique_ptr<ScalarBody> &body = bodies[op];
  if (!body) {
    FailureOr<ScalarBody> compiled = ScalarBody::compile(block);
    if (failed(compiled))
      return nullptr;
    body = std::make_unique<ScalarBody>(std::move(*compiled));
  }
  return body.get();
}

TensorRef PreparedModule::constantOf(Operation *op, ElementsAttr value) {
  TensorRef &constant = constants[op];
  if (!constant)
    constant = tensorOf(value);
  return constant;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static const HandlerTable &handlers() {
  static const HandlerTable table = [] {
    HandlerTable all;
    addTensorOps(all);
    addControlOps(all);
    addKernelOps(all);
    addCollectiveOps(all);
    addTableOps(all);
    return all;
  }();
  return table;
}

/// An operation on scalars, of each element of tensors of one shape; scalars stay what they are.
static LogicalResult runElementwise(Machine &machine, Operation *op, const ScalarOp &scalar) {
  SmallVector<TensorRef> operands;
  const Tensor *shaped = nullptr;
  for (Value operand : op->getOperands()) {
    operands.push_back(machine.get(operand));
    if (!shaped || operands.back()->shape.size() > shaped->shape.size())
      shaped = operands.back().get();
  }
  Tensor result(shaped->shape);
  uint64_t in[3];
  for (int64_t i = 0; i < result.size(); ++i) {
    for (auto [k, operand] : llvm::enumerate(operands))
      in[k] = operand->elements[operand->size() == result.size() ? i : 0];
    result.elements[i] = scalar.compute(in, scalar);
  }
  machine.set(op->getResult(0), std::move(result));
  return success();
}

LogicalResult Machine::run(Operation &op) {
  auto handler = handlers().find(op.getName().getStringRef());
  if (handler != handlers().end())
    return handler->second(*this, &op);
  if (isa<linalg::LinalgOp>(op))
    return runLinalg(*this, &op);
  if (std::optional<ScalarOp> scalar = ScalarOp::find(&op))
    return runElementwise(*this, &op, *scalar);
  return emitError(op.getLoc()) << "'" << op.getName()
                                << "' has no interpreter, so the program cannot be compared with "
                                   "that of one device (see lib/interpreter)";
}

std::vector<TensorRef> Machine::resultsOf(Operation &op) const {
  std::vector<TensorRef> results;
  for (Value result : op.getResults())
    results.push_back(get(result));
  return results;
}

FailureOr<std::vector<TensorRef>> Machine::runBlock(Block &block, ArrayRef<TensorRef> arguments) {
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = value;
  ++depth;
  for (Operation &op : block.without_terminator()) {
    if (failed(run(op)))
      return failure();
    if (trace && depth == 1)
      trace->push_back({&op, resultsOf(op)});
    for (Value value : program.lastUsedAt(&op))
      values.erase(value);
  }
  std::vector<TensorRef> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(get(value));
  --depth;
  return results;
}

FailureOr<std::vector<TensorRef>> Machine::call(func::FuncOp function,
                                                ArrayRef<TensorRef> arguments) {
  values.clear();
  depth = 0;
  if (!function.getBody().hasOneBlock())
    return emitError(function.getLoc())
           << "@" << function.getName() << " has several blocks, which have no interpreter";
  return runBlock(function.getBody().front(), arguments);
}

FailureOr<std::vector<int64_t>> Machine::setOf(Operation *op, StringAttr name) {
  auto made = madeGroups.find(name.getValue());
  if (made != madeGroups.end())
    return made->second;
  auto group = program.module.lookupSymbol<collective::GroupOp>(name);
  if (!group)
    return emitError(op->getLoc()) << "there is no group @" << name.getValue();
  std::vector<int64_t> set;
  auto members = group.getMembers();
  if (!members || !*members) {
    for (int64_t rank = 0; rank < place.ranks; ++rank)
      set.push_back(rank);
    return set;
  }
  if (auto known = members->getSetOf(place.rank, place.ranks))
    return std::vector<int64_t>(known->begin(), known->end());
  int64_t perNode = place.ranksPerNode ? place.ranksPerNode : place.ranks;
  for (int64_t rank = 0; rank < place.ranks; ++rank)
    if (isa<collective::PerNodeAttr>(*members) ? rank / perNode == place.rank / perNode
                                               : rank % perNode == place.rank % perNode)
      set.push_back(rank);
  if (!isa<collective::PerNodeAttr, collective::AcrossNodesAttr>(*members))
    return emitError(op->getLoc()) << "group @" << name.getValue() << " does not exist here";
  return set;
}
