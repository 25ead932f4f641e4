// Variables of each rank, and their means.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/accumulation/LocalTraining.h"

#include "lib/program/ProgramEdit.h"
#include "lib/program/gradients/Gradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;
using tutti::train::VariableClass;
using tutti::train::VariablePlacement;

static LogicalResult verifyNotSharded(Program program) {
  for (VariableResult variable : getVariableResults(program.step))
    if (variable.role.getPlacement() == VariablePlacement::Shard)
      return mlir::emitError(variable.value->get().getLoc())
             << "local-sgd conflicts with shard-optimizer: each rank updates all of its own "
                "variables, but holds only a part of \""
             << variable.role.getName() << "\"";
  return success();
}

LogicalResult distribution::verifyLocalTraining(Program program,
                                                const UniformityAnalysis &uniformity) {
  if (failed(verifyNotSharded(program)))
    return failure();
  Gradients gradients = Gradients::findOptimized(program.step);
  if (gradients.empty())
    return mlir::emitError(program.step.getLoc())
           << "holds no optimizer operation, so that no rank could train on its own";
  auto varies = [&](const Gradient &gradient) { return !uniformity.isUniform(gradient.value); };
  if (llvm::any_of(gradients, varies))
    return success();
  return mlir::emitError(gradients.front().value.getLoc())
         << "all gradients are equal on every rank, so that there is nothing to average: run "
            "distribute-local-sgd instead of distribute-reduce-gradients, and after "
            "distribute-shard-datasets";
}

unsigned distribution::localizeVariables(Program program) {
  for (unsigned localized = 0, found;; localized += found) {
    found = 0;
    UniformityAnalysis uniformity(program.module);
    ProgramEdit edit(program);
    for (VariableResult variable : getVariableResults(program.step)) {
      if (!variable.role.isReplicated() || uniformity.isUniform(variable.value->get()))
        continue;
      edit.setRole(variable.role, variable.role.getPerRank());
      ++found;
    }
    edit.apply();
    if (found == 0)
      return localized;
  }
}

SmallVector<VariableResult> distribution::findAveraged(Program program, bool withStates) {
  SmallVector<VariableResult> averaged;
  llvm::copy_if(getVariableResults(program.step), std::back_inserter(averaged),
                [&](VariableResult variable) {
                  return variable.role.getPlacement() == VariablePlacement::PerRank &&
                         isa<FloatType>(getElementTypeOrSelf(variable.value->get())) &&
                         (withStates || variable.role.getVariableClass() != VariableClass::State);
                });
  return averaged;
}

void distribution::scaleSums(Program program, const RankMean &mean) {
  program.step.walk([&](train::BatchSumOp sum) {
    OpBuilder builder(sum);
    sum.replaceAllUsesWith(mean.buildSummand(builder, sum.getLoc(), sum.getNumber()));
    sum.erase();
  });
}

using BuildValues = llvm::function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)>;

/// What `build` makes of `values` where `steps` is a multiple of `every`, else `values`.
static SmallVector<Value> buildWhenDue(OpBuilder &builder, Value steps, ValueRange values,
                                       BuildValues build, int64_t every) {
  Location loc = steps.getLoc();
  Value number = tensor::ExtractOp::create(builder, loc, steps, ValueRange());
  Value period = arith::ConstantIntOp::create(builder, loc, every, 64);
  Value rest = arith::RemSIOp::create(builder, loc, number, period);
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 64);
  Value isDue = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rest, zero);
  auto branch = scf::IfOp::create(
      builder, loc, isDue,
      [&](OpBuilder &inside, Location at) {
        scf::YieldOp::create(inside, at, build(inside, at, values));
      },
      [&](OpBuilder &inside, Location at) { scf::YieldOp::create(inside, at, values); });
  return llvm::to_vector_of<Value>(branch.getResults());
}

void distribution::changeEvery(Program program, int64_t every, StringRef counter,
                               llvm::function_ref<SmallVector<OpOperand *>()> findResults,
                               BuildValues build) {
  Value steps = every > 1 ? findStepCounter(program) : Value();
  if (!steps && every > 1)
    steps = addStepCounter(program, counter);
  SmallVector<OpOperand *> results = findResults();
  auto values = llvm::map_to_vector(results, [](OpOperand *result) { return result->get(); });
  OpBuilder builder(program.step.getBody().front().getTerminator());
  SmallVector<Value> changed = every == 1 ? build(builder, program.step.getLoc(), values)
                                          : buildWhenDue(builder, steps, values, build, every);
  for (auto [result, value] : llvm::zip_equal(results, changed))
    result->set(value);
}

size_t distribution::averageVariables(Program program, bool withStates, const RankMean &mean,
                                      int64_t every) {
  size_t count = 0;
  auto findResults = [&] {
    auto results =
        llvm::map_to_vector(findAveraged(program, withStates),
                            [](const VariableResult &variable) { return variable.value; });
    count = results.size();
    return results;
  };
  auto build = [&](OpBuilder &builder, Location loc, ValueRange values) {
    return mean.build(builder, loc, values);
  };
  changeEvery(program, every, "local_sgd.step", findResults, build);
  return count;
}
