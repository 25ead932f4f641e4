// The pass lower-offload-states: when the uses of optimizer states are over, for those who keep
// them in a file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/codegen/Passes.h"
#include "passes/codegen/RuntimeCalls.h"
#include "passes/memory/BufferLiveness.h"
#include "tutti/states.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tutti::codegen;
using tutti::memory::BufferLife;
using tutti::memory::BufferLiveness;

namespace tutti::codegen {
#define GEN_PASS_DEF_OFFLOADSTATESPASS
#include "passes/codegen/Passes.h.inc"
} // namespace tutti::codegen

constexpr size_t kUsesAtOnce = TUTTI_STATE_USES_AT_ONCE;
/// The runtime gives each state pages of its own.
constexpr int64_t kPage = 4096;

namespace {
/// A stretch of the step, and the states that it alone touches.
struct Use {
  SmallVector<unsigned> states; ///< numbers of arguments
  BufferLife life;
  int64_t bytes = 0;

  void take(const Use &other) {
    llvm::append_range(states, other.states);
    life.lastMoment = std::max(life.lastMoment, other.life.lastMoment);
    bytes += other.bytes;
  }
};
} // namespace

static int64_t bytesInFile(BlockArgument state) {
  return llvm::alignTo(tutti::memory::bytesOf(cast<MemRefType>(state.getType())), kPage);
}

/// One a state that is not small, in the order of the step.
static SmallVector<Use> usesOfEach(func::FuncOp step, int64_t smallest) {
  BufferLiveness lives(step.getBody().front());
  SmallVector<Use> uses;
  for (BlockArgument argument : step.getArguments()) {
    if (!step.getArgAttr(argument.getArgNumber(), "kernel.state") ||
        tutti::memory::bytesOf(cast<MemRefType>(argument.getType())) < smallest)
      continue;
    if (std::optional<BufferLife> life = lives.of(argument))
      uses.push_back({{argument.getArgNumber()}, *life, bytesInFile(argument)});
  }
  llvm::stable_sort(
      uses, [](const Use &a, const Use &b) { return a.life.firstMoment < b.life.firstMoment; });
  return uses;
}

/// Without the states for which there is room in memory, the largest first. Each use is that of
/// one state.
static SmallVector<Use> withoutKept(SmallVector<Use> uses, int64_t room) {
  SmallVector<size_t> largestFirst = llvm::to_vector(llvm::seq(uses.size()));
  llvm::stable_sort(largestFirst,
                    [&](size_t a, size_t b) { return uses[a].bytes > uses[b].bytes; });
  for (size_t number : largestFirst)
    if (uses[number].bytes <= room) {
      room -= uses[number].bytes;
      uses[number].states.clear();
    }
  llvm::erase_if(uses, [](const Use &use) { return use.states.empty(); });
  return uses;
}

/// Makes one use of neighbours for which `areOne` holds.
static SmallVector<Use> join(ArrayRef<Use> uses,
                             function_ref<bool(const Use &, const Use &)> areOne) {
  SmallVector<Use> joined;
  for (const Use &use : uses) {
    if (!joined.empty() && areOne(joined.back(), use))
      joined.back().take(use);
    else
      joined.push_back(use);
  }
  return joined;
}

/// The uses of all states, from those of `each`.
static SmallVector<Use> joinNeighbours(ArrayRef<Use> each) {
  SmallVector<Use> uses = join(
      each, [](const Use &a, const Use &b) { return b.life.firstMoment <= a.life.lastMoment; });
  int64_t largest = 0;
  for (const Use &use : uses)
    largest = std::max(largest, use.bytes);
  return join(uses, [&](const Use &a, const Use &b) { return a.bytes + b.bytes <= largest; });
}

