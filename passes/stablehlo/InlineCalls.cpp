// Inlining of calls among operations that no dialect answers for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/stablehlo/InlineCalls.h"

#include "lib/stablehlo/Ops.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tutti;

namespace {
/// Inlines calls, callees first, so that each function is walked once.
class Inlining {
public:
  LogicalResult inlineInto(func::FuncOp function) {
    if (done.contains(function))
      return success();
    if (!active.insert(function).second)
      return mlir::emitError(function.getLoc())
             << "@" << function.getName() << " calls itself; a step must be a finite program";
    SmallVector<func::CallOp> calls;
    function.walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls)
      if (failed(inlineCall(call)))
        return failure();
    active.erase(function);
    done.insert(function);
    return success();
  }

private:
  LogicalResult inlineCall(func::CallOp call) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
    if (!callee || !callee.getBody().hasOneBlock())
      return mlir::emitError(call.getLoc())
             << "calls " << call.getCalleeAttr() << ", which has no body of one block here";
    if (failed(inlineInto(callee)))
      return failure();
    IRMapping mapping;
    mapping.map(callee.getArguments(), call.getOperands());
    OpBuilder builder(call);
    Block &body = callee.getBody().front();
    for (Operation &op : body.without_terminator())
      builder.clone(op, mapping);
    for (auto [result, value] :
         llvm::zip_equal(call.getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(mapping.lookupOrDefault(value));
    call.erase();
    return success();
  }

  llvm::SmallPtrSet<Operation *, 8> active, done;
};
} // namespace

LogicalResult stablehlo::inlineCalls(func::FuncOp function) {
  if (failed(Inlining().inlineInto(function)))
    return failure();
  auto module = function->getParentOfType<ModuleOp>();
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (auto other : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (other != function && other.isPrivate() && !isNamed(module, other.getSymNameAttr())) {
        other.erase();
        isChanged = true;
      }
  }
  return success();
}
