// Who belongs to a group: the members attributes, and the answers of groups that rest on them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/ranks/Communication.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;

using EmitError = llvm::function_ref<InFlightDiagnostic()>;
using Members = std::optional<SmallVector<int64_t>>;

//===----------------------------------------------------------------------===//
// ranks
//===----------------------------------------------------------------------===//

LogicalResult RanksAttr::verify(EmitError emitError, ArrayRef<DenseI64ArrayAttr> sets) {
  if (sets.empty() || llvm::any_of(sets, [](DenseI64ArrayAttr set) { return set.empty(); }))
    return emitError() << "violates ranks_c1: there is at least one set, and none is empty";
  llvm::SmallSet<int64_t, 16> seen;
  for (DenseI64ArrayAttr set : sets)
    for (int64_t rank : set.asArrayRef()) {
      if (rank < 0)
        return emitError() << "violates ranks_c2: " << rank << " is not a rank";
      if (!seen.insert(rank).second)
        return emitError() << "violates ranks_c2: rank " << rank
                           << " is listed twice, but a rank is in one set at most";
    }
  return success();
}

Members RanksAttr::getSetOf(int64_t rank, int64_t) const {
  for (DenseI64ArrayAttr set : getSets())
    if (llvm::is_contained(set.asArrayRef(), rank))
      return llvm::to_vector(set.asArrayRef());
  return SmallVector<int64_t>();
}

std::optional<int64_t> RanksAttr::getSetSize(std::optional<int64_t> worldSize) const {
  return hasEqualSets(worldSize) ? std::optional<int64_t>(getSets().front().size()) : std::nullopt;
}

bool RanksAttr::hasEveryRank(std::optional<int64_t> worldSize) const {
  int64_t listed = 0;
  for (DenseI64ArrayAttr set : getSets())
    listed += set.size();
  return listed == worldSize;
}

bool RanksAttr::hasEqualSets(std::optional<int64_t>) const {
  return llvm::all_equal(llvm::map_range(getSets(), [](auto set) { return set.size(); }));
}

LogicalResult RanksAttr::verifyMembers(EmitError emitError, int64_t worldSize) const {
  for (DenseI64ArrayAttr set : getSets())
    for (int64_t rank : set.asArrayRef())
      if (rank >= worldSize)
        return emitError() << "rank " << rank << " is beyond the world, which has " << worldSize
                           << " ranks";
  return success();
}

//===----------------------------------------------------------------------===//
// blocks and strided
//===----------------------------------------------------------------------===//

static LogicalResult verifyDivides(EmitError emitError, int64_t number, int64_t worldSize) {
  if (worldSize % number == 0)
    return success();
  return emitError() << number << " does not divide the world, which has " << worldSize << " ranks";
}

LogicalResult BlocksAttr::verify(EmitError emitError, int64_t length) {
  if (length < 1)
    return emitError() << "violates blocks_c1: a block has at least one rank, not " << length;
  return success();
}

Members BlocksAttr::getSetOf(int64_t rank, int64_t) const {
  int64_t first = rank - rank % getLength();
  return llvm::to_vector(llvm::seq<int64_t>(first, first + getLength()));
}

std::optional<int64_t> BlocksAttr::getSetSize(std::optional<int64_t>) const { return getLength(); }
bool BlocksAttr::hasEveryRank(std::optional<int64_t>) const { return true; }
bool BlocksAttr::hasEqualSets(std::optional<int64_t>) const { return true; }

LogicalResult BlocksAttr::verifyMembers(EmitError emitError, int64_t worldSize) const {
  return verifyDivides(emitError, getLength(), worldSize);
}

LogicalResult StridedAttr::verify(EmitError emitError, int64_t stride) {
  if (stride < 1)
    return emitError() << "violates strided_c1: a stride is at least one, not " << stride;
  return success();
}

Members StridedAttr::getSetOf(int64_t rank, int64_t worldSize) const {
  SmallVector<int64_t> set;
  for (int64_t member = rank % getStride(); member < worldSize; member += getStride())
    set.push_back(member);
  return set;
}

