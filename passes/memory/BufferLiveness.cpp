// The live ranges of the temporary buffers of a function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/memory/BufferLiveness.h"

#include "dialects/collective/Collective.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace tutti::memory {

int64_t bytesOf(MemRefType type) {
  bool isIndex = type.getElementType().isIndex();
  return type.getNumElements() *
         (isIndex ? sizeof(int64_t) : llvm::divideCeil(type.getElementTypeBitWidth(), 8));
}

std::string nodeOf(Operation *op) {
  if (auto named = op->getLoc()->findInstanceOf<NameLoc>())
    return named.getName().str();
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    return (place.getFilename().getValue() + ":" + Twine(place.getLine())).str();
  return "";
}

Value rootOf(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

memref::AllocOp allocationOf(Value value) {
  auto type = cast<MemRefType>(value.getType());
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>()) {
    auto source = dyn_cast<MemRefType>(view.getViewSource().getType());
    if (!source || !source.hasStaticShape() || source.getNumElements() != type.getNumElements() ||
        source.getElementType() != type.getElementType())
      return nullptr;
    value = view.getViewSource();
  }
  auto alloc = value.getDefiningOp<memref::AllocOp>();
  return alloc && type.getLayout().isIdentity() ? alloc : nullptr;
}

Operation *completionOf(Operation *user) {
  auto future = user->getAttrOfType<IntegerAttr>(collective::kFuture);
  if (!future)
    return user;
  for (Operation *op = user->getNextNode(); op; op = op->getNextNode())
    if (auto complete = dyn_cast<collective::CompleteOp>(op))
      if (complete.getFutureAttr() == future)
        return complete;
  return user;
}

SmallVector<Value> aliasesThrough(Operation *user, Block &block) {
  bool isInside = user->hasTrait<OpTrait::IsTerminator>() && user->getBlock() != &block;
  Operation *holder = isInside ? user->getParentOp() : user;
  SmallVector<Value> aliases(holder->getResults());
  for (Region &region : holder->getRegions())
    llvm::append_range(aliases, region.getArguments());
  llvm::erase_if(aliases, [](Value value) { return !isa<BaseMemRefType>(value.getType()); });
  return aliases;
}

static void number(Block &block, int64_t &next, llvm::DenseMap<Operation *, BufferLife> &spans) {
  for (Operation &op : block) {
    int64_t first = next++;
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        number(nested, next, spans);
    spans[&op] = {first, op.getNumRegions() ? next++ : first};
  }
}

BufferLiveness::BufferLiveness(Block &block) : block(block) {
  int64_t next = 0;
  number(block, next, spans);
}

/// The moments of `user` that count for a buffer made in `home`: those of the outermost loop
/// between the two, as its next iteration comes back to the buffer; else its own.
BufferLife BufferLiveness::spanOf(Operation *user, Block *home) const {
  Operation *counted = user;
  for (Operation *op = user; op->getBlock() != home; op = op->getParentOp())
    if (isa<LoopLikeOpInterface>(op->getParentOp()))
      counted = op->getParentOp();
  return spans.lookup(counted);
}

static BufferLife unite(std::optional<BufferLife> a, BufferLife b) {
  if (!a)
    return b;
  return {std::min(a->firstMoment, b.firstMoment), std::max(a->lastMoment, b.lastMoment)};
}

/// Whether `value`, which may alias a buffer made in block `home`, escapes one execution of that
/// block: to the next iteration, or out of the loop.
static bool outlivesIteration(Value value, Block *home) {
  bool isArgument = isa<BlockArgument>(value) && value.getParentBlock() == home;
  return isArgument || !home->getParent()->isAncestor(value.getParentRegion());
}

/// The life of `buffer`, which block `home` makes, and of its aliases, which are added to
/// `aliases`.
std::optional<BufferLife> BufferLiveness::lifeOf(Value buffer, Block *home,
                                                 llvm::SetVector<Value> &aliases) const {
  std::optional<BufferLife> life;
  aliases.insert(buffer);
  for (size_t next = 0; next < aliases.size(); ++next)
    for (Operation *user : aliases[next].getUsers()) {
      aliases.insert_range(aliasesThrough(user, block));
      if (!isa<ViewLikeOpInterface>(user))
        life = unite(unite(life, spanOf(user, home)), spanOf(completionOf(user), home));
    }
  return life;
}

FailureOr<BufferLife> BufferLiveness::of(memref::AllocOp buffer) const {
  Block *home = buffer->getBlock();
  llvm::SetVector<Value> aliases;
  std::optional<BufferLife> life = lifeOf(buffer, home, aliases);
  if (llvm::any_of(aliases, [&](Value alias) { return outlivesIteration(alias, home); }))
    return buffer.emitOpError("cannot be planned: an iteration hands it to the next, which would "
                              "need another place for its own");
  return life.value_or(spans.lookup(buffer));
}

std::optional<BufferLife> BufferLiveness::of(BlockArgument buffer) const {
  llvm::SetVector<Value> aliases;
  return lifeOf(buffer, &block, aliases);
}

} // namespace tutti::memory
