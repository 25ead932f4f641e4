// Numbers draws in the order of their function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/DrawNumbers.h"

#include "dialects/interfaces/Draws.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

void tutti::program::numberDraws(func::FuncOp function) {
  Builder builder(function.getContext());
  // Functions draw from ranges of their own.
  int64_t next = function.getName() == "initialize" ? 0 : int64_t(1) << 20;
  SmallVector<Operation *> unnumbered;
  function.walk([&](Operation *op) {
    if (auto number = op->getAttrOfType<IntegerAttr>(kDrawNumber))
      next = std::max(next, number.getInt() + 1);
    else if (op->hasTrait<Draws>())
      unnumbered.push_back(op);
  });
  for (Operation *op : unnumbered)
    op->setAttr(kDrawNumber, builder.getI64IntegerAttr(next++));
}
