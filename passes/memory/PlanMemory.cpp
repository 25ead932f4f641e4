// The pass lower-plan-memory: all temporary buffers of a function in one arena.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/memory/ArenaLayout.h"
#include "passes/memory/BucketLayout.h"
#include "passes/memory/BufferLiveness.h"
#include "passes/memory/InPlace.h"
#include "passes/memory/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tutti::memory {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "passes/memory/Passes.h.inc"
} // namespace tutti::memory

using namespace tutti::memory;

/// Takes `alloc` out of branches: a buffer has its place whether the branch is taken or not. Not
/// out of loops: what only one iteration needs may share its place with others of the iteration.
static void hoistFromBranches(memref::AllocOp alloc) {
  Operation *place = alloc;
  while (isa_and_nonnull<scf::IfOp>(place->getParentOp()))
    place = place->getParentOp();
  if (place != alloc && alloc->getNumOperands() == 0)
    alloc->moveBefore(place);
}

static LogicalResult checkAllocation(memref::AllocOp alloc, Block &top) {
  for (Operation *op = alloc; op->getBlock() != &top; op = op->getParentOp())
    if (!isa<scf::ForOp, scf::WhileOp>(op->getParentOp()))
      return alloc.emitOpError("cannot be planned: it stands inside '")
             << op->getParentOp()->getName()
             << "', which may need several of its kind at the same time";
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

/// How many buffers `kernel.arena_layout` tells of, the largest.
constexpr size_t kMostRecorded = 400;

/// The node that a buffer is of, else the op that first fills it.
static std::string nameOf(memref::AllocOp alloc) {
  if (auto named = alloc.getLoc()->findInstanceOf<NameLoc>())
    return named.getName().str();
  if (auto place = alloc.getLoc()->findInstanceOf<FileLineColLoc>())
    return (place.getFilename().getValue() + ":" + Twine(place.getLine())).str();
  return "";
}

/// See `record-layout`.
static Attribute describeLayout(ArrayRef<memref::AllocOp> allocs, ArrayRef<ArenaBuffer> layout) {
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, layout.size()));
  llvm::stable_sort(order,
                    [&](unsigned a, unsigned b) { return layout[a].bytes > layout[b].bytes; });
  order.truncate(std::min(order.size(), kMostRecorded));
  SmallVector<Attribute> buffers;
  for (unsigned index : order) {
    const ArenaBuffer &place = layout[index];
    Builder builder(allocs[index]->getContext());
    buffers.push_back(
        builder.getArrayAttr({builder.getStringAttr(nameOf(allocs[index])),
                              builder.getDenseI64ArrayAttr({place.bytes, place.firstMoment,
                                                            place.lastMoment, place.offset})}));
  }
  return ArrayAttr::get(allocs.front()->getContext(), buffers);
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
struct PlanMemoryPass : tutti::memory::impl::PlanMemoryPassBase<PlanMemoryPass> {
  using PlanMemoryPassBase::PlanMemoryPassBase;

  void runOnOperation() override {
    if (!getOperation().isExternal() && failed(plan(getOperation())))
      signalPassFailure();
  }

  LogicalResult plan(func::FuncOp function) {
    Block &top = function.getBody().front();
    SmallVector<memref::AllocOp> allocs;
    (void)gatherInPlace(function);
    FailureOr<unsigned> copied = lowerFlattens(function);
    if (failed(copied))
      return failure();
    copiedRows += *copied;
    function.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
    for (memref::AllocOp alloc : allocs) {
      hoistFromBranches(alloc);
      if (failed(checkAllocation(alloc, top)))
        return failure();
    }
    FailureOr<Value> arena = arenaOf(function);
    if (failed(arena))
      return failure();
    FailureOr<SmallVector<ArenaBuffer>> layout = findLives(allocs, top);
    if (failed(layout))
      return failure();
    SmallVector<ArenaRow> rows = layOutBuckets(function, allocs);
    buckets += rows.size();
    int64_t total = layOutArena(*layout, rows);
    if (recordsLayout && !allocs.empty())
      function->setAttr("kernel.arena_layout", describeLayout(allocs, *layout));
    placeAll(allocs, *layout, *arena);
    reserved += total;
    // A static size: LLVM's plain pointers as arguments have no room for a dynamic one.
    arena->setType(MemRefType::get({total}, IntegerType::get(&getContext(), 8)));
    function.setType(FunctionType::get(&getContext(), top.getArgumentTypes(), {}));
    function->setAttr("kernel.arena_bytes", OpBuilder(function).getI64IntegerAttr(total));
    return success();
  }

  FailureOr<SmallVector<ArenaBuffer>> findLives(ArrayRef<memref::AllocOp> allocs, Block &top) {
    BufferLiveness lives(top);
    SmallVector<ArenaBuffer> buffers;
    for (memref::AllocOp alloc : allocs) {
      FailureOr<BufferLife> life = lives.of(alloc);
      if (failed(life))
        return failure();
      buffers.push_back({bytesOf(alloc.getType()), life->firstMoment, life->lastMoment, 0});
      requested += buffers.back().bytes;
    }
    return buffers;
  }

  void placeAll(ArrayRef<memref::AllocOp> allocs, ArrayRef<ArenaBuffer> layout, Value arena) {
    buffers += allocs.size();
    for (auto [alloc, place] : llvm::zip(allocs, layout))
      placeInArena(alloc, arena, place.offset);
  }
};
} // namespace
