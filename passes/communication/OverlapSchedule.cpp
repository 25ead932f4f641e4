// Chains of collectives, and the order in which they and the computation around them stand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/communication/OverlapSchedule.h"

#include "dialects/collective/Effects.h"
#include "dialects/interfaces/Communication.h"
#include "lib/analysis/CollectiveMotion.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;
using namespace tutti::communication;

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

/// Whether data can go in and out without being moved within a rank.
static bool handsOnAsIs(Operation *op) {
  std::optional<CommunicationForm> form = getForm(op);
  return form && form->kind != CommunicationKind::AllToAll && form->axis == 0;
}

/// The operation of the same dialect whose results are exactly the operands of `op`, if `op` is
/// their only user.
static Operation *findPredecessor(BucketOpInterface op) {
  Operation *maker = op.getInputs().front().getDefiningOp();
  if (!maker || maker->getNumResults() != op.getInputs().size() || !handsOnAsIs(op) ||
      !handsOnAsIs(maker) || maker->getDialect() != op->getDialect())
    return nullptr;
  bool isOnly = llvm::all_of(op.getInputs(), [&](Value input) {
    return input.getDefiningOp() == maker && input.hasOneUse();
  });
  return isOnly ? maker : nullptr;
}

SmallVector<Chain> communication::findChains(Block &block,
                                             llvm::function_ref<bool(BucketOpInterface)> isWanted) {
  SmallVector<Chain> chains;
  DenseMap<Operation *, unsigned> ends; // the last link of each chain
  for (Operation &each : block) {
    if (ordersCommunication(&each))
      ends.clear();
    auto op = dyn_cast<BucketOpInterface>(each);
    if (!op || !isWanted(op))
      continue;
    auto before = ends.find(findPredecessor(op));
    unsigned number = before == ends.end() ? chains.size() : before->second;
    if (number == chains.size())
      chains.emplace_back();
    chains[number].links.push_back(op);
    ends[op] = number;
  }
  return chains;
}

//===----------------------------------------------------------------------===//
// The order
//===----------------------------------------------------------------------===//

/// Whether the operation keeps its place among those with effects. Collectives on tensors do not:
/// all ranks have the same new order; and what only reads the group table is held by what writes
/// it.
static bool isOrdered(Operation *op) {
  if (movesData(op) && op->getNumResults() > 0 && !op->hasAttr(kDistinct))
    return false;
  auto effects = getEffectsRecursively(op);
  return !effects || llvm::any_of(*effects, [](const MemoryEffects::EffectInstance &effect) {
    return !isa<MemoryEffects::Read>(effect.getEffect()) ||
           effect.getResource() != GroupTableResource::get();
  });
}

namespace {

constexpr unsigned nobody = ~0u;

class Scheduler {
public:
  Scheduler(Block &block, ArrayRef<Chain> chains)
      : block(block), chains(chains), of(chains.size()) {
    for (auto [number, chain] : llvm::enumerate(chains))
      for (Operation *link : chain.links)
        chainOf[link] = number;
  }

  SmallVector<Moment> run() {
    findFences();
    findOwners();
    countNeeds();
    for (auto [number, state] : llvm::enumerate(of))
      if (state.needs == 0)
        start(number);
    for (Operation &op : block.without_terminator())
      visit(&op);
    forEachNeed(block.getTerminator(), [&](Operation *, unsigned chain) { await(chain); });
    sinkWhatWaits();
    return std::move(moments);
  }

private:
  struct State {
    SmallVector<Operation *> own;  ///< what only this chain needs, in program order
    SmallVector<unsigned> waiting; ///< the chains that need this one
    unsigned needs = 0;            ///< how many operations and chains it still waits for
    Operation *fence = nullptr;    ///< what orders communication and stands before it
    bool isStarted = false, isAwaited = false;
    unsigned turn = 0; ///< its place in the order of starts, counted from 1
    unsigned startLevel = 0, level = 0;
    unsigned after = 0; ///< most collectives on a path from its results to the end of the block
  };

