// Roles in words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/distribution/samples/RoleRemarks.h"

#include "dialects/interfaces/Optimizer.h"
#include "dialects/train/Train.h"
#include "lib/analysis/Remarks.h"
#include "lib/program/GradientChain.h"
#include "lib/program/Program.h"
#include "lib/program/ValueNames.h"
#include "lib/program/gradients/GradientRoles.h"
#include "passes/distribution/samples/LayoutChanges.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;
using train::TrainDialect;

/// "mean over samples"
static StringRef describe(const Layout &layout) {
  return llvm::StringSwitch<StringRef>(spellRole(layout))
      .Case("mean", "mean over samples")
      .Case("sum", "sum over samples")
      .Case("max", "maximum over samples")
      .Case("min", "minimum over samples")
      .Case("whole", "made of all samples together")
      .Case("split", "one value for each sample")
      .Default("made by operations without a rule of sharding, and taken for a mean over samples");
}

namespace {
class RoleTeller {
public:
  RoleTeller(func::FuncOp step, const SampleRoles &roles, StringRef pass)
      : step(step), roles(roles), pass(pass) {}

  void tellMetrics() {
    for (OpOperand &use : step.getBody().front().getTerminator()->getOpOperands())
      if (auto name =
              step.getResultAttrOfType<StringAttr>(use.getOperandNumber(), TrainDialect::kMetric))
        remark::analysis(use.get().getLoc(), remarkBy(pass, step))
            << (name.getValue() + ": " + describe(roles.get(use.get()))).str() << why(use);
  }

  void tellStatistics() {
    for (OpOperand &use : step.getBody().front().getTerminator()->getOpOperands())
      if (train::VariableAttr variable = getVariable(step, use.getOperandNumber()))
        if (!roles.get(use.get()).isWhole())
          remark::passed(use.get().getLoc(), remarkBy(pass, step))
              << (variable.getName() + ": " + describe(roles.get(use.get()))).str();
  }

  /// Those of one role are told together.
  void tellGradients() {
    llvm::MapVector<StringRef, SmallVector<StringRef>> names;
    auto add = [&](Value gradient, StringRef variable) {
      names[describe(roles.get(getRawGradient(gradient)))].push_back(variable.empty() ? "a gradient"
                                                                                      : variable);
    };
    step.walk([&](OptimizerOpInterface optimizer) {
      train::VariableAttr variable = findUpdatedVariable(optimizer);
      add(optimizer.getGradientMutable().get(), variable ? variable.getName() : StringRef());
    });
    for (const NamedGradient &gradient : findNamedGradients(step))
      add(gradient.value, gradient.variable);
    for (const auto &[role, group] : names)
      remark::passed(step.getLoc(), remarkBy(pass, step))
          << counted(group.size(), "gradient") + ", " + role.str()
          << remark::metric("names", llvm::join(group, ", "));
  }

  void tellChanges() {
    llvm::SetVector<StringRef> coupled, completed;
    std::vector<std::string> nodes;
    nodes.reserve(roles.getChanges().size());
    for (const LayoutChange &change : roles.getChanges()) {
      bool completes = change.from.isPartial() && change.to.isReplicate();
      bool moves = movesSamples(change.from, change.to);
      if (moves || completes)
        (moves ? coupled : completed)
            .insert(nodes.emplace_back(nodeAt(change.use->getOwner()->getLoc())));
    }
    if (!coupled.empty())
      remark::analysis(step.getLoc(), remarkBy(pass, step))
          << "nodes that couple samples, which are gathered from all ranks unless each trains on "
             "its own"
          << remark::metric("names", llvm::join(coupled, ", "));
    if (!completed.empty())
      remark::passed(step.getLoc(), remarkBy(pass, step))
          << "nodes before which what all samples make is completed over the ranks"
          << remark::metric("names", llvm::join(completed, ", "));
  }

private:
  /// The nodes that gave it its role.
  remark::detail::LazyTextBuild why(OpOperand &use) {
    SmallVector<std::string> nodes;
    for (Operation *op : roles.getChain(use.get()))
      nodes.push_back(nodeAt(op->getLoc()));
    return remark::metric("why", llvm::join(nodes, ", "));
  }

  func::FuncOp step;
  const SampleRoles &roles;
  StringRef pass;
};
} // namespace

void tutti::distribution::tellRoles(func::FuncOp step, const SampleRoles &roles, StringRef pass) {
  RoleTeller teller(step, roles, pass);
  teller.tellMetrics();
  teller.tellGradients();
  teller.tellStatistics();
  teller.tellChanges();
}
