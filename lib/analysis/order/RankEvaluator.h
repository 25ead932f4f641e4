// The program as one rank runs it: a private part of RankTrace.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_LIB_ANALYSIS_ORDER_RANKEVALUATOR_H
#define TUTTI_LIB_ANALYSIS_ORDER_RANKEVALUATOR_H

#include "dialects/interfaces/ranks/Communication.h"
#include "lib/analysis/order/RankTrace.h"
#include "lib/analysis/order/RankValues.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tutti {

/// Follows control and writes down communication. Each failure has emitted its error.
class RankEvaluator {
public:
  RankEvaluator(int64_t rank, RankSets &sets, Deciding &deciding,
                const Communicating &communicating, const UniformityAnalysis &uniformity)
      : rank(rank), values(rank, sets), deciding(deciding), communicating(communicating),
        uniformity(uniformity) {}

  mlir::LogicalResult run(mlir::FunctionOpInterface function) {
    return enter(function.getFunctionBody(), function).failed() ? mlir::failure() : mlir::success();
  }

  RankTrace trace;

private:
  /// The operation that ends the region, whose operands it hands on; null where nothing that
  /// follows is known, and nothing that follows communicates.
  struct Exit {
    bool failed() const { return hasFailed; }
    mlir::Operation *terminator = nullptr;
    bool hasFailed = false;
  };

  Exit enter(mlir::Region &region, mlir::Operation *owner);
  mlir::LogicalResult run(mlir::Block &block);
  mlir::LogicalResult evaluate(mlir::Operation *op);

  // Control.
  mlir::LogicalResult evaluate(mlir::scf::IfOp op);
  mlir::LogicalResult evaluate(mlir::scf::IndexSwitchOp op);
  mlir::LogicalResult evaluate(mlir::scf::ForOp op);
  mlir::LogicalResult evaluate(mlir::scf::WhileOp op);
  mlir::LogicalResult evaluate(mlir::scf::ExecuteRegionOp op);
  mlir::LogicalResult evaluate(mlir::CallOpInterface op);
  mlir::LogicalResult choose(mlir::Operation *op, mlir::Region *region);

  /// The turns of a loop, as many as there are numbers from the lower bound to the upper one: no
  /// sum overflows, and numbers have signs where the loop compares them so.
  struct Turns {
    llvm::APInt first, step;
    uint64_t count;
  };
  /// Nothing where a bound is not known to this rank, or where the step is not positive.
  std::optional<Turns> countTurns(mlir::scf::ForOp op) const;
  mlir::LogicalResult takeEachRegionOnce(mlir::Operation *op, mlir::Value control);

  // Communication.
  mlir::LogicalResult evaluate(CommunicationStartOpInterface op);
  mlir::LogicalResult evaluate(CommunicationDoneOpInterface op);
  mlir::LogicalResult start(mlir::Operation *op);
  mlir::LogicalResult checkInWorld(mlir::Operation *op, mlir::FlatSymbolRefAttr group, RankSet set);
  mlir::LogicalResult makeGroup(collective::CollectiveOpInterface op);
  mlir::LogicalResult evaluate(collective::PointToPointOpInterface op);
  mlir::LogicalResult evaluate(collective::CollectiveOpInterface op);
  void add(Event event) { (isInAsync ? trace.background : trace.main).push_back(std::move(event)); }

  mlir::InFlightDiagnostic cannotProve(mlir::Operation *op) {
    return mlir::emitError(op->getLoc())
           << "cannot prove what rank " << rank << " communicates here: ";
  }

  int64_t rank;
  RankValues values;
  Deciding &deciding;
  const Communicating &communicating;
  const UniformityAnalysis &uniformity;
  uint64_t steps = 0;
  unsigned depth = 0;
  bool isInAsync = false;
  /// How many events of the background each future stands for, counted from the start.
  llvm::DenseMap<mlir::Value, size_t> futures;
};

} // namespace tutti

#endif // TUTTI_LIB_ANALYSIS_ORDER_RANKEVALUATOR_H
