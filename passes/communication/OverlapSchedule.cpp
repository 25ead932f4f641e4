// The order in which chains of collectives and the computation around them stand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/communication/OverlapSchedule.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <utility>

using namespace mlir;
using namespace tutti::communication;

namespace {

constexpr unsigned nobody = ~0u;

class Scheduler {
public:
  Scheduler(const ScheduleGraph &graph, ArrayRef<Chain> chains)
      : nodes(graph.nodes), chains(chains), end(nodes.size() - 1), of(chains.size()),
        chainOf(nodes.size(), nobody), ownerOf(nodes.size(), nobody), afterOf(nodes.size(), 0),
        levels(nodes.size(), 0), waitingFor(nodes.size()), keepsPlace(nodes.size(), false),
        isPlaced(nodes.size(), false) {
    for (auto [number, chain] : llvm::enumerate(chains))
      for (unsigned link : chain)
        chainOf[link] = number;
  }

  SmallVector<Moment> run() {
    moments.reserve(nodes.size() + 2 * chains.size());
    findFences();
    findOwners();
    countNeeds();
    for (auto [number, state] : llvm::enumerate(of))
      if (state.needs == 0)
        start(number);
    for (unsigned node : orderByNeed())
      visit(node);
    forEachNeed(end, [&](unsigned, unsigned chain) { await(chain); });
    sinkWhatWaits();
    return std::move(moments);
  }

private:
  struct State {
    SmallVector<unsigned> own;     ///< what only this chain needs, in program order
    SmallVector<unsigned> waiting; ///< the chains that need this one
    unsigned needs = 0;            ///< how many operations and chains it still waits for
    unsigned fence = nobody;       ///< what orders communication and stands before it
    bool isStarted = false, isAwaited = false;
    unsigned turn = 0; ///< its place in the order of starts, counted from 1
    unsigned startLevel = 0, level = 0;
    unsigned after = 0; ///< most collectives on a path from its results to the end of the block
  };

  bool isFirst(unsigned node) const { return node == chains[chainOf[node]].front(); }

  /// What orders communication, the last before each chain, and the chains before each.
  void findFences() {
    unsigned last = nobody;
    SmallVector<unsigned> before;
    for (unsigned node = 0; node < end; ++node) {
      unsigned chain = chainOf[node];
      if (chain != nobody && isFirst(node)) {
        before.push_back(chain);
        of[chain].fence = last;
      } else if (chain == nobody && nodes[node].isFence) {
        last = node;
        startedBefore[last] = std::exchange(before, SmallVector<unsigned>());
      }
    }
  }

  /// The order of the program, except that what a chain needs comes before what it does not need,
  /// which can be computed while the chain runs. Not where gathers are late: memory is scarce
  /// there, and what is deferred keeps its operands alive.
  std::vector<unsigned> orderByNeed() const {
    std::vector<unsigned> order;
    order.reserve(end);
    std::vector<bool> isNeeded(end, false);
    bool isMemoryScarce = llvm::any_of(nodes, [](const auto &node) { return node.isLate; });
    for (unsigned node = 0; node < end; ++node)
      if (!isMemoryScarce && chainOf[node] != nobody && isFirst(node))
        orderUntil(node, isNeeded, order);
    for (unsigned node = order.size(); node < end; ++node)
      order.push_back(node);
    return order;
  }

  /// Adds `link`, the first of a chain, and all nodes before it that `order` lacks.
  void orderUntil(unsigned link, std::vector<bool> &isNeeded, std::vector<unsigned> &order) const {
    const unsigned first = order.size();
    unsigned fixed = link; // up to what keeps its place
    while (fixed > first && !nodes[fixed - 1].keepsOrder && !nodes[fixed - 1].isFence)
      --fixed;
    std::fill(isNeeded.begin() + first, isNeeded.begin() + fixed, true);
    SmallVector<unsigned> open = {link};
    while (!open.empty())
      for (unsigned maker : nodes[open.pop_back_val()].needs)
        if (maker >= first && !isNeeded[maker]) {
          isNeeded[maker] = true;
          open.push_back(maker);
        }
    for (unsigned node = first; node < link; ++node)
      if (isNeeded[node])
        order.push_back(node);
    order.push_back(link);
    for (unsigned node = first; node < link; ++node)
      if (!isNeeded[node])
        order.push_back(node);
  }

