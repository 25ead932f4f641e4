// The pass lower-plan-memory: all temporary buffers of a function in one arena.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/analysis/Remarks.h"
#include "passes/memory/ArenaLayout.h"
#include "passes/memory/BucketLayout.h"
#include "passes/memory/BufferLiveness.h"
#include "passes/memory/InPlace.h"
#include "passes/memory/Passes.h"
#include "passes/memory/Rematerialize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tutti;

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
        builder.getArrayAttr({builder.getStringAttr(nodeOf(allocs[index])),
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

  /// The buffers of a function, and their places.
  struct Plan {
    SmallVector<memref::AllocOp> allocs;
    SmallVector<ArenaBuffer> layout;
    size_t rows = 0;
    int64_t total = 0; ///< bytes of the arena
  };

  LogicalResult plan(func::FuncOp function) {
    FailureOr<Value> arena = arenaOf(function);
    if (failed(arena) || failed(prepare(function)))
      return failure();
    FailureOr<Plan> plan = layOut(function);
    if (failed(plan) || (budget > 0 && plan->total > budget && failed(shrink(function, *plan))))
      return failure();
    if (recordsLayout && !plan->allocs.empty())
      function->setAttr("kernel.arena_layout", describeLayout(plan->allocs, plan->layout));
    remarkOn(function, *plan);
    placeAll(*plan, *arena);
    setArena(function, *arena, plan->total);
    return success();
  }

  /// What the arena takes beyond what lives is what the places waste.
  void remarkOn(func::FuncOp function, const Plan &plan) {
    int64_t live = findLiveBytes(plan.layout);
    if (live > 0)
      remark::analysis(function.getLoc(), remarkBy(getArgument(), function))
          << llvm::formatv(
                 "{0}: the arena has {1} bytes for {2}: {3} of them live at the worst moment",
                 function.getName(), plan.total, counted(plan.allocs.size(), "buffer"), live)
                 .str();
  }

  /// Leaves buffers that are made where they are wanted, and outside branches.
  LogicalResult prepare(func::FuncOp function) {
    (void)gatherInPlace(function);
    FailureOr<unsigned> copied = lowerFlattens(function);
    if (failed(copied))
      return failure();
    copiedRows += *copied;
    SmallVector<memref::AllocOp> allocs;
    function.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
    for (memref::AllocOp alloc : allocs) {
      hoistFromBranches(alloc);
      if (failed(checkAllocation(alloc, function.getBody().front())))
        return failure();
    }
    return success();
  }

  FailureOr<Plan> layOut(func::FuncOp function) {
    Plan plan;
    BufferLiveness lives(function.getBody().front());
    function.walk([&](memref::AllocOp alloc) { plan.allocs.push_back(alloc); });
    for (memref::AllocOp alloc : plan.allocs) {
      FailureOr<BufferLife> life = lives.of(alloc);
      if (failed(life))
        return failure();
      plan.layout.push_back({bytesOf(alloc.getType()), life->firstMoment, life->lastMoment, 0});
    }
    SmallVector<ArenaRow> rows = layOutBuckets(function, plan.allocs);
    plan.rows = rows.size();
    plan.total = layOutArena(plan.layout, rows);
    return plan;
  }

  /// Computes values again until `plan` fits into the budget, or nothing more helps. What a layout
  /// wastes is known only when it is made: each round aims lower by what the one before was over,
  /// and by more from round to round.
  LogicalResult shrink(func::FuncOp function, Plan &plan) {
    int64_t limit = budget, operations = 0, factor = 1;
    for (bool fits = true; fits && plan.total > budget && limit > 0; factor *= 2) {
      FailureOr<Rematerialization> done = rematerialize(function, limit);
      if (failed(done))
        return failure();
      FailureOr<Plan> next = layOut(function);
      if (failed(next))
        return failure();
      plan = std::move(*next);
      operations += done->operations;
      fits = done->fits;
      limit -= factor * std::max(plan.total - budget, kArenaAlignment);
    }
    repeated += operations;
    function->setAttr("kernel.repeated", OpBuilder(function).getI64IntegerAttr(operations));
    if (plan.total <= budget)
      return success();
    function->setAttr("kernel.least_arena_bytes",
                      OpBuilder(function).getI64IntegerAttr(plan.total));
    return function.emitError("needs ")
           << plan.total << " bytes for temporary buffers, and " << int64_t(budget)
           << " are given: computing values again saves no more. " << describePeak(function);
  }

  void setArena(func::FuncOp function, Value arena, int64_t total) {
    reserved += total;
    // A static size: LLVM's plain pointers as arguments have no room for a dynamic one.
    arena.setType(MemRefType::get({total}, IntegerType::get(&getContext(), 8)));
    function.setType(
        FunctionType::get(&getContext(), function.getBody().front().getArgumentTypes(), {}));
    function->setAttr("kernel.arena_bytes", OpBuilder(function).getI64IntegerAttr(total));
  }

  void placeAll(const Plan &plan, Value arena) {
    buffers += plan.allocs.size();
    buckets += plan.rows;
    live += findLiveBytes(plan.layout);
    for (auto [alloc, place] : llvm::zip(plan.allocs, plan.layout)) {
      requested += place.bytes;
      placeInArena(alloc, arena, place.offset);
    }
  }
};
} // namespace
