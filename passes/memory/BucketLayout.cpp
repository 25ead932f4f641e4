// Buckets in memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/memory/BucketLayout.h"

#include "dialects/collective/Collective.h"
#include "passes/memory/BufferLiveness.h"

#include <algorithm>

using namespace mlir;
using namespace tutti::collective;

namespace tutti::memory {

/// Whether the elements of a bucket may be taken for those of one buffer: each is treated alike,
/// whichever buffer it is in, and has one type.
static bool isElementwise(BucketOpInterface op) {
  Type type = getElementTypeOrSelf(op.getInputs().front().getType());
  return isa<AllReduceOp, ReduceOp, BroadcastOp>(op) && op.getInputs().size() > 1 &&
         llvm::all_of(op.getInputs(),
                      [&](Value input) { return getElementTypeOrSelf(input.getType()) == type; });
}

namespace {
class BucketFinder {
public:
  explicit BucketFinder(ArrayRef<memref::AllocOp> buffers) {
    for (auto [index, buffer] : llvm::enumerate(buffers))
      numbers[buffer] = index;
  }

  void add(BucketOpInterface op) {
    if (!isElementwise(op))
      return;
    SmallVector<std::pair<int64_t, unsigned>> members; // position, number of the buffer
    for (auto [position, input, destination] :
         llvm::enumerate(op.getInputs(), op.getDestinations()))
      if (std::optional<unsigned> buffer = take(input, destination))
        members.emplace_back(position, *buffer);
    if (members.size() > 1)
      addRow(op, members);
  }

  SmallVector<ArenaRow> rows;

private:
  /// The number of the buffer that is communicated in place, if it has no place yet.
  std::optional<unsigned> take(Value input, Value destination) {
    memref::AllocOp buffer = input == destination ? allocationOf(input) : memref::AllocOp();
    auto found = buffer ? numbers.find(buffer) : numbers.end();
    if (found == numbers.end())
      return std::nullopt;
    unsigned number = found->second;
    numbers.erase(found);
    alignments[number] = bytesOf(buffer.getType()) % kArenaAlignment == 0;
    return number;
  }

  void addRow(Operation *op, SmallVectorImpl<std::pair<int64_t, unsigned>> &members) {
    std::stable_partition(members.begin(), members.end(),
                          [&](auto member) { return alignments.lookup(member.second); });
    ArenaRow &row = rows.emplace_back();
    SmallVector<int64_t> positions;
    for (auto [position, buffer] : members) {
      positions.push_back(position);
      row.push_back(buffer);
    }
    op->setAttr(kAdjacent, DenseI64ArrayAttr::get(op->getContext(), positions));
  }

  llvm::DenseMap<Operation *, unsigned> numbers;
  llvm::DenseMap<unsigned, bool> alignments;
};
} // namespace

SmallVector<ArenaRow> layOutBuckets(func::FuncOp function, ArrayRef<memref::AllocOp> buffers) {
  BucketFinder finder(buffers);
  function.walk([&](BucketOpInterface op) { finder.add(op); });
  return std::move(finder.rows);
}

} // namespace tutti::memory
