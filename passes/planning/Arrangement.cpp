// Puts bundles where collective-fuse would, and plays in the order of collective-overlap.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/planning/Arrangement.h"

#include "dialects/interfaces/ranks/Communication.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;
using namespace tutti::communication;
using namespace tutti::planning;

static constexpr unsigned nobody = ~0u;

//===----------------------------------------------------------------------===//
// The step as it is
//===----------------------------------------------------------------------===//

StepBlock::StepBlock(Block &block, double turns, const CollectiveMotion &motion)
    : block(block), graph(makeScheduleGraph(block)),
      chains(findChains(
          block,
          [&](BucketOpInterface op) { return isSynchronous(op) && !whySynchronous(op, motion); })),
      tasks(graph.nodes.size()), turns(std::max(1.0, turns)) {
  for (Operation &op : block) {
    numbers[&op] = ops.size();
    ops.push_back(&op);
    auto done = dyn_cast<CommunicationDoneOpInterface>(op);
    Operation *start = done ? findStart(done) : nullptr;
    if (start && start->getBlock() == &block)
      tasks[numbers[&op]].start = numbers.lookup(start);
    tasks[numbers[&op]].isBeside = isa<CommunicationStartOpInterface>(op);
  }
}

unsigned StepBlock::nodeOf(Operation *op) const {
  Operation *node = op ? block.findAncestorOpInBlock(*op) : nullptr;
  return node ? numbers.lookup(node) : 0;
}

StepBlocks::StepBlocks(func::FuncOp step, const StepWork &work, const CollectiveMotion &motion) {
  add(step.getBody().front(), /*turns=*/1, motion);
  for (auto [op, seconds] : work.seconds) {
    StepBlock &owner = ownerOf(op);
    owner.tasks[owner.nodeOf(op)].seconds += seconds / owner.turns;
  }
  for (auto &[op, calls] : work.calls) {
    StepBlock &owner = ownerOf(op);
    owner.tasks[owner.nodeOf(op)].calls += calls.inStep() * (1 / owner.turns);
  }
}

