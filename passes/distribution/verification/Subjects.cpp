// Finds what verdicts judge.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/verification/Subjects.h"

#include "dialects/ps/Ps.h"
#include "dialects/train/ValueRoles.h"
#include "lib/program/GradientChain.h"
#include "lib/program/gradients/GradientRoles.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

/// "the gradient" where its variable is not known.
static std::string nameOfGradient(StringRef variable) {
  return variable.empty() ? "the gradient"
                          : ("the gradient of variable \"" + variable + "\"").str();
}

/// Of the variable that is updated, or of which this rank's part is. A rank's own variable takes a
/// rank's own gradient.
static Subject subjectOf(OptimizerOpInterface optimizer) {
  train::VariableAttr variable = findUpdatedVariable(optimizer);
  OpOperand &gradient = optimizer.getGradientMutable();
  return {gradient.get(), nameOfGradient(variable ? variable.getName() : StringRef()), optimizer,
          updatesRanksOwn(gradient)};
}

SmallVector<Subject> tutti::distribution::findGradientSubjects(func::FuncOp step) {
  SmallVector<Subject> subjects;
  // Servers add up what workers push: each pushes what it has of its own part of the batch.
  auto addPush = [&](Operation *push, StringRef table, Value gradient) {
    subjects.push_back({gradient, nameOfGradient(table), push, /*isRanksOwn=*/true});
  };
  step.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](train::MarkGradientOp mark) {
          subjects.push_back({mark.getGradient(),
                              nameOfGradient(train::findGradient(mark, 0).value_or("")), op, false,
                              /*isMarked=*/true});
        })
        .Case([&](ps::PushOp push) { addPush(op, push.getTable(), push.getGradient()); })
        .Case([&](ps::PushRowsOp push) { addPush(op, push.getTable(), push.getGradients()); })
        .Case([&](OptimizerOpInterface optimizer) { subjects.push_back(subjectOf(optimizer)); });
  });
  for (const NamedGradient &gradient : findNamedGradients(step)) {
    Operation *maker = gradient.value.getDefiningOp();
    subjects.push_back({gradient.value, nameOfGradient(gradient.variable),
                        maker ? maker : step.getBody().front().getTerminator(), false,
                        /*isMarked=*/true});
  }
  return subjects;
}

Subject tutti::distribution::subjectOfResult(OpOperand &result, std::string name) {
  Operation *maker = result.get().getDefiningOp();
  return {result.get(), std::move(name), maker ? maker : result.getOwner()};
}
