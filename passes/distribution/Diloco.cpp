// distribute-diloco: ranks train on their own, and an outer optimizer moves what they share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/Remarks.h"
#include "lib/program/ProgramEdit.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/accumulation/LocalTraining.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FormatVariadic.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_DILOCOPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;
using tutti::train::VariableClass;

namespace {
/// The outer optimizer: SGD with Nesterov's momentum, as PyTorch has it.
struct OuterStep {
  OpBuilder &builder;
  Location loc;
  double rate, momentum;

  Value scale(Value value, double factor) {
    Type element = getElementTypeOrSelf(value);
    auto number = DenseElementsAttr::get(RankedTensorType::get({}, element),
                                         builder.getFloatAttr(element, factor));
    return train::ScaleOp::create(builder, loc, value.getType(), value,
                                  arith::ConstantOp::create(builder, loc, number));
  }

  /// The next velocity; null without momentum.
  Value accelerate(Value velocity, Value gradient) {
    if (!velocity)
      return velocity;
    return arith::AddFOp::create(builder, loc, scale(velocity, momentum), gradient);
  }

  /// The next start; `velocity` is the next one.
  Value move(Value start, Value velocity, Value gradient) {
    Value direction = gradient;
    if (velocity)
      direction = arith::AddFOp::create(builder, loc, gradient, scale(velocity, momentum));
    return arith::SubFOp::create(builder, loc, start, scale(direction, rate));
  }
};

/// What @step returns for one variable that the outer optimizer updates: operands of its return.
struct OuterVariable {
  bool isOwn; ///< whether each rank has its own, so that there is a mean to take
  OpOperand *now, *start, *velocity;
};

/// A variable that steps train, and the names of its states.
struct TrainedVariable {
  train::VariableAttr role, start, velocity;
};

struct Diloco : distribution::impl::DilocoPassBase<Diloco> {
  using DilocoPassBase::DilocoPassBase;

  void runOnOperation() override {
    FailureOr<Program> program = Program::find(getOperation());
    if (failed(program) || failed(verifyRequest()))
      return signalPassFailure();
    bool isAlone = isOneRank();
    if (!isAlone && failed(verifyLocalTraining(*program, getAnalysis<UniformityAnalysis>())))
      return signalPassFailure();
    FailureOr<RankMean> mean = RankMean::find(*program);
    if (failed(mean))
      return signalPassFailure();
    if (!isAlone) {
      scaleSums(*program, *mean);
      localVariables += localizeVariables(*program);
    }
    if (outerRate == 1 && outerMomentum == 0) {
      if (!isAlone)
        outerVariables += averageVariables(*program, /*withStates=*/false, *mean, every);
      return;
    }
    SmallVector<TrainedVariable> trained = addStates(*program);
    takeOuterSteps(*program, trained, *mean);
    report(*program, trained.size());
  }

private:
  /// The group of all ranks is gone from a program that is specialised for one.
  bool isOneRank() {
    return getOperation().getOps<GroupOpInterface>().empty() ||
           collective::lookupWorldSize(getOperation()) == 1;
  }

  LogicalResult verifyRequest() {
    Location loc = getOperation().getLoc();
    if (every < 1)
      return mlir::emitError(loc) << "every must be 1 or more, got " << every.getValue();
    if (!(outerRate > 0) || !(outerMomentum >= 0 && outerMomentum < 1))
      return mlir::emitError(loc) << "outer-rate must be above 0 and outer-momentum at least 0 and "
                                     "less than 1, got "
                                  << outerRate.getValue() << " and " << outerMomentum.getValue();
    if (isOneRank() || collective::lookupWorldSize(getOperation()))
      return success();
    return mlir::emitError(loc)
           << "distribute-diloco needs the number of ranks: run specialize-world first, or let "
              "--distribute=\"diloco="
           << every.getValue() << "\" put it off until launch";
  }

  /// The trainable float variables that @step changes, with their states added.
  SmallVector<TrainedVariable> addStates(Program program) {
    VariablePlaces places(program.step);
    SmallVector<TrainedVariable> trained;
    ProgramEdit edit(program);
    for (VariableResult variable : getVariableResults(program.step)) {
      Value next = variable.value->get();
      if (variable.role.getVariableClass() != VariableClass::Trainable ||
          next == places.getArgument(variable.role) || !isa<FloatType>(getElementTypeOrSelf(next)))
        continue;
      trained.push_back(addStates(edit, variable.role, next));
    }
    edit.apply();
    return trained;
  }