  /// What orders communication, the last before each chain, and the chains before each.
  void findFences() {
    Operation *last = nullptr;
    SmallVector<unsigned> before;
    for (Operation &op : block.without_terminator()) {
      auto chain = chainOf.find(&op);
      if (chain != chainOf.end() && &op == chains[chain->second].first()) {
        before.push_back(chain->second);
        of[chain->second].fence = last;
      } else if (chain == chainOf.end() && ordersCommunication(&op)) {
        last = &op;
        startedBefore[last] = std::move(before);
        before.clear();
      }
    }
  }

  /// Calls use(operation, nobody) or use(null, chain) for each operation or chain of this block
  /// that `op`, or an operation inside it, depends on.
  template <typename Use> void forEachNeed(Operation *op, Use use) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *maker = operand.getDefiningOp();
        if (!maker || maker->getBlock() != &block)
          continue;
        auto chain = chainOf.find(maker);
        if (chain == chainOf.end())
          use(maker, nobody);
        else
          use(nullptr, chain->second);
      }
    });
  }

  /// The only chain that uses the results of `op`, if `op` has no side effect.
  unsigned findOwner(Operation *op) {
    if (op->use_empty() || !isMemoryEffectFree(op))
      return nobody;
    unsigned owner = nobody;
    for (Operation *user : op->getUsers()) {
      Operation *inBlock = block.findAncestorOpInBlock(*user);
      auto chain = chainOf.find(inBlock);
      unsigned one = chain != chainOf.end() ? chain->second : ownerOf.lookup_or(inBlock, nobody);
      if (one == nobody || (owner != nobody && owner != one))
        return nobody;
      owner = one;
    }
    return owner;
  }

  void findOwners() {
    for (Operation &op : llvm::drop_begin(llvm::reverse(block)))
      if (!chainOf.contains(&op))
        if (unsigned owner = findOwner(&op); owner != nobody)
          ownerOf[&op] = owner;
    for (Operation &op : block)
      if (auto owner = ownerOf.find(&op); owner != ownerOf.end())
        of[owner->second].own.push_back(&op);
  }

  /// Counts the dependencies of each chain and its own operations, and registers it with them.
  void countNeeds() {
    for (unsigned number = 0; number < chains.size(); ++number) {
      llvm::SmallPtrSet<Operation *, 8> counted;
      auto count = [&](Operation *maker, unsigned chain) {
        Operation *key = maker ? maker : chains[chain].first();
        if ((maker && ownerOf.lookup_or(maker, nobody) == number) || !counted.insert(key).second)
          return;
        ++of[number].needs;
        (maker ? waitingFor[maker] : of[chain].waiting).push_back(number);
      };
      for (Operation *own : of[number].own)
        forEachNeed(own, count);
      forEachNeed(chains[number].first(), count);
      if (of[number].fence)
        count(of[number].fence, nobody);
    }
  }

  void visit(Operation *op) {
    auto chain = chainOf.find(op);
    if (chain != chainOf.end())
      return op == chains[chain->second].first() ? reach(chain->second) : void();
    if (ownerOf.contains(op))
      return; // comes with its chain
    for (unsigned number : startedBefore.lookup(op))
      await(number);
    forEachNeed(op, [&](Operation *, unsigned needed) { await(needed); });
    moments.push_back({Moment::Operation, op, nobody});
    auto waiting = waitingFor.find(op);
    if (waiting != waitingFor.end())
      for (unsigned number : waiting->second)
        satisfy(number);
  }

  /// The chain's place in the program: it can only wait for other chains now.
  void reach(unsigned number) {
    auto awaitAll = [&](Operation *op) {
      forEachNeed(op, [&](Operation *, unsigned needed) { await(needed); });
    };
    llvm::for_each(of[number].own, awaitAll);
    awaitAll(chains[number].first());
  }

  void satisfy(unsigned number) {
    if (--of[number].needs == 0)
      start(number);
  }

  void start(unsigned number) {
    State &state = of[number];
    state.isStarted = true;
    state.turn = ++started;
    for (Operation *op : state.own)
      moments.push_back({Moment::Operation, op, nobody});
    moments.push_back({Moment::Start, nullptr, number});
  }

  void await(unsigned number) {
    if (number == nobody || of[number].isAwaited)
      return;
    of[number].isAwaited = true;
    moments.push_back({Moment::Await, nullptr, number});
    for (unsigned waiting : of[number].waiting)
      satisfy(waiting);
  }

  //===--------------------------------------------------------------------===//
  // Work that waits is moved behind work that does not
  //===--------------------------------------------------------------------===//

  /// The largest number of collectives on a path from the results of `op` to the end of the block.
  unsigned countAfter(ResultRange results) {
    unsigned most = 0;
    for (Value result : results)
      for (Operation *user : result.getUsers()) {
        Operation *inBlock = block.findAncestorOpInBlock(*user);
        auto chain = chainOf.find(inBlock);
        most = std::max(most, chain == chainOf.end() ? afterOf.lookup(inBlock)
                                                     : 1 + of[chain->second].after);
      }
    return most;
  }

  void countAfter() {
    for (const Moment &moment : llvm::reverse(moments))
      if (moment.kind == Moment::Operation)
        afterOf[moment.op] = countAfter(moment.op->getResults());
      else if (moment.kind == Moment::Await)
        of[moment.chain].after = countAfter(chains[moment.chain].outputs());
  }

  unsigned levelOf(Operation *op) {
    unsigned level = 0;
    forEachNeed(op, [&](Operation *maker, unsigned chain) {
      level = std::max(level, maker ? levels.lookup(maker) : of[chain].level);
    });
    return level;
  }

  /// Chains whose results are only returned are awaited last. A chain that leads to more
  /// communication is not delayed.
  unsigned levelOfAwait(unsigned number) {
    State &state = of[number];
    bool isLast = llvm::all_of(chains[number].outputs(), [&](Value output) {
      return llvm::all_of(output.getUsers(),
                          [&](Operation *user) { return user == block.getTerminator(); });
    });
    unsigned turn = isLast ? unsigned(chains.size()) + 1 : state.after <= 1 ? state.turn : 0;
    return std::max(state.startLevel, turn);
  }

  /// Levels of what is seen so far.
  struct Seen {
    unsigned effects = 0; ///< the highest of operations with effects
    unsigned highest = 0; ///< the highest of all
    unsigned fence = 0;   ///< of what orders communication last: nothing behind it is lower
  };

  unsigned levelOf(const Moment &moment, Seen &seen) {
    if (moment.kind == Moment::Start)
      return of[moment.chain].startLevel =
                 std::max(levelOf(chains[moment.chain].first()), seen.fence);
    if (moment.kind == Moment::Await)
      return of[moment.chain].level = std::max(levelOfAwait(moment.chain), seen.fence);
    unsigned level = std::max(levelOf(moment.op), seen.fence);
    if (isOrdered(moment.op))
      level = seen.effects = std::max(level, seen.effects);
    if (startedBefore.contains(moment.op))
      level = seen.fence = std::max(level, seen.highest);
    return levels[moment.op] = level;
  }

  void sinkWhatWaits() {
    countAfter();
    Seen seen;
    SmallVector<std::pair<unsigned, Moment>> ordered;
    for (const Moment &moment : moments) {
      ordered.push_back({levelOf(moment, seen), moment});
      seen.highest = std::max(seen.highest, ordered.back().first);
    }
    llvm::stable_sort(ordered, [](auto &a, auto &b) { return a.first < b.first; });
    moments = llvm::map_to_vector(ordered, [](auto &entry) { return entry.second; });
  }

  Block &block;
  ArrayRef<Chain> chains;
  SmallVector<State> of;
  DenseMap<Operation *, unsigned> chainOf, ownerOf, afterOf, levels;
  DenseMap<Operation *, SmallVector<unsigned>> waitingFor;
  /// What orders communication, with the chains before it and behind the one before.
  DenseMap<Operation *, SmallVector<unsigned>> startedBefore;
  SmallVector<Moment> moments;
  unsigned started = 0;
};

} // namespace

SmallVector<Moment> communication::scheduleBlock(Block &block, ArrayRef<Chain> chains) {
  return Scheduler(block, chains).run();
}
