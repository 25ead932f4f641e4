// distribute-broadcast-variables: every rank starts from the variables of one rank.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/Remarks.h"
#include "lib/diagnostics/Refusal.h"
#include "lib/program/Exchange.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/RankMean.h"
#include "llvm/ADT/MapVector.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_BROADCASTVARIABLESPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

namespace {
struct BroadcastVariables : distribution::impl::BroadcastVariablesPassBase<BroadcastVariables> {
  using BroadcastVariablesPassBase::BroadcastVariablesPassBase;

  void runOnOperation() override {
    FailureOr<Program> program = Program::find(getOperation());
    if (failed(program))
      return signalPassFailure();
    if (root < 0) {
      mlir::emitError(program->initialize.getLoc())
          << "cannot broadcast from rank " << root.getValue() << ": root must be 0 or more";
      return signalPassFailure();
    }
    broadcast(*program);
  }

private:
  /// Why a variable is left alone, as the end of a sentence about it.
  Refusal whySkipped(VariableResult variable) {
    if (isKind(variable.value->get().getDefiningOp(), {CommunicationKind::Broadcast}))
      return "is broadcast already";
    if (!variable.role.isReplicated())
      return "is not replicated: each rank starts from what is its own";
    if (trainableOnly && variable.role.getVariableClass() != train::VariableClass::Trainable)
      return "is not trainable, and trainable-only is set";
    return {};
  }

  void broadcast(Program program) {
    // One value may be returned as several variables, such as a shared zero.
    llvm::MapVector<Value, SmallVector<OpOperand *>> uses;
    for (VariableResult variable : getVariableResults(program.initialize)) {
      Refusal refusal = whySkipped(variable);
      if (!refusal) {
        uses[variable.value->get()].push_back(variable.value);
        ++broadcastVariables;
        continue;
      }
      ++skippedVariables;
      remark::missed(variable.value->get().getLoc(), remarkBy(getArgument(), program.initialize))
          << ("variable \"" + variable.role.getName() + "\" " + refusal.reason()).str();
    }
    auto values = llvm::map_to_vector(uses, [](auto &use) { return use.first; });
    OpBuilder builder(program.initialize.getBody().front().getTerminator());
    for (ArrayRef<unsigned> bucket : groupByElementType(values)) {
      auto inputs = llvm::map_to_vector(bucket, [&](unsigned i) { return values[i]; });
      CommunicationForm form = {CommunicationKind::Broadcast, getOrCreateWorld(program.module)};
      form.root = root;
      SmallVector<Value> outputs =
          createBucket(builder, program.initialize.getLoc(), program.module, form, inputs);
      for (auto [index, output] : llvm::zip(bucket, outputs))
        for (OpOperand *use : uses[values[index]])
          use->set(output);
    }
  }
};
} // namespace
