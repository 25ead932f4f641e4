// Follows every way through a function with the set of groups that exist.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/communication/GroupLifetimes.h"

#include "dialects/interfaces/ranks/Communication.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/DenseMap.h"

#include <map>

using namespace mlir;
using namespace tutti;

namespace {
/// The groups that exist, with the operation that made each.
using Groups = std::map<std::string, Operation *>;

class Walker {
public:
  LogicalResult walk(Region &region, Groups &groups);

private:
  LogicalResult visit(Operation *op, Groups &groups);
  LogicalResult visitRegions(Operation *op, Groups &groups);
  LogicalResult meet(Operation *at, const Groups &one, const Groups &other);

  llvm::SmallPtrSet<Operation *, 8> callStack;
};
} // namespace

static bool haveSameNames(const Groups &one, const Groups &other) {
  return llvm::equal(one, other, [](const auto &a, const auto &b) { return a.first == b.first; });
}

/// Two ways come together at `at`, or one way comes back to it.
LogicalResult Walker::meet(Operation *at, const Groups &one, const Groups &other) {
  if (haveSameNames(one, other))
    return success();
  for (const Groups *groups : {&one, &other})
    for (const auto &[name, maker] : *groups)
      if (!one.count(name) || !other.count(name)) {
        InFlightDiagnostic error = mlir::emitError(at->getLoc())
                                   << "@" << name
                                   << " exists after this operation on some ways and not on "
                                      "others; make and destroy it on the same ones";
        error.attachNote(maker->getLoc()) << "it is made here";
        return error;
      }
  return success();
}

LogicalResult Walker::visitRegions(Operation *op, Groups &groups) {
  bool isChoice = isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(op);
  std::optional<Groups> after;
  for (Region &region : op->getRegions()) {
    Groups inside = groups;
    if (!region.empty() && failed(walk(region, inside)))
      return failure();
    if (failed(meet(op, after ? *after : isChoice ? inside : groups, inside)))
      return failure();
    after = inside;
  }
  if (after)
    groups = *after;
  return success();
}

LogicalResult Walker::visit(Operation *op, Groups &groups) {
  SmallVector<FlatSymbolRefAttr, 2> symbols = getGroupsOf(op);
  FlatSymbolRefAttr symbol = symbols.size() == 1 ? symbols.front() : FlatSymbolRefAttr();
  GroupOpInterface group = findGroup(op, symbol);
  if (group && group.getGroupForm().kind == GroupForm::AtRunTime) {
    std::string name = symbol.getValue().str();
    auto found = groups.find(name);
    if (isKind(op, {CommunicationKind::CreateGroup})) {
      if (found == groups.end())
        return groups[name] = op, success();
      InFlightDiagnostic error = mlir::emitError(op->getLoc())
                                 << symbol << " exists already; destroy it first";
      error.attachNote(found->second->getLoc()) << "it is made here";
      return error;
    }
    if (found == groups.end())
      return mlir::emitError(op->getLoc())
             << symbol << " does not exist here: it is used only after "
             << "collective.create_group and before collective.destroy_group";
    if (isKind(op, {CommunicationKind::DestroyGroup}))
      groups.erase(found);
    return success();
  }
  if (auto call = dyn_cast<CallOpInterface>(op))
    if (auto callee = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable()))
      if (!callee.isExternal() && callStack.insert(callee).second) {
        LogicalResult result = walk(callee.getFunctionBody(), groups);
        callStack.erase(callee);
        return result;
      }
  return visitRegions(op, groups);
}

LogicalResult Walker::walk(Region &region, Groups &groups) {
  llvm::DenseMap<Block *, Groups> before;
  SmallVector<Block *> worklist = {&region.front()};
  before[&region.front()] = groups;
  std::optional<Groups> after;
  while (!worklist.empty()) {
    Block *block = worklist.pop_back_val();
    Groups here = before[block];
    for (Operation &op : *block)
      if (failed(visit(&op, here)))
        return failure();
    Operation *last = &block->back();
    for (Block *next : last->getSuccessors()) {
      auto [known, isNew] = before.try_emplace(next, here);
      if (isNew)
        worklist.push_back(next);
      else if (failed(meet(last, known->second, here)))
        return failure();
    }
    if (last->getNumSuccessors() != 0)
      continue;
    if (after && failed(meet(last, *after, here)))
      return failure();
    after = here;
  }
  if (after)
    groups = *after;
  return success();
}

LogicalResult communication::verifyGroupLifetimes(FunctionOpInterface entry) {
  Groups groups;
  if (failed(Walker().walk(entry.getFunctionBody(), groups)))
    return failure();
  if (groups.empty())
    return success();
  return mlir::emitError(groups.begin()->second->getLoc())
         << "@" << groups.begin()->first << " still exists when @" << entry.getName()
         << " ends; destroy it with collective.destroy_group";
}
