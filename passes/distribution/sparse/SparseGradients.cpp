// distribute-sparse-gradients: gradients of lookups travel as rows where that moves fewer bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/interfaces/ranks/Communication.h"
#include "lib/analysis/Remarks.h"
#include "lib/program/GradientChain.h"
#include "lib/program/plan/Buckets.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/RankMean.h"
#include "passes/distribution/sparse/SparseReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_SPARSEGRADIENTSPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

namespace {
struct SparseGradients : distribution::impl::SparseGradientsPassBase<SparseGradients> {
  using SparseGradientsPassBase::SparseGradientsPassBase;

  void runOnOperation() override {
    FailureOr<Program> program = Program::find(getOperation());
    if (failed(program) || failed(reduceAll(*program)))
      signalPassFailure();
  }

private:
  LogicalResult reduceAll(Program program) {
    FailureOr<RankMean> mean = RankMean::find(program);
    if (failed(mean))
      return failure();
    weighted = mean->getWeighted();
    gradients = findReducedGradients(program.module);
    foundRows = false;
    dense.clear();
    SmallVector<collective::BucketOpInterface> reductions;
    program.step.walk([&](collective::BucketOpInterface op) {
      if (isKind(op, {CommunicationKind::AllReduce}))
        reductions.push_back(op);
    });
    GlobalShapes shapes;
    for (collective::BucketOpInterface reduction : reductions)
      reduce(program, reduction, shapes);
    if (mode != SparseMode::Rows || foundRows)
      return success();
    return mlir::emitError(program.step.getLoc())
           << "sparse=rows: no gradient that is reduced is a list of rows; only those of lookups "
              "(Gather) are"
           << (dense.empty() ? "" : "; ") << dense;
  }

  /// Takes the operands that move fewer bytes as rows out of `reduction`.
  void reduce(Program program, collective::BucketOpInterface reduction, GlobalShapes &shapes) {
    SmallVector<SparseReduction> tables;
    llvm::SmallBitVector kept(reduction.getInputs().size(), true);
    for (unsigned i = 0; i < reduction.getInputs().size(); ++i) {
      std::optional<SparseReduction> sparse = SparseReduction::find(reduction, i);
      if (!sparse)
        tellTable(program, reduction, i);
      if (!sparse || !choosesRows(program, *sparse, shapes))
        continue;
      reduction.getOutputs()[i].replaceAllUsesWith(sparse->build(weighted));
      kept.reset(i);
      tables.push_back(*sparse);
    }
    (void)keepMembers(reduction, kept);
    for (SparseReduction &table : tables)
      table.eraseTable();
  }

  /// Remarks why the gradient of a lookup is a table where it is reduced.
  void tellTable(Program program, collective::BucketOpInterface reduction, unsigned i) {
    Value gradient = reduction.getInputs()[i];
    Refusal refusal = whyNoList(gradient);
    if (!refusal)
      return;
    ++tableReductions;
    std::string text = "gradient of " + nameOf(reduction.getOutputs()[i], gradient.getLoc()) +
                       " is reduced as a whole table: " + refusal.reason();
    remark::missed(gradient.getLoc(), remarkBy(getArgument(), program.step)) << text;
    if (dense.empty())
      dense = text;
  }

  /// Why the whole table must be reduced, whatever the bytes.
  Refusal whyTable(SparseReduction &sparse) {
    if (mode == SparseMode::Dense)
      return "sparse=dense was asked for";
    if (!sparse.followsBatch())
      return "the rows that it touches are the same in every step";
    if (!sparse.isOnlyUse() || !sparse.canStandAtTable())
      return "more than its reduction takes the table of a rank";
    return {};
  }

  /// Decides between rows and table, with a remark.
  bool choosesRows(Program program, SparseReduction &sparse, GlobalShapes &shapes) {
    std::optional<int64_t> rows = sparse.getRowsBytes(shapes);
    Refusal refusal = whyTable(sparse);
    bool isFewer = rows && *rows < sparse.getTableBytes();
    bool isRows = !refusal && (mode == SparseMode::Rows || isFewer);
    std::string reason = refusal.reason();
    if (!refusal)
      reason = rows
                   ? "its rows take " + std::to_string(*rows) + " bytes, the table " +
                         std::to_string(sparse.getTableBytes()) + ", each times (N-1)/N for N ranks"
                   : "the bytes of its rows are not known without a global batch";
    auto opts = remarkBy(getArgument(), program.step);
    Location loc = sparse.getReduction().getLoc();
    foundRows = true;
    ++(isRows ? rowReductions : tableReductions);
    (isRows ? remark::passed(loc, opts) : remark::missed(loc, opts))
        << "gradient of " << nameOf(sparse.getReduced(), sparse.getTableLoc()) << " is reduced as "
        << (isRows ? "rows: " : "a whole table: ") << reason;
    return isRows;
  }

  /// The variable of which `reduced` is the gradient, quoted; where none is found, the node at
  /// `place`.
  std::string nameOf(Value reduced, Location place) const {
    auto use = gradients.find(reduced);
    if (use != gradients.end() && !use->second.name.empty())
      return "\"" + use->second.name + "\"";
    auto named = place->findInstanceOf<NameLoc>();
    return named ? ("node \"" + named.getName().getValue() + "\"").str() : "a table";
  }

  llvm::DenseMap<Value, GradientUse> gradients; ///< by the result of the reduction
  FlatSymbolRefAttr weighted;                   ///< the dataset of unequal parts, or null
  bool foundRows = false;                       ///< some gradient is a list of rows
  std::string dense; ///< why the first gradient with lookups in it is no list of rows
};
} // namespace