  TrainedVariable addStates(ProgramEdit &edit, train::VariableAttr role, Value next) {
    auto state = [&](StringRef suffix) {
      return train::VariableAttr::get(&getContext(), (role.getName() + suffix).str(),
                                      VariableClass::State);
    };
    TrainedVariable trained = {role, state(".diloco_start"), {}};
    Value start = edit.copyVariable(role, trained.start, next.getLoc());
    edit.setNext(start, start);
    if (outerMomentum == 0)
      return trained;
    trained.velocity = state(".diloco_velocity");
    auto zero = cast<TypedAttr>(Builder(&getContext()).getZeroAttr(next.getType()));
    Value velocity = edit.addVariable(trained.velocity, zero, next.getLoc());
    edit.setNext(velocity, velocity);
    return trained;
  }

  static SmallVector<OuterVariable> findOuter(Program program, ArrayRef<TrainedVariable> trained) {
    llvm::DenseMap<Attribute, OpOperand *> results;
    for (VariableResult variable : getVariableResults(program.step))
      results[variable.role] = variable.value;
    return llvm::map_to_vector(trained, [&](const TrainedVariable &variable) {
      return OuterVariable{!variable.role.isReplicated(), results.lookup(variable.role),
                           results.lookup(variable.start), results.lookup(variable.velocity)};
    });
  }

  void takeOuterSteps(Program program, ArrayRef<TrainedVariable> trained, const RankMean &mean) {
    SmallVector<OuterVariable> outer;
    SmallVector<OpOperand *> statistics;
    auto findResults = [&] {
      outer = findOuter(program, trained);
      for (VariableResult variable : findAveraged(program, /*withStates=*/false))
        if (variable.role.getVariableClass() != VariableClass::Trainable)
          statistics.push_back(variable.value);
      SmallVector<OpOperand *> results(statistics);
      for (const OuterVariable &variable : outer)
        for (OpOperand *result : {variable.now, variable.start, variable.velocity})
          if (result)
            results.push_back(result);
      return results;
    };
    auto build = [&](OpBuilder &builder, Location loc, ValueRange) {
      return buildOuterStep(builder, loc, outer, statistics, mean);
    };
    changeEvery(program, every, "diloco.step", findResults, build);
    outerVariables += outer.size();
  }

  /// The next values of `statistics`, then of each of `outer`, as takeOuterSteps lists them.
  SmallVector<Value> buildOuterStep(OpBuilder &builder, Location loc, ArrayRef<OuterVariable> outer,
                                    ArrayRef<OpOperand *> statistics, const RankMean &mean) {
    SmallVector<Value> own, gradients;
    for (OpOperand *result : statistics)
      own.push_back(result->get());
    for (const OuterVariable &variable : outer) {
      gradients.push_back(
          arith::SubFOp::create(builder, loc, variable.start->get(), variable.now->get()));
      if (variable.isOwn)
        own.push_back(gradients.back());
    }
    SmallVector<Value> means = mean.build(builder, loc, own);
    SmallVector<Value> next(means.begin(), means.begin() + statistics.size());
    auto *found = means.begin() + statistics.size();
    OuterStep step{builder, loc, outerRate, outerMomentum};
    for (auto [variable, gradient] : llvm::zip_equal(outer, gradients)) {
      Value moved = variable.isOwn ? *found++ : gradient;
      Value velocity =
          step.accelerate(variable.velocity ? variable.velocity->get() : Value(), moved);
      Value start = step.move(variable.start->get(), velocity, moved);
      next.append({start, start});
      if (velocity)
        next.push_back(velocity);
    }
    return next;
  }

  void report(Program program, size_t count) const {
    remark::passed(program.step.getLoc(), remarkBy(getArgument(), program.step))
        << llvm::formatv("an outer step of {0} variables is taken every {1} steps", count,
                         every.getValue())
               .str();
  }
};
} // namespace
