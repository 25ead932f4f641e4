// The pass lower-plan-memory: all temporary buffers of a function in one arena.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/lowering/ArenaLayout.h"
#include "passes/lowering/Passes.h"

#include "dialects/collective/Collective.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tutti::lowering {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "passes/lowering/Passes.h.inc"
} // namespace tutti::lowering

using namespace tutti::lowering;

/// Bytes of a buffer of `type`; i1 takes a byte, an index eight.
static int64_t bytesOf(MemRefType type) {
  bool isIndex = type.getElementType().isIndex();
  return type.getNumElements() *
         (isIndex ? sizeof(int64_t) : llvm::divideCeil(type.getElementTypeBitWidth(), 8));
}

/// The op that ends what `user` does to its buffers: itself, or the completion of the communication
/// that it starts.
static Operation *endOf(Operation *user) {
  auto future = user->getAttrOfType<IntegerAttr>(tutti::collective::kFuture);
  if (!future)
    return user;
  for (Operation *op = user->getNextNode(); op; op = op->getNextNode())
    if (auto complete = dyn_cast<tutti::collective::CompleteOp>(op))
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

/// The first and last op of `block` that touch `buffer` directly or through what may show it. A
/// buffer that nothing touches lives where it is allocated.
static std::pair<Operation *, Operation *> lifeOf(memref::AllocOp buffer, Block &block) {
  Operation *first = nullptr, *last = nullptr;
  llvm::SetVector<Value> aliases;
  aliases.insert(buffer);
  for (size_t next = 0; next < aliases.size(); ++next)
    for (Operation *user : aliases[next].getUsers()) {
      aliases.insert_range(aliasesThrough(user, block));
      if (isa<ViewLikeOpInterface>(user))
        continue;
      Operation *inBlock = block.findAncestorOpInBlock(*user);
      if (!first || inBlock->isBeforeInBlock(first))
        first = inBlock;
      Operation *end = block.findAncestorOpInBlock(*endOf(user));
      if (!last || last->isBeforeInBlock(end))
        last = end;
    }
  return first ? std::make_pair(first, last)
               : std::make_pair(buffer.getOperation(), buffer.getOperation());
}

/// Takes `alloc` out of branches: a buffer has its place whether the branch is taken or not. Not
/// out of loops, where each iteration may need another one.
static void hoistFromBranches(memref::AllocOp alloc, Block &top) {
  Operation *place = alloc;
  while (place->getBlock() != &top && isa_and_nonnull<scf::IfOp>(place->getParentOp()))
    place = place->getParentOp();
  if (place->getBlock() == &top && alloc->getNumOperands() == 0)
    alloc->moveBefore(place);
}

static LogicalResult checkAllocation(memref::AllocOp alloc, Block &top) {
  if (alloc->getBlock() != &top)
    return alloc.emitOpError("cannot be planned: it stands inside another op");
  if (!alloc.getType().hasStaticShape() || !alloc.getType().getLayout().isIdentity())
    return alloc.emitOpError("cannot be planned: ") << alloc.getType() << " has no static size";
  return success();
}

/// The argument that lower-bind-variables made for the arena: the last but one.
static FailureOr<Value> arenaOf(func::FuncOp function) {
  unsigned count = function.getNumArguments();
  Type bytes = MemRefType::get({ShapedType::kDynamic}, IntegerType::get(function.getContext(), 8));
  if (count >= 2 && function.getArgumentTypes()[count - 2] == bytes)
    return Value(function.getArgument(count - 2));
  function.emitError("has no arena argument (run lower-bind-variables first)");
  return failure();
}

static void placeInArena(memref::AllocOp alloc, Value arena, int64_t offset) {
  OpBuilder builder(alloc);
  Value position = arith::ConstantIndexOp::create(builder, alloc.getLoc(), offset);
  Value view = memref::ViewOp::create(builder, alloc.getLoc(), alloc.getType(), arena, position,
                                      ValueRange());
  alloc.replaceAllUsesWith(view);
  alloc.erase();
}

namespace {
struct PlanMemoryPass : tutti::lowering::impl::PlanMemoryPassBase<PlanMemoryPass> {
  void runOnOperation() override {
    if (!getOperation().isExternal() && failed(plan(getOperation())))
      signalPassFailure();
  }

  LogicalResult plan(func::FuncOp function) {
    Block &top = function.getBody().front();
    SmallVector<memref::AllocOp> allocs;
    function.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
    for (memref::AllocOp alloc : allocs) {
      hoistFromBranches(alloc, top);
      if (failed(checkAllocation(alloc, top)))
        return failure();
    }
    FailureOr<Value> arena = arenaOf(function);
    if (failed(arena))
      return failure();
    int64_t total = placeAll(allocs, *arena, top);
    // A static size: LLVM's plain pointers as arguments have no room for a dynamic one.
    arena->setType(MemRefType::get({total}, IntegerType::get(&getContext(), 8)));
    function.setType(FunctionType::get(&getContext(), top.getArgumentTypes(), {}));
    function->setAttr("kernel.arena_bytes", OpBuilder(function).getI64IntegerAttr(total));
    return success();
  }

  int64_t placeAll(ArrayRef<memref::AllocOp> allocs, Value arena, Block &top) {
    llvm::DenseMap<Operation *, int64_t> moments;
    for (auto [moment, op] : llvm::enumerate(top))
      moments[&op] = moment;
    SmallVector<ArenaBuffer> layout;
    for (memref::AllocOp alloc : allocs) {
      auto [first, last] = lifeOf(alloc, top);
      layout.push_back({bytesOf(alloc.getType()), moments[first], moments[last], 0});
      requested += layout.back().bytes;
    }
    int64_t total = layOutArena(layout);
    buffers += allocs.size();
    reserved += total;
    for (auto [alloc, place] : llvm::zip(allocs, layout))
      placeInArena(alloc, arena, place.offset);
    return total;
  }
};
} // namespace