  /// Calls use(node, nobody) or use(nobody, chain) for each operation or chain that `node` depends
  /// on.
  template <typename Use> void forEachNeed(unsigned node, Use use) {
    for (unsigned maker : nodes[node].needs)
      if (chainOf[maker] == nobody)
        use(maker, nobody);
      else
        use(nobody, chainOf[maker]);
  }

  /// The only chain that uses the results of `node`, if that only makes values.
  unsigned findOwner(unsigned node) {
    if (nodes[node].users.empty() || !nodes[node].isPlain)
      return nobody;
    unsigned owner = nobody;
    for (unsigned user : nodes[node].users) {
      unsigned one = chainOf[user] != nobody ? chainOf[user] : ownerOf[user];
      if (one == nobody || (owner != nobody && owner != one))
        return nobody;
      owner = one;
    }
    return owner;
  }

  void findOwners() {
    for (unsigned node = end; node-- > 0;)
      if (chainOf[node] == nobody)
        ownerOf[node] = findOwner(node);
    for (unsigned node = 0; node < end; ++node)
      if (ownerOf[node] != nobody)
        of[ownerOf[node]].own.push_back(node);
    keepWhatUsesLate();
  }

  /// If one bucket has all gradients, only it needs all of the backward pass, which must not wait
  /// for the last of the variables that it gathers. What it is made of does not wait, either.
  void keepWhatUsesLate() {
    for (unsigned node = 0; node < end; ++node)
      if (ownerOf[node] != nobody)
        forEachNeed(node, [&](unsigned maker, unsigned chain) {
          if (chain != nobody ? nodes[chains[chain].front()].isLate : keepsPlace[maker])
            keepsPlace[node] = true;
        });
    for (unsigned node = end; node-- > 0;)
      if (keepsPlace[node])
        forEachNeed(node, [&](unsigned maker, unsigned) {
          if (maker != nobody && ownerOf[maker] != nobody)
            keepsPlace[maker] = true;
        });
  }

  /// Counts the dependencies of each chain and its own operations, and registers it with them.
  void countNeeds() {
    for (unsigned number = 0; number < chains.size(); ++number) {
      llvm::SmallDenseSet<unsigned, 8> counted;
      auto count = [&](unsigned maker, unsigned chain) {
        unsigned key = maker != nobody ? maker : chains[chain].front();
        if ((maker != nobody && ownerOf[maker] == number) || !counted.insert(key).second)
          return;
        ++of[number].needs;
        (maker != nobody ? waitingFor[maker] : of[chain].waiting).push_back(number);
      };
      for (unsigned own : of[number].own)
        forEachNeed(own, count);
      forEachNeed(chains[number].front(), count);
      if (of[number].fence != nobody)
        count(of[number].fence, nobody);
    }
  }

  void visit(unsigned node) {
    if (chainOf[node] != nobody)
      return isFirst(node) ? reach(chainOf[node]) : void();
    if (ownerOf[node] != nobody && !keepsPlace[node])
      return; // comes with its chain
    for (unsigned number : startedBefore.lookup(node))
      await(number);
    if (!isPlaced[node])
      forEachNeed(node, [&](unsigned, unsigned needed) { await(needed); });
    place(node);
  }

  /// Once; what is awaited before it may have started the chain that it comes with.
  void place(unsigned node) {
    if (isPlaced[node])
      return;
    isPlaced[node] = true;
    moments.push_back({Moment::Operation, node, nobody});
    for (unsigned number : waitingFor[node])
      satisfy(number);
  }

  /// The chain's place in the program: it can only wait for other chains now.
  void reach(unsigned number) {
    auto awaitAll = [&](unsigned node) {
      forEachNeed(node, [&](unsigned, unsigned needed) { await(needed); });
    };
    llvm::for_each(of[number].own, awaitAll);
    awaitAll(chains[number].front());
  }

  void satisfy(unsigned number) {
    if (--of[number].needs == 0)
      start(number);
  }

  void start(unsigned number) {
    State &state = of[number];
    state.isStarted = true;
    state.turn = ++started;
    for (unsigned node : state.own)
      place(node);
    moments.push_back({Moment::Start, nobody, number});
    if (nodes[chains[number].front()].isSoonDone)
      await(std::exchange(lastSoonDone, number));
  }

