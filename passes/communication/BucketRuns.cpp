// Which collectives of a block can wait for each other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/communication/BucketRuns.h"

#include "dialects/collective/Effects.h"
#include "passes/communication/BucketRule.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

#include <numeric>
#include <set>

using namespace mlir;
using namespace tutti::collective;

namespace tutti::communication {

StringRef nameOf(BucketOpInterface op) {
  SmallVector<Location> places = {op->getLoc()};
  for (Value input : op.getInputs())
    places.push_back(input.getLoc());
  for (Location place : places)
    if (auto named = place->findInstanceOf<NameLoc>())
      return named.getName();
  return op->getName().getStringRef();
}

int64_t BucketRun::bytes() const {
  return std::accumulate(
      members.begin(), members.end(), int64_t(0),
      [](int64_t sum, const BucketMember &member) { return sum + member.bytes; });
}

static bool isLate(BucketOpInterface op) { return op->hasAttr(kRegather); }

bool BucketRun::isLate() const { return tutti::communication::isLate(members.front().op); }

/// 0 where it is not known, as what is gathered from an open number of ranks.
static int64_t bytesOf(Value tensor) {
  auto type = cast<ShapedType>(tensor.getType());
  return type.hasStaticShape()
             ? type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8)
             : 0;
}

namespace {

/// Numbers the operations of a block once, so that each question takes constant time.
class Positions {
public:
  explicit Positions(Block &block) : block(block) {
    for (auto [position, op] : llvm::enumerate(block)) {
      positions[&op] = position;
      if (ordersCommunication(&op))
        fences.push_back(&op);
    }
  }

  BucketMember describe(BucketOpInterface op) const {
    int64_t end = positions.size();
    BucketMember member = {op, nullptr, -1, positions.lookup(op), end, std::nullopt, false, 0};
    Operation *producer = op.getInputs().front().getDefiningOp();
    if (producer && producer->getBlock() == &block)
      member.ready = positions.lookup(producer);
    for (Operation *user : op->getUsers()) {
      Operation *inBlock = block.findAncestorOpInBlock(*user);
      int64_t position = positions.lookup(movesUp(inBlock) ? op : inBlock);
      if (position < member.needed) {
        member.needed = position;
        member.neededBy = inBlock->getName();
        member.isNeededByFence = ordersCommunication(inBlock);
      }
    }
    stayBetweenFences(member);
    member.bytes = std::max(bytesOf(op.getInputs().front()), bytesOf(op.getOutputs().front()));
    return member;
  }

private:
  /// A collective that may be one with others moves up to what gives its input.
  static bool movesUp(Operation *op) {
    auto bucket = dyn_cast<BucketOpInterface>(op);
    return bucket && !whyAlone(bucket);
  }

  void stayBetweenFences(BucketMember &member) const {
    int64_t own = positions.lookup(member.op);
    const auto *next = llvm::partition_point(
        fences, [&](Operation *fence) { return positions.lookup(fence) < own; });
    if (next != fences.end() && positions.lookup(*next) < member.needed) {
      member.needed = positions.lookup(*next);
      member.neededBy = (*next)->getName();
      member.isNeededByFence = true;
    }
    if (next != fences.begin()) {
      member.fence = *(next - 1);
      member.ready = std::max(member.ready, positions.lookup(member.fence));
    }
  }

  Block &block;
  llvm::DenseMap<Operation *, int64_t> positions;
  SmallVector<Operation *> fences; ///< what orders communication, in program order
};

/// Splits members of one key, sorted by readiness.
class RunSplitter {
public:
  explicit RunSplitter(llvm::SmallVectorImpl<BucketRun> &runs) : runs(runs) {}

  void add(const BucketMember &member) {
    closeUntil(member.ready, /*isCut=*/true);
    waiting.emplace(member.needed, open.size());
    open.push_back(member);
  }

  void finish() { closeUntil(std::numeric_limits<int64_t>::max(), /*isCut=*/false); }

private:
  /// Makes a run of the members that are needed at `position` or before.
  void closeUntil(int64_t position, bool isCut) {
    llvm::SmallVector<size_t> urgent;
    while (!waiting.empty() && waiting.begin()->first <= position) {
      urgent.push_back(waiting.begin()->second);
      waiting.erase(waiting.begin());
    }
    if (urgent.empty())
      return;
    llvm::sort(urgent);
    BucketRun &run = runs.emplace_back();
    run.isCut = isCut;
    for (size_t index : urgent)
      run.members.push_back(open[index]);
  }

  llvm::SmallVectorImpl<BucketRun> &runs;
  llvm::SmallVector<BucketMember, 0> open;
  std::set<std::pair<int64_t, size_t>> waiting; ///< when each is needed, the first one first
};

} // namespace

static bool isEarlier(const BucketMember &a, const BucketMember &b) {
  return a.ready != b.ready ? a.ready < b.ready : a.name() < b.name();
}

/// One run of all late members, in the order of the program, between what orders communication.
static void addLateRuns(ArrayRef<BucketMember> members, SmallVectorImpl<BucketRun> &runs) {
  bool isFirst = true;
  for (const BucketMember &member : members) {
    if (isFirst || member.ready > runs.back().members.front().place)
      runs.emplace_back();
    runs.back().members.push_back(member);
    isFirst = false;
  }
}

BlockCollectives findBucketRuns(Block &block, const CollectiveMotion &motion) {
  BlockCollectives found;
  llvm::MapVector<Attribute, SmallVector<BucketMember, 0>> keys;
  auto collectives =
      llvm::make_filter_range(block, [](Operation &op) { return isa<BucketOpInterface>(op); });
  if (collectives.empty())
    return found;
  Positions positions(block);
  for (Operation &op : collectives) {
    auto bucket = cast<BucketOpInterface>(op);
    Refusal refusal = whyAlone(bucket);
    if (!refusal)
      refusal = motion.whyStays(bucket);
    if (refusal)
      found.alone.push_back({bucket, refusal});
    else
      keys[keyOf(bucket)].push_back(positions.describe(bucket));
  }
  for (auto &[key, members] : keys) {
    if (isLate(members.front().op)) {
      addLateRuns(members, found.runs);
      continue;
    }
    llvm::stable_sort(members, isEarlier);
    RunSplitter splitter(found.runs);
    for (const BucketMember &member : members)
      splitter.add(member);
    splitter.finish();
  }
  return found;
}

std::vector<BlockCollectives> findAllBucketRuns(ModuleOp module, const CollectiveMotion &motion) {
  std::vector<BlockCollectives> blocks;
  module->walk([&](Block *block) {
    if (!isa<ModuleOp>(block->getParentOp()))
      blocks.push_back(findBucketRuns(*block, motion));
  });
  return blocks;
}

const BucketRun *findMainRun(ArrayRef<BlockCollectives> blocks) {
  const BucketRun *main = nullptr;
  for (const BlockCollectives &block : blocks)
    for (const BucketRun &run : block.runs)
      if (!run.isLate() && (!main || run.bytes() > main->bytes()))
        main = &run;
  return main;
}

} // namespace tutti::communication
