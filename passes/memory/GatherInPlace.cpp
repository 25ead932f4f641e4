// All-gathers write directly into the variable that their result is copied to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/memory/InPlace.h"

#include "dialects/collective/Collective.h"
#include "lib/analysis/CollectiveMotion.h"
#include "passes/memory/BufferLiveness.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

using tutti::memory::rootOf;
using Gather = tutti::collective::AllGatherOp;

/// Whether `type` is dense, from its first element on.
static bool isDense(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.hasStaticShape() && memref.getLayout().isIdentity();
}

/// All that touches `buffer` directly or through views of it.
static SmallVector<Operation *> usersOf(Value buffer) {
  SmallVector<Operation *> users;
  SmallVector<Value> views = {buffer};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (isa<ViewLikeOpInterface>(user))
        llvm::append_range(views, user->getResults());
      else
        users.push_back(user);
    }
  return users;
}

/// The copy of the whole `row` to an argument of the function, if it is the only use of what
/// `gather` writes there.
static memref::CopyOp findCopy(memref::AllocOp row, Gather gather) {
  memref::CopyOp found;
  for (Operation *user : usersOf(row)) {
    if (user == gather || isa<tutti::collective::CompleteOp>(user))
      continue;
    auto copy = dyn_cast<memref::CopyOp>(user);
    if (found || !copy || copy->getBlock() != gather->getBlock())
      return nullptr;
    found = copy;
  }
  if (!found || !isa<BlockArgument>(found.getTarget()) || found.getTarget() == row ||
      !isDense(found.getSource().getType()) || !isDense(found.getTarget().getType()))
    return nullptr;
  auto type = cast<MemRefType>(found.getTarget().getType());
  return type.getNumElements() == row.getType().getNumElements() &&
                 type.getElementType() == row.getType().getElementType()
             ? found
             : memref::CopyOp();
}

/// Whether `gather` takes of `variable` only what it leaves where it lies: as input `number`, the
/// part of this rank of the whole, read as a row.
static bool takesOwnPart(Gather gather, unsigned number, Value variable) {
  for (auto [i, input] : llvm::enumerate(gather.getInputs()))
    if (rootOf(input) == variable && i != number)
      return false;
  auto part = gather.getInputs()[number].getDefiningOp<memref::SubViewOp>();
  if (!part || part.getType().getRank() != 1 || !part.getType().hasStaticShape() ||
      part.getMixedOffsets().size() != 1 || part.getStaticStrides() != ArrayRef<int64_t>(1))
    return false;
  auto row = dyn_cast<MemRefType>(part.getSource().getType());
  return isDense(row) &&
         row.getNumElements() == cast<MemRefType>(variable.getType()).getNumElements() &&
         tutti::isOffsetOfOwnPart(part.getMixedOffsets().front(), part.getType().getNumElements(),
                                  gather);
}

/// Whether anything accesses `variable` between the start of `gather` and `copy`, but for the part
/// of this rank, which `gather` takes as input `number`.
static bool isTouched(Value variable, Gather gather, unsigned number, memref::CopyOp copy) {
  return llvm::any_of(usersOf(variable), [&](Operation *user) {
    Operation *inBlock = gather->getBlock()->findAncestorOpInBlock(*user);
    if (user == gather)
      return !takesOwnPart(gather, number, variable);
    return !inBlock || (inBlock != copy && !inBlock->isBeforeInBlock(gather) &&
                        (inBlock == gather || inBlock->isBeforeInBlock(copy)));
  });
}

/// Lets `row` be the variable that it is copied to.
static void replaceRow(memref::AllocOp row, memref::CopyOp copy) {
  OpBuilder builder(row);
  MemRefType type = row.getType();
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)type.getStridesAndOffset(strides, offset);
  Value target = copy.getTarget();
  copy.erase();
  auto view = memref::ReinterpretCastOp::create(builder, row.getLoc(), type, target, offset,
                                                type.getShape(), strides);
  row.replaceAllUsesWith(view.getResult());
  row.erase();
}

/// Whether destination `number` of `gather` is a variable now.
static bool place(Gather gather, unsigned number) {
  auto row = gather.getDestinations()[number].getDefiningOp<memref::AllocOp>();
  memref::CopyOp copy =
      row && row->getBlock() == gather->getBlock() ? findCopy(row, gather) : memref::CopyOp();
  if (!copy || isTouched(copy.getTarget(), gather, number, copy))
    return false;
  replaceRow(row, copy);
  return true;
}

unsigned tutti::memory::gatherInPlace(func::FuncOp function) {
  SmallVector<Gather> gathers;
  function.walk([&](Gather gather) { gathers.push_back(gather); });
  unsigned placed = 0;
  for (Gather gather : gathers)
    for (unsigned number = 0; number < gather.getDestinations().size(); ++number)
      placed += place(gather, number);
  return placed;
}