  void await(unsigned number) {
    if (number == nobody || of[number].isAwaited)
      return;
    of[number].isAwaited = true;
    moments.push_back({Moment::Await, nobody, number});
    for (unsigned waiting : of[number].waiting)
      satisfy(waiting);
  }

  //===--------------------------------------------------------------------===//
  // Work that waits is moved after work that does not
  //===--------------------------------------------------------------------===//

  /// The largest number of collectives on a path from the results of `node` to the end of the
  /// block.
  unsigned countAfter(unsigned node) {
    unsigned most = 0;
    for (unsigned user : nodes[node].users)
      most = std::max(most, chainOf[user] == nobody ? afterOf[user] : 1 + of[chainOf[user]].after);
    return most;
  }

  void countAfter() {
    for (const Moment &moment : llvm::reverse(moments))
      if (moment.kind == Moment::Operation)
        afterOf[moment.node] = countAfter(moment.node);
      else if (moment.kind == Moment::Await)
        of[moment.chain].after = countAfter(chains[moment.chain].back());
  }

  unsigned levelOf(unsigned node) {
    unsigned level = 0;
    forEachNeed(node, [&](unsigned maker, unsigned chain) {
      level = std::max(level, maker != nobody ? levels[maker] : of[chain].level);
    });
    return level;
  }

  /// Chains whose results are only returned are awaited last. A chain that leads to more
  /// communication is not delayed.
  unsigned levelOfAwait(unsigned number) {
    State &state = of[number];
    const ScheduleGraph::Node &first = nodes[chains[number].front()];
    if (first.isLate || first.isSoonDone)
      return state.startLevel;
    bool isLast = llvm::all_of(nodes[chains[number].back()].users,
                               [&](unsigned user) { return user == end; });
    unsigned turn = isLast ? unsigned(chains.size()) + 1 : state.after <= 1 ? state.turn : 0;
    return std::max(state.startLevel, turn);
  }

  /// Levels of what is seen so far.
  struct Seen {
    unsigned effects = 0; ///< the highest of operations with effects
    unsigned highest = 0; ///< the highest of all
    unsigned fence = 0;   ///< of what orders communication last: nothing after it is lower
  };

  unsigned levelOf(const Moment &moment, Seen &seen) {
    if (moment.kind == Moment::Start)
      return of[moment.chain].startLevel =
                 std::max(levelOf(chains[moment.chain].front()), seen.fence);
    if (moment.kind == Moment::Await)
      return of[moment.chain].level = std::max(levelOfAwait(moment.chain), seen.fence);
    unsigned level = std::max(levelOf(moment.node), seen.fence);
    if (nodes[moment.node].keepsOrder)
      level = seen.effects = std::max(level, seen.effects);
    if (startedBefore.contains(moment.node))
      level = seen.fence = std::max(level, seen.highest);
    return levels[moment.node] = level;
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

  const std::vector<ScheduleGraph::Node> &nodes;
  ArrayRef<Chain> chains;
  unsigned end; ///< the terminator
  SmallVector<State> of;
  /// By node.
  std::vector<unsigned> chainOf, ownerOf, afterOf, levels;
  std::vector<SmallVector<unsigned>> waitingFor;
  /// It belongs to a chain, and uses what a late one gives, or is there for what does.
  std::vector<bool> keepsPlace;
  std::vector<bool> isPlaced;
  /// What orders communication, with the chains before it and after the one before.
  DenseMap<unsigned, SmallVector<unsigned>> startedBefore;
  SmallVector<Moment> moments;
  unsigned started = 0;
  unsigned lastSoonDone = nobody; ///< started last of the chains that are soon done
};

} // namespace

SmallVector<Moment> tutti::communication::schedule(const ScheduleGraph &graph,
                                                   ArrayRef<Chain> chains) {
  return Scheduler(graph, chains).run();
}

SmallVector<unsigned> tutti::communication::countWorkBeside(const ScheduleGraph &graph,
                                                            ArrayRef<Moment> moments,
                                                            unsigned chains) {
  SmallVector<unsigned> work(chains, 0);
  unsigned passed = 0;
  for (const Moment &moment : moments) {
    if (moment.kind == Moment::Operation)
      passed += !graph.nodes[moment.node].isConstant;
    else if (moment.kind == Moment::Start)
      work[moment.chain] -= passed;
    else
      work[moment.chain] += passed;
  }
  return work;
}
