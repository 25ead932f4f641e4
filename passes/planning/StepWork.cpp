// Numbers the operations of a copy by their locations, which lowering hands on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/planning/StepWork.h"

#include "dialects/collective/Collective.h"
#include "passes/planning/Prediction.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::planning;

static func::FuncOp stepOf(ModuleOp module) { return module.lookupSymbol<func::FuncOp>("step"); }

/// Gives each operation of `step` its number, in the order of a walk, beside its location.
static void numberOperations(func::FuncOp step) {
  Builder builder(step.getContext());
  int64_t number = 0;
  step.walk([&](Operation *op) {
    op->setLoc(FusedLoc::get(op->getContext(), {op->getLoc()}, builder.getIndexAttr(number++)));
  });
}

static std::optional<size_t> findNumber(Location place) {
  std::optional<size_t> number;
  place->walk([&](Location part) {
    auto fused = dyn_cast<FusedLoc>(part);
    auto attribute = fused ? dyn_cast_or_null<IntegerAttr>(fused.getMetadata()) : IntegerAttr();
    if (!attribute)
      return WalkResult::advance();
    number = attribute.getInt();
    return WalkResult::interrupt();
  });
  return number;
}

namespace {

/// Adds up what a lowered step does, for each operation that it was made of.
class Survey {
public:
  Survey(ModuleOp program, ModuleOp lowered, const cost::Cluster &cluster, int64_t ranks)
      : cluster(cluster), ranksOnNode(std::min(ranks, cluster.ranksPerNode)),
        times(lowered, cluster, ranks) {
    stepOf(program).walk([&](Operation *op) { origins.push_back(op); });
  }

  void visit(Region &region, double turns) {
    for (Block &block : region)
      for (Operation &op : block)
        visit(&op, turns);
  }

  StepWork work;

private:
  void visit(Operation *op, double turns) {
    if (std::optional<size_t> number = findNumber(op->getLoc()))
      origin = origins[*number];
    if (isa<collective::CollectiveOpInterface, PointToPointOpInterface>(op)) {
      Calls &calls = work.calls[origin];
      calls.time += times.of(op);
      calls.turns = turns;
    } else if (op->getNumRegions() > 0 && !isa<linalg::LinalgOp>(op)) {
      for (Region &region : op->getRegions())
        visit(region, turns * cost::countTurns(op));
    } else if (double seconds = cost::secondsOf(cost::workOf(op), cluster, ranksOnNode)) {
      work.seconds[origin] += seconds * turns;
    }
  }

  const cost::Cluster &cluster;
  int64_t ranksOnNode;
  cost::CallTimes times;
  std::vector<Operation *> origins; ///< by number
  Operation *origin = nullptr;      ///< that of what has no number, too: what stands before it
};

} // namespace

std::optional<StepWork> planning::measureStep(ModuleOp program, const cost::Cluster &cluster,
                                              int64_t ranks, std::string &why) {
  OwningOpRef<ModuleOp> copy = program.clone();
  if (func::FuncOp step = stepOf(*copy))
    numberOperations(step);
  if (failed(lowerCopy(*copy, {ranks, 0}, why)))
    return std::nullopt;
  func::FuncOp lowered = stepOf(*copy);
  if (!lowered)
    return StepWork();
  Survey survey(program, *copy, cluster, ranks);
  survey.visit(lowered.getFunctionBody(), 1);
  return std::move(survey.work);
}
