// Questions to the finished analysis: results of functions, divergence, and the way a variation
// took.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/Uniformity.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tutti;

bool UniformityAnalysis::isUniformResult(FunctionOpInterface function, unsigned index) const {
  Region &body = function.getFunctionBody();
  if (body.empty() || divergentRegions.count(&body))
    return false;
  for (Block &block : body) {
    Operation *exit = block.getTerminator();
    if (exit->hasTrait<OpTrait::ReturnLike>() && !isUniform(exit->getOperand(index)))
      return false;
  }
  return true;
}

/// The terminator in `region` that `control` decides.
static Operation *findBranch(Region *region, Value control) {
  for (Block &block : *region)
    if (Operation *last = block.getTerminator(); isa<BranchOpInterface>(last))
      if (llvm::is_contained(last->getOperands(), control))
        return last;
  return region->getParentOp();
}

UniformityAnalysis::Divergence UniformityAnalysis::findDivergence(Operation *op) const {
  SmallVector<Operation *> places = {op};
  llvm::SmallPtrSet<Operation *, 4> visited;
  while (!places.empty()) {
    for (Operation *at = places.pop_back_val(); at && visited.insert(at).second;
         at = at->getParentOp()) {
      Operation *parent = at->getParentOp();
      if (Value control = divergentOps.lookup(parent))
        return {parent, control, at};
      Region *region = at->getParentRegion();
      if (Value control = divergentRegions.lookup(region))
        if (!at->getBlock()->isEntryBlock())
          return {findBranch(region, control), control, at};
      auto found = callers.find(at);
      if (found != callers.end())
        places.append(found->second.begin(), found->second.end());
    }
  }
  return {};
}

SmallVector<Value> UniformityAnalysis::getPath(Value value) const {
  SmallVector<Value> path;
  for (auto cause = causes.find(value); cause != causes.end(); cause = causes.find(value)) {
    path.push_back(value);
    value = cause->second.from;
  }
  return SmallVector<Value>(llvm::reverse(path));
}

StringRef UniformityAnalysis::getReason(Value origin) const {
  auto cause = causes.find(origin);
  return cause == causes.end() ? StringRef() : StringRef(cause->second.reason);
}

/// "argument 2 of @step" or "the result of 'onnx.Relu'".
static void describe(Diagnostic &note, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    note << "argument " << argument.getArgNumber() << " of ";
    if (auto function = dyn_cast<FunctionOpInterface>(owner))
      note << "@" << function.getName();
    else
      note << "'" << owner->getName() << "'";
    return;
  }
  note << "the result of '" << value.getDefiningOp()->getName() << "'";
}

void UniformityAnalysis::explain(Value value, InFlightDiagnostic &diagnostic) const {
  constexpr size_t shown =
      6; // stations of the way nearest to the value; the origin is always shown
  SmallVector<Value> path = getPath(value);
  if (path.empty())
    return;
  Diagnostic &origin = diagnostic.attachNote(path.front().getLoc());
  origin << "it varies because ";
  describe(origin, path.front());
  origin << " " << getReason(path.front());
  ArrayRef<Value> way = ArrayRef(path).drop_front();
  if (way.size() > shown)
    diagnostic.attachNote(way.front().getLoc())
        << "from there through " << way.size() - shown << " more operations";
  for (Value station : way.take_back(shown)) {
    Diagnostic &note = diagnostic.attachNote(station.getLoc());
    note << "and so does ";
    describe(note, station);
  }
}