std::optional<int64_t> StridedAttr::getSetSize(std::optional<int64_t> worldSize) const {
  return worldSize ? std::optional<int64_t>(*worldSize / getStride()) : std::nullopt;
}
bool StridedAttr::hasEveryRank(std::optional<int64_t>) const { return true; }
bool StridedAttr::hasEqualSets(std::optional<int64_t>) const { return true; }

LogicalResult StridedAttr::verifyMembers(EmitError emitError, int64_t worldSize) const {
  return verifyDivides(emitError, getStride(), worldSize);
}

//===----------------------------------------------------------------------===//
// per_node, across_nodes, at_run_time: known when the program runs, but in a world of one rank
//===----------------------------------------------------------------------===//

#define KNOWN_AT_START(ATTRIBUTE)                                                                  \
  Members ATTRIBUTE::getSetOf(int64_t, int64_t worldSize) const {                                  \
    return worldSize == 1 ? Members(SmallVector<int64_t>{0}) : std::nullopt;                       \
  }                                                                                                \
  std::optional<int64_t> ATTRIBUTE::getSetSize(std::optional<int64_t> worldSize) const {           \
    return worldSize == 1 ? worldSize : std::nullopt;                                              \
  }                                                                                                \
  bool ATTRIBUTE::hasEveryRank(std::optional<int64_t>) const { return true; }                      \
  bool ATTRIBUTE::hasEqualSets(std::optional<int64_t> worldSize) const { return worldSize == 1; }  \
  LogicalResult ATTRIBUTE::verifyMembers(EmitError, int64_t) const { return success(); }
KNOWN_AT_START(PerNodeAttr)
KNOWN_AT_START(AcrossNodesAttr)
#undef KNOWN_AT_START

Members AtRunTimeAttr::getSetOf(int64_t, int64_t) const { return std::nullopt; }
std::optional<int64_t> AtRunTimeAttr::getSetSize(std::optional<int64_t>) const {
  return std::nullopt;
}
bool AtRunTimeAttr::hasEveryRank(std::optional<int64_t>) const { return false; }
bool AtRunTimeAttr::hasEqualSets(std::optional<int64_t>) const { return false; }
LogicalResult AtRunTimeAttr::verifyMembers(EmitError, int64_t) const { return success(); }

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

std::optional<int64_t> GroupOp::getWorldSize() {
  if (!getMembers() && getSize())
    return *getSize();
  return findWorldSize((*this)->getParentOp());
}

bool GroupOp::hasEveryRank() { return !getMembers() || getMembers()->hasEveryRank(getWorldSize()); }

bool GroupOp::hasEqualSets() {
  return !getMembers() || getSize() || getMembers()->hasEqualSets(getWorldSize());
}

std::optional<int64_t> GroupOp::getSetSize() {
  if (getSize())
    return *getSize();
  return getMembers() ? getMembers()->getSetSize(getWorldSize()) : getWorldSize();
}

bool GroupOp::isWholeWorld() {
  if (!getMembers())
    return true;
  std::optional<int64_t> world = getWorldSize();
  return world && hasEveryRank() && getSetSize() == world;
}

Members GroupOp::getSetOf(int64_t rank) {
  std::optional<int64_t> world = getWorldSize();
  if (!world)
    return std::nullopt;
  if (getMembers())
    return getMembers()->getSetOf(rank, *world);
  return llvm::to_vector(llvm::seq<int64_t>(0, *world));
}

GroupOp tutti::collective::lookupGroup(Operation *user, FlatSymbolRefAttr group) {
  return SymbolTable::lookupNearestSymbolFrom<GroupOp>(user, group);
}

std::optional<int64_t> tutti::collective::lookupGroupSize(Operation *user,
                                                          FlatSymbolRefAttr group) {
  GroupOpInterface op = findGroup(user, group);
  return op ? op.getSizeOfSets() : std::nullopt;
}

std::optional<int64_t> tutti::collective::lookupWorldSize(Operation *user) {
  return findWorldSizeAt(user);
}

bool tutti::collective::isEveryRankMember(Operation *user, FlatSymbolRefAttr group) {
  GroupOpInterface op = findGroup(user, group);
  return op && op.holdsEveryRank();
}
