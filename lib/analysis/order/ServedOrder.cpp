// The order of pulls and pushes, proved by where they stand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/order/ServedOrder.h"

#include "dialects/ps/Ps.h"
#include "lib/analysis/Trust.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti;

namespace {

/// What one function asks of the servers.
class ServedOrder {
public:
  ServedOrder(FunctionOpInterface function, const UniformityAnalysis &uniformity)
      : function(function), uniformity(uniformity) {}

  LogicalResult verify() {
    WalkResult result = function->walk([&](Operation *op) {
      return llvm::TypeSwitch<Operation *, WalkResult>(op)
          .Case([&](ps::PullRowsOp pull) { return WalkResult(verifyRows(pull)); })
          .Case([&](ps::PullOp pull) { return WalkResult(verifyWhole(pull)); })
          .Case<ps::PushRowsOp, ps::PushOp>([&](auto push) { return WalkResult(verifyPush(push)); })
          .Default([](Operation *) { return WalkResult::advance(); });
    });
    return success(!result.wasInterrupted() && succeeded(verifyPullsFirst()));
  }

  /// Each table gets its push, and is asked for what the push is the gradient of.
  LogicalResult verifyComplete(ps::TableOp table) {
    auto name = FlatSymbolRefAttr::get(table.getSymNameAttr());
    if (!pushes.contains(name))
      return mlir::emitError(table.getLoc())
             << "@step does not push to " << name
             << ", but servers wait for one push of each worker in a step";
    if (llvm::none_of(pulls, [&](auto &pull) { return pull.first == name; }))
      return mlir::emitError(table.getLoc())
             << "@step pushes to " << name
             << " but does not pull from it: what it pushes cannot be "
             << "the gradient of what servers hold, and nothing keeps it in step with them";
    return success();
  }

private:
  bool isStep() { return SymbolTable::getSymbolName(function).getValue() == "step"; }

  LogicalResult verifyRows(ps::PullRowsOp pull) {
    if (pull.getRows().use_empty())
      return mlir::emitError(pull.getLoc())
             << "nothing uses the rows of this pull from " << pull.getTableAttr()
             << ": it is there twice, or what used them was lost";
    return verifyPull(pull, pull.getTableAttr());
  }

  LogicalResult verifyWhole(ps::PullOp pull) {
    for (auto &[name, other] : pulls)
      if (name == pull.getTableAttr()) {
        InFlightDiagnostic error = mlir::emitError(pull.getLoc())
                                   << "a second pull of " << name << " in @"
                                   << SymbolTable::getSymbolName(function).getValue()
                                   << ": a whole variable travels once";
        error.attachNote(other->getLoc()) << "the first one";
        return error;
      }
    return verifyPull(pull, pull.getTableAttr());
  }

  /// Workers that pull differently do not run one program.
  LogicalResult verifyPull(Operation *pull, FlatSymbolRefAttr table) {
    pulls.emplace_back(table, pull);
    if (SymbolTable::getSymbolName(function).getValue() == "initialize")
      return mlir::emitError(pull->getLoc())
             << "@initialize pulls from " << table
             << ", but servers have no rows to give before the first step";
    if (Operation *around = findUndefinedOrder(pull)) {
      InFlightDiagnostic error = mlir::emitError(pull->getLoc())
                                 << "a pull from " << table << " stands in a region that '"
                                 << around->getName()
                                 << "' runs in an order, or a number of times, that is not defined";
      error.attachNote(around->getLoc()) << "the region is here";
      return error;
    }
    auto [branch, control, inside] = uniformity.findDivergence(pull);
    if (!control)
      return success();
    InFlightDiagnostic error = mlir::emitError(pull->getLoc())
                               << "not all workers pull from " << table << " equally often";
    error.attachNote(branch->getLoc())
        << "workers decide '" << branch->getName() << "' differently"
        << (isa<LoopLikeOpInterface>(branch)
                ? ", so that they run its body different numbers of times"
                : "");
    uniformity.explain(control, error);
    return error;
  }

  template <typename Push> LogicalResult verifyPush(Push push) {
    FlatSymbolRefAttr table = push.getTableAttr();
    if (failed(verifyPlace(push, table)))
      return failure();
    auto [first, isFirst] = pushes.try_emplace(table, push);
    if (!isFirst) {
      InFlightDiagnostic error = mlir::emitError(push.getLoc())
                                 << "a second push to " << table
                                 << " in one step: servers update a table once";
      error.attachNote(first->second->getLoc()) << "the first one";
      return error;
    }
    for (Value scalar : push.getScalars()) {
      if (uniformity.isUniform(scalar))
        continue;
      InFlightDiagnostic error = mlir::emitError(push.getLoc())
                                 << "workers push different rates or counters to " << table;
      uniformity.explain(scalar, error);
      return error;
    }
    return success();
  }

  /// A step comes to it once, whatever happens in it.
  LogicalResult verifyPlace(Operation *push, FlatSymbolRefAttr table) {
    if (!isStep())
      return mlir::emitError(push->getLoc())
             << "a push to " << table << " stands in @"
             << SymbolTable::getSymbolName(function).getValue()
             << ", but servers wait for one push of each worker in a step, by @step itself";
    Operation *around = push->getParentOp();
    if (around != function)
      return mlir::emitError(push->getLoc())
             << "a push to " << table << " stands in '" << around->getName()
             << "', but servers wait for one push of each worker in a step";
    if (push->getBlock() == &function.getFunctionBody().front())
      return success();
    return mlir::emitError(push->getLoc())
           << "a push to " << table << " stands in a block that not every step comes to once, but "
           << "servers wait for one push of each worker in a step";
  }

  /// A pull after the push would see the table before or after the pushes of others, as it
  /// happens.
  LogicalResult verifyPullsFirst() {
    for (auto &[table, pull] : pulls) {
      Operation *push = pushes.lookup(table);
      if (!push)
        continue;
      Operation *inBlock = push->getBlock()->findAncestorOpInBlock(*pull);
      if (inBlock && inBlock->isBeforeInBlock(push))
        continue;
      InFlightDiagnostic error = mlir::emitError(pull->getLoc())
                                 << "a pull from " << table
                                 << " stands after the push to it of the same step: it may see the "
                                    "pushes of other workers or not";
      error.attachNote(push->getLoc()) << "the push";
      return error;
    }
    return success();
  }

  FunctionOpInterface function;
  const UniformityAnalysis &uniformity;
  llvm::DenseMap<Attribute, Operation *> pushes; ///< by table
  SmallVector<std::pair<FlatSymbolRefAttr, Operation *>> pulls;
};

} // namespace

LogicalResult tutti::verifyServedOrder(ModuleOp module, const UniformityAnalysis &uniformity) {
  auto tables = module.getOps<ps::TableOp>();
  if (tables.empty())
    return success();
  for (auto function : module.getOps<FunctionOpInterface>()) {
    ServedOrder order(function, uniformity);
    if (failed(order.verify()))
      return failure();
    if (SymbolTable::getSymbolName(function).getValue() != "step")
      continue;
    for (ps::TableOp table : tables)
      if (failed(order.verifyComplete(table)))
        return failure();
  }
  return success();
}
