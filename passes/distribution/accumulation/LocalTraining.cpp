// Variables of each rank, and their means.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/accumulation/LocalTraining.h"

#include "lib/program/Gradients.h"
#include "lib/program/ProgramEdit.h"

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
            "distribute-local-sgd instead of distribute-reduce-gradients, and behind "
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

/// The means of `values` where `steps` is a multiple of `every`, else the values as they are.
static SmallVector<Value> buildWhenDue(OpBuilder &builder, Value steps, ValueRange values,
                                       const distribution::RankMean &mean, int64_t every) {
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

size_t distribution::averageVariables(Program program, bool withStates, const RankMean &mean,
                                      int64_t every) {
  Value steps = every > 1 ? findStepCounter(program) : Value();
  if (!steps && every > 1)
    steps = addStepCounter(program, "local_sgd.step");
  SmallVector<VariableResult> averaged = findAveraged(program, withStates);
  auto values = llvm::map_to_vector(averaged, [](auto &variable) { return variable.value->get(); });
  OpBuilder builder(program.step.getBody().front().getTerminator());
  SmallVector<Value> means = every == 1 ? mean.build(builder, program.step.getLoc(), values)
                                        : buildWhenDue(builder, steps, values, mean, every);
  for (auto [variable, value] : llvm::zip_equal(averaged, means))
    variable.value->set(value);
  return averaged.size();
}