/// Whether collectives stand in the region that the program waits for.
static bool communicates(Region &region) {
  return region
      .walk([](BucketOpInterface op) {
        return isStartedApart(op) ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

unsigned StepBlocks::add(Block &block, double turns, const CollectiveMotion &motion) {
  unsigned number = blocks.size();
  numbers[&block] = number;
  StepBlock &made = blocks.emplace_back(block, turns, motion);
  for (auto [node, op] : llvm::enumerate(made.ops)) {
    made.tasks[node].turns = cost::countTurns(op);
    for (Region &region : op->getRegions())
      if (region.hasOneBlock() && communicates(region))
        made.tasks[node].inner.push_back(
            add(region.front(), turns * made.tasks[node].turns, motion));
  }
  return number;
}

std::optional<unsigned> StepBlocks::find(Block *block) const {
  auto found = numbers.find(block);
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

/// The innermost that has `op`; that of the step for null.
StepBlock &StepBlocks::ownerOf(Operation *op) {
  for (; op && op->getBlock(); op = op->getParentOp())
    if (std::optional<unsigned> number = find(op->getBlock()))
      return blocks[*number];
  return blocks.front();
}

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

Arrangement::Arrangement(const StepBlock &step, const StepWork &work, ExchangeTimes &exchanges)
    : step(step), work(work), exchanges(exchanges), before(step.tasks), latestAtStart(nobody),
      latestAfter(step.ops.size(), nobody), chainOf(step.ops.size(), nobody),
      place(step.ops.size(), nobody), continuations(step.chains.size(), nobody) {
  for (auto [number, chain] : llvm::enumerate(step.chains))
    for (unsigned link : chain)
      chainOf[link] = number;
}

void Arrangement::bundle(ArrayRef<BucketOpInterface> members, Operation *producer) {
  bundled.insert_range(members);
  unsigned &latest = producer ? latestAfter[step.numbers.lookup(producer)] : latestAtStart;
  Bundle &bundle = bundles.emplace_back();
  for (BucketOpInterface member : members)
    bundle.nodes.push_back(step.numbers.lookup(member));
  bundle.earlier = std::exchange(latest, unsigned(bundles.size()) - 1);
}

//===----------------------------------------------------------------------===//
// The block
//===----------------------------------------------------------------------===//

unsigned Arrangement::add(ScheduleGraph::Node node, const Task &task) {
  graph.nodes.push_back(std::move(node));
  tasks.push_back(task);
  return graph.nodes.size() - 1;
}

void Arrangement::copy(unsigned node) {
  ScheduleGraph::Node made = step.graph.nodes[node];
  made.users.clear();
  for (unsigned &need : made.needs)
    need = place[need];
  Task task = before[node];
  if (task.start)
    task.start = place[*task.start];
  place[node] = add(std::move(made), task);
}

/// What only makes values of the results of `needs`.
static ScheduleGraph::Node makePlain(ArrayRef<unsigned> needs) {
  ScheduleGraph::Node node;
  node.needs.assign(needs.begin(), needs.end());
  node.isPlain = true;
  return node;
}

static Task computing(double seconds) {
  Task task;
  task.seconds = seconds;
  return task;
}

/// Adds the collectives at the nodes `members` as one, or in levels.
void Arrangement::exchange(ArrayRef<unsigned> members) {
  auto ops = llvm::map_to_vector(
      members, [&](unsigned member) { return cast<BucketOpInterface>(step.ops[member]); });
  Exchange exchange = exchanges.of(ops);
  ScheduleGraph::Node node = step.graph.nodes[members.front()];
  node.needs.clear(), node.users.clear();
  double turns =
      work.callsOf(ops.front()).turns / step.turns; // that it runs in one turn of the block
  Task task;
  task.calls = exchange.time * turns;
  for (unsigned member : members) {
    task.seconds += before[member].seconds;
    for (unsigned need : step.graph.nodes[member].needs)
      if (!node.isLate || !step.graph.nodes[need].isLate)
        node.needs.push_back(place[need]);
  }
  if (node.isLate && lastLate) // it waits for the one that now is before it
    node.needs.push_back(*lastLate);
  if (exchange.rows) {
    unsigned rows = add(makePlain(node.needs), computing(*exchange.rows * turns));
    node.needs = {rows};
  }
  bool isLate = node.isLate;
  unsigned made = add(std::move(node), task), outcome = made;
  if (isLate)
    lastLate = made;
  if (exchange.finish)
    outcome = add(makePlain(made), computing(*exchange.finish * turns));
  for (unsigned member : members)
    place[member] = outcome;
  startEarly(made, members, members.size() == 1 && !exchange.isSplit);
}

/// Makes `collective` a chain, or a link of one, if all `members` are such.
void Arrangement::startEarly(unsigned collective, ArrayRef<unsigned> members, bool isAsBefore) {
  unsigned chain = chainOf[members.front()];
  if (llvm::any_of(members, [&](unsigned member) { return chainOf[member] == nobody; }))
    return;
  if (isAsBefore && continuations[chain] != nobody)
    return chains[continuations[chain]].push_back(collective);
  continuations[chain] = isAsBefore ? chains.size() : nobody;
  chains.push_back({collective});
}

/// A bundle that is made later stands before those that are there.
void Arrangement::arrangeBundles(unsigned latest) {
  for (unsigned number = latest; number != nobody; number = bundles[number].earlier)
    exchange(bundles[number].nodes);
}

void Arrangement::arrange() {
  size_t most = step.ops.size() + 2 * bundled.size(); // rows before an exchange, and their end
  graph.nodes.reserve(most);
  tasks.reserve(most);
  arrangeBundles(latestAtStart);
  for (auto [node, op] : llvm::enumerate(step.ops)) {
    if (!isa<BucketOpInterface>(op))
      copy(node);
    else if (!bundled.contains(op))
      exchange(unsigned(node));
    arrangeBundles(latestAfter[node]);
  }
  graph.connect();
}

//===----------------------------------------------------------------------===//
// The play
//===----------------------------------------------------------------------===//

static SmallVector<Moment> inOrder(const ScheduleGraph &graph) {
  SmallVector<Moment> moments;
  for (unsigned node = 0; node + 1 < graph.nodes.size(); ++node)
    moments.push_back({Moment::Operation, node, nobody});
  return moments;
}

void Arrangement::play(cost::StepClock &clock, bool overlaps,
                       function_ref<void(unsigned)> playInner) {
  arrange();
  if (!overlaps)
    chains.clear();
  SmallVector<Moment> moments = chains.empty() ? inOrder(graph) : schedule(graph, chains);
  SmallVector<unsigned> beside = countWorkBeside(graph, moments, chains.size());
  std::vector<cost::StepClock::Future> promised(tasks.size(), 0);
  auto run = [&](unsigned node, bool isBeside) {
    const Task &task = tasks[node];
    if (task.start)
      clock.await(promised[*task.start]);
    clock.compute(task.seconds);
    if (isBeside)
      promised[node] = clock.start(task.calls);
    else
      clock.communicate(task.calls);
    cost::StepClock::Moment begin = clock.moment();
    llvm::for_each(task.inner, playInner);
    if (!task.inner.empty())
      clock.repeatSince(begin, task.turns);
  };
  for (const Moment &moment : moments) {
    if (moment.kind == Moment::Operation)
      run(moment.node, tasks[moment.node].isBeside);
    else if (moment.kind == Moment::Await)
      clock.await(promised[chains[moment.chain].back()]);
    else
      for (unsigned link : chains[moment.chain])
        run(link, beside[moment.chain] > 0);
  }
}

ArrangedStep::ArrangedStep(const StepBlocks &blocks, const StepWork &work, ExchangeTimes &exchanges)
    : blocks(blocks) {
  for (const StepBlock &block : blocks.all())
    arrangements.emplace_back(block, work, exchanges);
}

void ArrangedStep::bundle(ArrayRef<BucketOpInterface> members, Operation *producer) {
  if (std::optional<unsigned> block = blocks.find(members.front()->getBlock()))
    arrangements[*block].bundle(members, producer);
}

void ArrangedStep::play(unsigned block, cost::StepClock &clock, bool overlaps) {
  arrangements[block].play(clock, overlaps, [&](unsigned inner) { play(inner, clock, overlaps); });
}

cost::StepTime ArrangedStep::play(const cost::Cluster &cluster, int64_t ranks, bool overlaps) {
  cost::StepClock clock(cluster, ranks);
  play(0, clock, overlaps);
  return clock.time();
}