/// The most bytes of neighbouring uses that are in memory at one time.
static int64_t windowOf(ArrayRef<Use> uses) {
  int64_t window = 0;
  for (size_t first = 0; first < uses.size(); ++first) {
    int64_t bytes = 0;
    for (size_t next = 0; next < std::min(kUsesAtOnce, uses.size()); ++next)
      bytes += uses[(first + next) % uses.size()].bytes;
    window = std::max(window, bytes);
  }
  return window;
}

/// Without as many of the largest states as make what is in memory the least: the largest use
/// decides how large its neighbours may become. A few sizes are tried, so the time is linear.
static SmallVector<Use> withoutLargest(SmallVector<Use> each) {
  constexpr int most = 8;
  SmallVector<Use> best = each;
  int64_t least = windowOf(joinNeighbours(each)), kept = 0;
  for (int tried = 0; tried < most && !each.empty(); ++tried) {
    auto byBytes = [](const Use &a, const Use &b) { return a.bytes < b.bytes; };
    int64_t largest = llvm::max_element(each, byBytes)->bytes;
    kept += largest * llvm::count_if(each, [&](const Use &use) { return use.bytes == largest; });
    llvm::erase_if(each, [&](const Use &use) { return use.bytes == largest; });
    if (int64_t bytes = kept + windowOf(joinNeighbours(each)); bytes < least) {
      best = each;
      least = bytes;
    }
  }
  return best;
}

/// Calls the runtime after the last operation of `function` that touches states of each use.
static LogicalResult insertReleases(func::FuncOp function, ArrayRef<Use> uses,
                                    const RuntimeCalls &calls) {
  BufferLiveness lives(function.getBody().front());
  llvm::DenseMap<int64_t, Operation *> opOfMoment;
  function.walk([&](Operation *op) { opOfMoment[lives.of(op).lastMoment] = op; });
  for (auto [number, use] : llvm::enumerate(uses)) {
    int64_t last = -1;
    for (unsigned state : use.states)
      if (std::optional<BufferLife> life = lives.of(function.getArgument(state)))
        last = std::max(last, life->lastMoment);
    Operation *op = opOfMoment.lookup(last);
    if (last < 0 || !op)
      continue;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Value index =
        LLVM::ConstantOp::create(builder, op->getLoc(), builder.getI64IntegerAttr(int64_t(number)));
    if (failed(calls.call(builder, op->getLoc(), "tutti_release_states", index)))
      return failure();
  }
  return success();
}

namespace {
struct OffloadStatesPass : tutti::codegen::impl::OffloadStatesPassBase<OffloadStatesPass> {
  using OffloadStatesPassBase::OffloadStatesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto step = module.lookupSymbol<func::FuncOp>("step");
    if (!step || step.isExternal())
      return;
    SmallVector<Use> found =
        joinNeighbours(withoutLargest(withoutKept(usesOfEach(step, smallest), keptBytes)));
    uses += found.size();
    RuntimeCalls calls(module, {});
    for (StringRef name : {"initialize", "step"})
      if (auto function = module.lookupSymbol<func::FuncOp>(name))
        if (failed(insertReleases(function, found, calls)))
          return signalPassFailure();
    record(step, found);
    for (auto function : module.getOps<func::FuncOp>())
      for (unsigned argument = 0; argument < function.getNumArguments(); ++argument)
        function.removeArgAttr(argument, "kernel.state");
  }

  void record(func::FuncOp step, ArrayRef<Use> found) {
    SmallVector<int64_t> useOf(step.getNumArguments(), -1);
    for (auto [number, use] : llvm::enumerate(found))
      for (unsigned state : use.states)
        useOf[state] = int64_t(number), ++states;
    auto variables = step->getAttrOfType<IntegerAttr>("kernel.variables");
    useOf.truncate(variables ? size_t(variables.getInt()) : useOf.size());
    Builder builder(&getContext());
    step->setAttr("kernel.state_uses", builder.getDenseI64ArrayAttr(useOf));
    step->setAttr("kernel.state_window", builder.getI64IntegerAttr(windowOf(found)));
  }
};
} // namespace
