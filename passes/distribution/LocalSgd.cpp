// distribute-local-sgd: communication every few steps only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/Remarks.h"
#include "lib/analysis/Uniformity.h"
#include "lib/program/Gradients.h"
#include "lib/program/RoleEdits.h"
#include "lib/program/StepCounter.h"
#include "passes/distribution/LoopPasses.h"
#include "passes/distribution/RankMean.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FormatVariadic.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_LOCALSGDPASS
#include "passes/distribution/LoopPasses.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;
using tutti::train::TrainDialect;
using tutti::train::VariableClass;

/// Lets every function of the program take and return the variables `roles` as ones of each rank.
static void localize(ModuleOp module, const llvm::DenseSet<Attribute> &roles) {
  for (auto function : module.getOps<func::FuncOp>()) {
    RoleEdits edits(function);
    for (unsigned index = 0; index < function.getNumArguments(); ++index)
      if (train::VariableAttr role = edits.getArgument(index); role && roles.contains(role))
        edits.setArgument(index, role.getPerRank());
    for (unsigned index = 0; index < function.getNumResults(); ++index)
      if (train::VariableAttr role = edits.getResult(index); role && roles.contains(role))
        edits.setResult(index, role.getPerRank());
    edits.apply();
  }
}

namespace {
struct LocalSgd : distribution::impl::LocalSgdPassBase<LocalSgd> {
  using LocalSgdPassBase::LocalSgdPassBase;

  void runOnOperation() override {
    FailureOr<Program> program = Program::find(getOperation());
    if (failed(program) || failed(checkRequest(*program)) || failed(checkGradients(*program)))
      return signalPassFailure();
    FailureOr<RankMean> mean = RankMean::find(*program);
    if (failed(mean))
      return signalPassFailure();
    localizeAll(*program);
    average(*program, *mean);
  }

private:
  LogicalResult checkRequest(Program program) {
    Location loc = program.module.getLoc();
    if (every < 1)
      return mlir::emitError(loc) << "every must be 1 or more, got " << every.getValue();
    if (!collective::lookupWorldSize(program.module))
      return mlir::emitError(loc)
             << "distribute-local-sgd needs the number of ranks: run specialize-world first, or "
                "let --distribute=\"local-sgd="
             << every.getValue() << "\" put it off until launch";
    for (VariableResult variable : getVariableResults(program.step))
      if (variable.role.getPlacement() == train::VariablePlacement::Sharded)
        return mlir::emitError(variable.value->get().getLoc())
               << "local-sgd conflicts with shard-optimizer: each rank updates all of its own "
                  "variables, but holds only a part of \""
               << variable.role.getName() << "\"";
    return success();
  }

  LogicalResult checkGradients(Program program) {
    UniformityAnalysis uniformity(program.module);
    Gradients gradients = Gradients::findOptimized(program.step);
    if (gradients.empty())
      return mlir::emitError(program.step.getLoc())
             << "holds no optimizer operation, so that no rank could train on its own";
    for (const Gradient &gradient : gradients) {
      if (!uniformity.isUniform(gradient.value))
        return success();
    }
    return mlir::emitError(gradients.front().value.getLoc())
           << "all gradients are equal on every rank, so that there is nothing to average: run "
              "distribute-local-sgd instead of distribute-reduce-gradients, and behind "
              "distribute-shard-datasets";
  }

  /// Each rank gets its own of every variable that does not stay equal; those that depend on them
  /// follow.
  void localizeAll(Program program) {
    llvm::DenseSet<Attribute> found;
    do {
      found.clear();
      UniformityAnalysis uniformity(program.module);
      for (VariableResult variable : getVariableResults(program.step))
        if (variable.role.isReplicated() && !uniformity.isUniform(variable.value->get()))
          found.insert(variable.role);
      localize(program.module, found);
      localVariables += found.size();
    } while (!found.empty());
  }

  bool isAveraged(VariableResult variable) {
    if (variable.role.getPlacement() != train::VariablePlacement::PerRank)
      return false;
    if (!isa<FloatType>(getElementTypeOrSelf(variable.value->get())))
      return false;
    return averageStates || variable.role.getVariableClass() != VariableClass::State;
  }

  void average(Program program, const RankMean &mean) {
    Value steps = every > 1 ? findStepCounter(program) : Value();
    if (!steps && every > 1)
      steps = addStepCounter(program, "local_sgd.step");
    SmallVector<VariableResult> averaged;
    llvm::copy_if(getVariableResults(program.step), std::back_inserter(averaged),
                  [&](VariableResult variable) { return isAveraged(variable); });
    auto values =
        llvm::map_to_vector(averaged, [](auto &variable) { return variable.value->get(); });
    OpBuilder builder(program.step.getBody().front().getTerminator());
    SmallVector<Value> means = every == 1 ? mean.build(builder, program.step.getLoc(), values)
                                          : buildWhenDue(builder, steps, values, mean);
    for (auto [variable, value] : llvm::zip_equal(averaged, means))
      variable.value->set(value);
    averagedVariables += averaged.size();
    auto isLocal = [](VariableResult variable) { return !variable.role.isReplicated(); };
    remark::passed(program.step.getLoc(), remarkBy(getArgument(), program.step))
        << llvm::formatv(
               "{0} of {1} variables of which each rank has its own are averaged every {2} "
               "steps",
               averaged.size(), llvm::count_if(getVariableResults(program.step), isLocal),
               every.getValue())
               .str();
  }

  /// The means in every `every`-th step, else the values as they are.
  SmallVector<Value> buildWhenDue(OpBuilder &builder, Value steps, ValueRange values,
                                  const RankMean &mean) {
    Location loc = steps.getLoc();
    Value number = tensor::ExtractOp::create(builder, loc, steps, ValueRange());
    Value period = arith::ConstantIntOp::create(builder, loc, every, 64);
    Value rest = arith::RemSIOp::create(builder, loc, number, period);
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 64);
    Value isDue = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rest, zero);
    auto branch = scf::IfOp::create(
        builder, loc, isDue,
        [&](OpBuilder &inside, Location at) {
          scf::YieldOp::create(inside, at, mean.build(inside, at, values));
        },
        [&](OpBuilder &inside, Location at) { scf::YieldOp::create(inside, at, values); });
    return llvm::to_vector_of<Value>(branch.getResults());
  }
};
} // namespace
