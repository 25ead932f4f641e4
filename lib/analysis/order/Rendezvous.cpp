// Runs the traces of all ranks against each other. When no thread can make progress, the graph of
// waits leads to the cause.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/order/Rendezvous.h"

#include "llvm/ADT/DenseMap.h"

#include <tuple>

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;

namespace {
/// One rank's own thread, or its communication thread.
struct Thread {
  int64_t rank;
  bool isBackground;
  ArrayRef<Event> events;
  size_t at = 0;
  bool isGathered = false; ///< counted among those that stand at its next event

  bool isDone() const { return at == events.size(); }
  const Event &next() const { return events[at]; }
};

class World {
public:
  explicit World(ArrayRef<RankTrace> traces) : size(traces.size()), started(traces.size(), 0) {
    for (auto [rank, trace] : llvm::enumerate(traces)) {
      threads.push_back({static_cast<int64_t>(rank), false, trace.main});
      threads.push_back({static_cast<int64_t>(rank), true, trace.background});
    }
  }

  LogicalResult run();

private:
  Thread &getThread(int64_t rank, bool isBackground) { return threads[2 * rank + isBackground]; }

  /// Whether the thread may take its next event as far as its own rank is concerned.
  bool isReady(const Thread &thread) const {
    return !thread.isDone() && (!thread.isBackground || thread.at < started[thread.rank]);
  }

  // Progress. A thread that cannot go on is looked at again when what it waits for has happened, so
  // that each event costs the same however many ranks there are.
  void advance(Thread &thread);
  bool takeNext(Thread &thread);
  bool meetPeer(Thread &thread);
  bool gather(Thread &thread);
  void passEvent(Thread &thread);

  /// The threads that must stand at the same event before `thread` can go on.
  SmallVector<Thread *> getPartners(const Thread &thread);
  static bool doMeet(const Thread &one, const Thread &other);
  /// One of the threads that `thread` waits for.
  Thread *findAwaited(Thread &thread);

  LogicalResult verifySameCollective(const Thread &thread);
  LogicalResult explain();
  LogicalResult explainMissing(const Thread &waiting, const Thread &gone);
  LogicalResult explainCycle(ArrayRef<Thread *> cycle);

  /// Where all members of a set come together: an operation, on one kind of thread.
  using Place = std::tuple<Operation *, const int64_t *, unsigned>;

  size_t size; ///< ranks
  SmallVector<Thread> threads;
  SmallVector<size_t> started; ///< events handed to each rank's communication thread
  SmallVector<Thread *> awake; ///< threads to look at
  llvm::DenseMap<Place, SmallVector<Thread *>> gathered;
};
} // namespace

//===----------------------------------------------------------------------===//
// Progress
//===----------------------------------------------------------------------===//

/// Whether two threads stand at two sides of the same communication.
bool World::doMeet(const Thread &one, const Thread &other) {
  const Event &mine = one.next(), &theirs = other.next();
  bool isMessage = mine.kind == Event::Send || mine.kind == Event::Receive;
  if (!isMessage)
    return mine.op == theirs.op && mine.kind == theirs.kind &&
           mine.members.data() == theirs.members.data();
  if (theirs.kind != (mine.kind == Event::Send ? Event::Receive : Event::Send) ||
      theirs.peer != one.rank)
    return false;
  auto here = cast<PointToPointOpInterface>(mine.op),
       there = cast<PointToPointOpInterface>(theirs.op);
  return here.getTag() == there.getTag() && here.getGroupAttr() == there.getGroupAttr();
}

/// Whoever waits for the event may go on.
void World::passEvent(Thread &thread) {
  ++thread.at;
  thread.isGathered = false;
  awake.push_back(&thread);
  if (thread.isBackground) // its rank may await it
    awake.push_back(&getThread(thread.rank, false));
}

bool World::meetPeer(Thread &thread) {
  Thread &peer = getThread(thread.next().peer, thread.isBackground);
  if (!isReady(peer) || !doMeet(thread, peer))
    return false;
  passEvent(peer);
  passEvent(thread);
  return true;
}

/// The last one of a set that comes takes all others along.
bool World::gather(Thread &thread) {
  const Event &event = thread.next();
  bool isOfAll = event.kind == Event::Boundary;
  Place place{event.op, event.members.data(), thread.isBackground};
  SmallVector<Thread *> &here = gathered[place];
  here.push_back(&thread);
  thread.isGathered = true;
  if (here.size() < (isOfAll ? size : event.members.size()))
    return false;
  SmallVector<Thread *> all = std::move(here);
  gathered.erase(place);
  for (Thread *member : all)
    passEvent(*member);
  return true;
}

/// Takes the next event of `thread`, and of all others that it takes together with them.
bool World::takeNext(Thread &thread) {
  const Event &event = thread.next();
  switch (event.kind) {
  case Event::Start:
    ++started[thread.rank];
    awake.push_back(&getThread(thread.rank, true));
    return passEvent(thread), true;
  case Event::Await:
    if (getThread(thread.rank, true).at < event.count)
      return false;
    return passEvent(thread), true;
  case Event::Send:
  case Event::Receive:
    return meetPeer(thread);
  case Event::Collective:
  case Event::Boundary:
    return gather(thread);
  }
  llvm_unreachable("an event of no kind");
}

