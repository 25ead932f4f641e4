// When the temporary buffers of a function hold something.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/lowering/BufferLives.h"

#include "dialects/collective/Collective.h"

#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tutti::lowering {

int64_t bytesOf(MemRefType type) {
  bool isIndex = type.getElementType().isIndex();
  return type.getNumElements() *
         (isIndex ? sizeof(int64_t) : llvm::divideCeil(type.getElementTypeBitWidth(), 8));
}

/// The op that ends what `user` does to its buffers: itself, or the completion of the communication
/// that it starts.
static Operation *endOf(Operation *user) {
  auto future = user->getAttrOfType<IntegerAttr>(collective::kFuture);
  if (!future)
    return user;
  for (Operation *op = user->getNextNode(); op; op = op->getNextNode())
    if (auto complete = dyn_cast<collective::CompleteOp>(op))
      if (complete.getFutureAttr() == future)
        return complete;
  return user;
}

/// Values that may show the buffer that `user` uses: views, selections, and what a region hands on.
static SmallVector<Value> aliasesThrough(Operation *user, Block &block) {
  SmallVector<Value> aliases(user->getResults());
  if (user->hasTrait<OpTrait::IsTerminator>() && user->getBlock() != &block) {
    llvm::append_range(aliases, user->getParentOp()->getResults());
    for (Region &region : user->getParentOp()->getRegions())
      llvm::append_range(aliases, region.getArguments());
  }
  llvm::erase_if(aliases, [](Value value) { return !isa<BaseMemRefType>(value.getType()); });
  return aliases;
}

BufferLives::BufferLives(Block &block) : block(block) {
  for (auto [moment, op] : llvm::enumerate(block))
    moments[&op] = moment;
}

int64_t BufferLives::momentOf(Operation *op) const {
  return moments.lookup(block.findAncestorOpInBlock(*op));
}

BufferLife BufferLives::of(memref::AllocOp buffer) const {
  std::optional<BufferLife> life;
  llvm::SetVector<Value> aliases;
  aliases.insert(buffer);
  for (size_t next = 0; next < aliases.size(); ++next)
    for (Operation *user : aliases[next].getUsers()) {
      aliases.insert_range(aliasesThrough(user, block));
      if (isa<ViewLikeOpInterface>(user))
        continue;
      int64_t start = momentOf(user), end = momentOf(endOf(user));
      life = life ? BufferLife{std::min(life->firstMoment, start), std::max(life->lastMoment, end)}
                  : BufferLife{start, end};
    }
  return life.value_or(BufferLife{momentOf(buffer), momentOf(buffer)});
}

} // namespace tutti::lowering
