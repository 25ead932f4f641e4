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

StepBlock::StepBlock(func::FuncOp step, const StepWork &work, const CollectiveMotion &motion)
    : block(step.getBody().front()), graph(makeScheduleGraph(block)),
      chains(findChains(
          block,
          [&](BucketOpInterface op) { return isSynchronous(op) && !whySynchronous(op, motion); })),
      tasks(graph.nodes.size()) {
  for (Operation &op : block) {
    numbers[&op] = ops.size();
    ops.push_back(&op);
    auto done = dyn_cast<CommunicationDoneOpInterface>(op);
    Operation *start = done ? findStart(done) : nullptr;
    if (start && start->getBlock() == &block)
      tasks[numbers[&op]].start = numbers.lookup(start);
    tasks[numbers[&op]].isBeside = isa<CommunicationStartOpInterface>(op);
  }
  for (auto [op, seconds] : work.seconds)
    tasks[nodeOf(op)].seconds += seconds;
  for (auto &[op, calls] : work.calls)
    tasks[nodeOf(op)].calls += calls.inStep();
  step.walk([&](BucketOpInterface op) {
    if (op->getBlock() != &block && !isStartedApart(op))
      nested.push_back(op);
  });
}

unsigned StepBlock::nodeOf(Operation *op) const {
  Operation *node = op ? block.findAncestorOpInBlock(*op) : nullptr;
  return node ? numbers.lookup(node) : 0;
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
  if (members.front()->getBlock() != &step.block)
    return replaceNested(members, exchanges.of(members));
  unsigned &latest = producer ? latestAfter[step.numbers.lookup(producer)] : latestAtStart;
  Bundle &bundle = bundles.emplace_back();
  for (BucketOpInterface member : members)
    bundle.nodes.push_back(step.numbers.lookup(member));
  bundle.earlier = std::exchange(latest, unsigned(bundles.size()) - 1);
}

/// In the loop or branch, whose time is part of its node's, `members` become `exchange`.
void Arrangement::replaceNested(ArrayRef<BucketOpInterface> members, const Exchange &exchange) {
  Task &task = before[step.nodeOf(members.front())];
  double turns = work.callsOf(members.front()).turns;
  for (BucketOpInterface member : members)
    task.calls += work.callsOf(member).inStep() * -1;
  task.calls += exchange.time * turns;
  task.seconds += (exchange.rows.value_or(0) + exchange.finish.value_or(0)) * turns;
}

void Arrangement::arrangeNested() {
  for (BucketOpInterface op : step.nested)
    if (!bundled.contains(op))
      if (Exchange exchange = exchanges.of(op); exchange.isSplit)
        replaceNested(op, exchange);
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
  Task task;
  task.calls = exchange.time;
  for (unsigned member : members) {
    task.seconds += before[member].seconds;
    for (unsigned need : step.graph.nodes[member].needs)
      if (!llvm::is_contained(members, need)) // a late one waits for the one before it
        node.needs.push_back(place[need]);
  }
  if (exchange.rows) {
    unsigned rows = add(makePlain(node.needs), computing(*exchange.rows));
    node.needs = {rows};
  }
  unsigned made = add(std::move(node), task), outcome = made;
  if (exchange.finish)
    outcome = add(makePlain(made), computing(*exchange.finish));
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
  arrangeNested();
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

cost::StepTime Arrangement::play(const cost::Cluster &cluster, int64_t ranks, bool overlaps) {
  arrange();
  if (!overlaps)
    chains.clear();
  SmallVector<Moment> moments = chains.empty() ? inOrder(graph) : schedule(graph, chains);
  SmallVector<unsigned> beside = countWorkBeside(graph, moments, chains.size());
  cost::StepClock clock(cluster, ranks);
  std::vector<cost::StepClock::Ticket> promised(tasks.size(), 0);
  auto run = [&](unsigned node, bool isBeside) {
    const Task &task = tasks[node];
    if (task.start)
      clock.await(promised[*task.start]);
    clock.compute(task.seconds);
    if (isBeside)
      promised[node] = clock.start(task.calls);
    else
      clock.communicate(task.calls);
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
  return clock.time();
}
