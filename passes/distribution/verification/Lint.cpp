// distribute-lint: warns of programs that are valid, but often not what was meant on many ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/interfaces/BatchStatistics.h"
#include "dialects/interfaces/SampleCount.h"
#include "dialects/interfaces/ranks/Communication.h"
#include "dialects/train/ValueRoles.h"
#include "lib/analysis/Remarks.h"
#include "lib/analysis/Uniformity.h"
#include "lib/layout/Transfer.h"
#include "lib/program/Program.h"
#include "lib/program/ValueNames.h"
#include "lib/program/gradients/Gradients.h"
#include "passes/distribution/Passes.h"

#include <set>

namespace tutti::distribution {
#define GEN_PASS_DEF_LINTPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

static bool hasOneElement(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 1;
}

/// Whether no gradient reaches a variable that has this one.
static bool isNoGradient(Value value) {
  auto filled = value.getDefiningOp<train::FullLikeOp>();
  return filled ? filled.getValue().isZero() : isZero(value);
}

/// The name of the variable that `value`, an argument, holds; else "".
static StringRef variableOf(Value value) {
  train::VariableAttr role = findHeldVariable(value);
  return role ? role.getName() : "";
}

namespace {

/// `value` is `tensor` times or by `scalar`, or the like.
struct Scaling {
  Value tensor, scalar;

  static std::optional<Scaling> find(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumOperands() != 2 || op->getNumResults() != 1 || hasOneElement(value))
      return std::nullopt;
    for (unsigned tensor : {0, 1})
      if (op->getOperand(tensor).getType() == value.getType() &&
          hasOneElement(op->getOperand(1 - tensor)))
        return Scaling{op->getOperand(tensor), op->getOperand(1 - tensor)};
    return std::nullopt;
  }
};

struct Lint : distribution::impl::LintPassBase<Lint> {
  using LintPassBase::LintPassBase;

  void runOnOperation() override {
    FailureOr<Program> program = Program::find(getOperation());
    if (failed(program))
      return signalPassFailure();
    if (!errors && !getContext().getRemarkEngine())
      return markAllAnalysesPreserved(); // the findings would not be printed
    step = program->step;
    uniformity = &getAnalysis<UniformityAnalysis>();
    reported.clear();
    hasErrors = false;
    step.walk([&](Operation *op) {
      lintStatistics(op);
      lintCount(op);
      lintDivisor(op);
      lintSeed(op);
      lintReduction(op);
    });
    lintVariables();
    if (hasErrors)
      signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  /// Once for each node: its gradient is part of it.
  void report(StringRef lint, Location place, const Twine &text) {
    Location location = withoutPart(place);
    if (!reported.insert({location.getAsOpaquePointer(), text.str()}).second)
      return;
    ++findings;
    hasErrors |= errors;
    if (errors)
      mlir::emitError(location) << text << " [" << lint << "]";
    else
      remark::analysis(location, remarkBy(getArgument(), step))
          << text.str() << remark::metric("lint", lint.str());
  }

  bool isVarying(Value value) const { return !uniformity->isUniform(value); }
  bool hasVaryingOperand(Operation *op) const {
    return llvm::any_of(op->getOperands(), [&](Value value) { return isVarying(value); });
  }

  void lintStatistics(Operation *op) {
    auto statistics = dyn_cast<BatchStatisticsOpInterface>(op);
    if (statistics && !statistics.isSynchronized() && hasVaryingOperand(op))
      report("batch-statistics", op->getLoc(),
             "normalizes by the rank's own part of the batch, so that its result depends on the "
             "number of ranks; --distribute=\"sync-batch-norm=true\" uses the whole batch");
  }

  void lintCount(Operation *op) {
    auto loss = dyn_cast<SampleCountOpInterface>(op);
    if (loss && !loss.getDividingCount().empty() && hasVaryingOperand(op))
      report("local-count", op->getLoc(),
             "each rank divides by " + loss.getDividingCount() +
                 ", which differs between ranks: the mean of their results is not the mean over "
                 "all samples; reduce a sum, and divide it by the sum of the counts");
  }

  void lintDivisor(Operation *op) {
    Value divisor = findDivisor(op);
    if (divisor && hasOneElement(divisor) && isVarying(divisor))
      report("local-count", op->getLoc(),
             "each rank divides by a number of its own: the mean of their results is not that of "
             "one device; reduce dividend and divisor over the ranks first");
  }

  /// Random values of a fixed seed that are combined with samples.
  void lintSeed(Operation *op) {
    auto random = dyn_cast<SampleCountOpInterface>(op);
    train::RandomAttr role = train::findRandom(op);
    bool isFixed = random && random.hasFixedSeed();
    bool isEqual = role && !role.isPerRank() && !hasVaryingOperand(op);
    if ((!isFixed && !isEqual) ||
        llvm::none_of(op->getUsers(), [&](Operation *user) { return hasVaryingOperand(user); }))
      return;
    if (isEqual)
      report("equal-seed", op->getLoc(),
             "all ranks draw the same: samples at one place of each rank's part of the batch get "
             "the same random values");
    else
      report("equal-seed", op->getLoc(),
             "its seed is fixed: the samples of all ranks, and of all steps, get the same random "
             "values; without the attribute they follow from --seed, rank and step");
  }

  void lintReduction(Operation *op) {
    auto reduction = dyn_cast<collective::BucketOpInterface>(op);
    if (!reduction || !isKind(op, {CommunicationKind::AllReduce}))
      return;
    for (Value input : reduction.getInputs())
      if (Value factor = localFactorOf(input))
        report("norm-before-reduce", input.getLoc(),
               "is scaled by a number of the rank's own before it is reduced, as if clipped by a "
               "local norm: reduce first, then take the norm, then scale");
  }

  /// The number by which `value` is scaled, if it differs between ranks for another reason than
  /// that they hold unequal parts of a batch.
  Value localFactorOf(Value value) const {
    constexpr int reach = 8; // scalings one after another
    for (int i = 0; i < reach; ++i) {
      std::optional<Scaling> scaling = Scaling::find(value);
      if (!scaling)
        return {};
      if (isVarying(scaling->scalar) &&
          !uniformity->getPath(scaling->scalar).front().getDefiningOp<train::BatchWeightOp>())
        return scaling->scalar;
      value = scaling->tensor;
    }
    return {};
  }

  void lintVariables() {
    for (VariableResult variable : getVariableResults(step))
      if (variable.role.getVariableClass() == train::VariableClass::Trainable &&
          variableOf(variable.value->get()) == variable.role.getName())
        report("no-gradient", variable.value->get().getLoc(),
               "variable \"" + Twine(variable.role.getName()) +
                   "\" is trainable, but nothing updates it; freeze it if that is meant");
    step.walk([&](OptimizerOpInterface optimizer) {
      if (isNoGradient(optimizer.getGradientMutable().get()))
        report("no-gradient", optimizer.getVariable().getLoc(),
               "variable \"" + variableOf(optimizer.getVariable()) +
                   "\" is updated, but no gradient reaches it: the loss does not depend on it");
    });
  }

  func::FuncOp step;
  const UniformityAnalysis *uniformity = nullptr;
  std::set<std::pair<const void *, std::string>> reported; ///< places and texts
  bool hasErrors = false;
};
} // namespace