void World::advance(Thread &thread) {
  while (isReady(thread) && !thread.isGathered && takeNext(thread))
    continue;
}

LogicalResult World::run() {
  for (Thread &thread : threads)
    advance(thread);
  while (!awake.empty())
    advance(*awake.pop_back_val());
  for (Thread &thread : threads)
    if (isReady(thread) && failed(verifySameCollective(thread)))
      return failure();
  bool isDone = llvm::all_of(threads, [](const Thread &thread) { return thread.isDone(); });
  return isDone ? success() : explain();
}

//===----------------------------------------------------------------------===//
// Why no thread makes progress
//===----------------------------------------------------------------------===//

static std::string describe(const Thread &thread) {
  std::string text = "rank " + std::to_string(thread.rank);
  const Event &event = thread.next();
  std::string name = event.op->getName().getStringRef().str();
  if (event.kind == Event::Send || event.kind == Event::Receive)
    return text + (event.kind == Event::Send ? " sends to rank " : " receives from rank ") +
           std::to_string(event.peer) + " with tag " +
           std::to_string(cast<PointToPointOpInterface>(event.op).getTag());
  if (event.kind == Event::Await)
    return text + " awaits what it started";
  return text + " waits in '" + name + "' for all ranks that take part";
}

SmallVector<Thread *> World::getPartners(const Thread &thread) {
  const Event &event = thread.next();
  SmallVector<Thread *> partners;
  if (event.kind == Event::Collective)
    for (int64_t member : event.members)
      partners.push_back(&getThread(member, thread.isBackground));
  else if (event.kind == Event::Boundary)
    for (Thread &other : threads)
      if (!other.isBackground)
        partners.push_back(&other);
  if (event.kind == Event::Send || event.kind == Event::Receive)
    partners.push_back(&getThread(event.peer, thread.isBackground));
  return partners;
}

/// Members of one set that stand at different collectives on it.
LogicalResult World::verifySameCollective(const Thread &thread) {
  const Event &mine = thread.next();
  if (mine.kind != Event::Collective)
    return success();
  for (Thread *partner : getPartners(thread)) {
    if (!isReady(*partner) || partner->next().kind != Event::Collective ||
        partner->next().op == mine.op || partner->next().members.data() != mine.members.data())
      continue;
    InFlightDiagnostic error = mlir::emitError(mine.op->getLoc())
                               << "rank " << thread.rank << " issues '" << mine.op->getName()
                               << "' here while rank " << partner->rank << " issues '"
                               << partner->next().op->getName()
                               << "'; ranks issue the same collectives of a set in the same order";
    error.attachNote(partner->next().op->getLoc()) << "rank " << partner->rank << " is here";
    return error;
  }
  return success();
}

Thread *World::findAwaited(Thread &thread) {
  if (!isReady(thread)) // of the background, not started
    return &getThread(thread.rank, false);
  if (thread.next().kind == Event::Await)
    return &getThread(thread.rank, true);
  for (Thread *partner : getPartners(thread))
    if (!isReady(*partner) || !doMeet(thread, *partner))
      return partner;
  return nullptr;
}

LogicalResult World::explain() {
  Thread *at = llvm::find_if(threads, [](const Thread &thread) { return !thread.isDone(); });
  SmallVector<Thread *> way;
  while (!llvm::is_contained(way, at)) {
    way.push_back(at);
    Thread *awaited = findAwaited(*at);
    if (awaited->isDone())
      return explainMissing(*at, *awaited);
    at = awaited;
  }
  return explainCycle(ArrayRef(way).drop_front(llvm::find(way, at) - way.begin()));
}

LogicalResult World::explainMissing(const Thread &waiting, const Thread &gone) {
  InFlightDiagnostic error = mlir::emitError(waiting.next().op->getLoc())
                             << describe(waiting) << ", but rank " << gone.rank
                             << " never comes here";
  if (!gone.events.empty())
    error.attachNote(gone.events.back().op->getLoc())
        << "the last communication of rank " << gone.rank << " is here";
  return error;
}

LogicalResult World::explainCycle(ArrayRef<Thread *> cycle) {
  InFlightDiagnostic error = mlir::emitError(cycle.front()->next().op->getLoc())
                             << "ranks wait for each other in a circle: "
                             << describe(*cycle.front());
  for (Thread *thread : cycle.drop_front())
    error.attachNote(thread->next().op->getLoc()) << "while " << describe(*thread);
  error.attachNote(cycle.front()->next().op->getLoc())
      << "a send may wait for its receive; let one of them receive before it sends";
  return error;
}

LogicalResult tutti::verifyRendezvous(ArrayRef<RankTrace> traces) {
  if (failed(verifyMessages(traces)))
    return failure();
  return World(traces).run();
}
