// Finding gradients through OptimizerOpInterface and train.mark_gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/program/gradients/Gradients.h"

#include "dialects/train/Train.h"
#include "lib/program/BatchWork.h"
#include "lib/program/GradientChain.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;

/// Whether all uses stand in one block.
static bool isInOneBlock(const Gradient &gradient) {
  return llvm::all_of(gradient.uses, [&](OpOperand *use) {
    return use->getOwner()->getBlock() == gradient.uses.front()->getOwner()->getBlock();
  });
}

void Gradient::setInsertionPoint(OpBuilder &builder) const {
  if (isInOneBlock(*this))
    return builder.setInsertionPoint(uses.front()->getOwner());
  builder.setInsertionPointAfterValue(value);
}

void Gradients::add(OpOperand &use) {
  auto [known, isNew] = positions.try_emplace(use.get(), size());
  if (isNew)
    push_back({use.get(), {}});
  (*this)[known->second].uses.push_back(&use);
}

Gradients Gradients::findMarked(func::FuncOp step) {
  Gradients gradients;
  step.walk([&](train::MarkGradientOp op) { gradients.add(op.getGradientMutable()); });
  return gradients;
}

Gradients Gradients::takeFirst(Block &block) {
  SmallVector<Value> after;
  for (const Gradient &gradient : *this)
    for (OpOperand *use : gradient.uses)
      llvm::append_range(after, use->getOwner()->getResults());
  llvm::DenseSet<Value> dependents = findDependents(block, after);
  Gradients first, rest;
  for (const Gradient &gradient : *this)
    for (OpOperand *use : gradient.uses)
      (dependents.contains(gradient.value) ? rest : first).add(*use);
  if (first.empty()) // of loops, whose results come from what they hold
    std::swap(first, rest);
  *this = std::move(rest);
  return first;
}

Gradients Gradients::findOptimized(func::FuncOp step) {
  llvm::DenseSet<Value> raw;
  step.walk(
      [&](OptimizerOpInterface op) { raw.insert(getRawGradient(op.getGradientMutable().get())); });
  Gradients gradients;
  step.walk([&](Operation *op) {
    forEachGradient(op, [&](OpOperand &use) {
      if (raw.contains(use.get()))
        gradients.add(use);
    });
  });
  return gradients;
}

Operation *Gradients::getCommonPoint() const {
  if (empty())
    return nullptr;
  Operation *first = front().uses.front()->getOwner();
  for (const Gradient &gradient : *this) {
    if (!isInOneBlock(gradient) ||
        gradient.uses.front()->getOwner()->getBlock() != first->getBlock())
      return nullptr;
    Operation *definition = gradient.value.getDefiningOp();
    if (definition && definition->getBlock() == first->getBlock() &&
        !definition->isBeforeInBlock(first))
      return nullptr;
  }
  return first;
}
