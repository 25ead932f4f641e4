// Arithmetic on the rank, for all ranks one after the other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/ranks/RankNumbers.h"

#include "dialects/interfaces/ranks/Communication.h"
#include "lib/analysis/order/RankValues.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tutti;

/// Beyond this many ranks none is looked at.
static constexpr int64_t kMostRanksLookedAt = 4096;
/// Of how many operations a place is computed.
static constexpr size_t kMostOperations = 64;

RankNumbers::RankNumbers(std::optional<int64_t> worldSize)
    : worldSize(worldSize.value_or(0) <= kMostRanksLookedAt ? worldSize.value_or(0) : 0) {}

/// Whether the result follows from the operands, on whatever rank, or from groups.
static bool isArithmetic(Operation *op) {
  return op->getNumRegions() == 0 && (isPure(op) || isa<RankQueryOpInterface>(op)) && !getForm(op);
}

/// Adds the operations that compute `value`, each after those it needs; false where one of them is
/// no arithmetic, or where there are too many.
static bool findComputation(Value value, llvm::SetVector<Operation *> &ops,
                            llvm::SmallPtrSetImpl<Operation *> &visited) {
  Operation *op = value.getDefiningOp();
  if (!op || !isArithmetic(op))
    return false;
  if (!visited.insert(op).second)
    return true;
  if (visited.size() > kMostOperations)
    return false;
  for (Value operand : op->getOperands())
    if (!findComputation(operand, ops, visited))
      return false;
  return ops.insert(op);
}

SmallVector<Attribute> RankNumbers::compute(Value value) const {
  llvm::SetVector<Operation *> ops;
  llvm::SmallPtrSet<Operation *, 16> visited;
  SmallVector<Attribute> numbers;
  if (worldSize == 0 || !findComputation(value, ops, visited))
    return numbers;
  RankSets sets(worldSize);
  for (int64_t rank = 0; rank < worldSize; ++rank) {
    RankValues values(rank, sets);
    for (Operation *op : ops)
      values.compute(op);
    numbers.push_back(values.get(value));
    if (!numbers.back())
      return {};
  }
  return numbers;
}

ArrayRef<Attribute> RankNumbers::get(Value value) {
  auto found = known.find(value);
  if (found == known.end())
    found = known.try_emplace(value, compute(value)).first;
  return found->second;
}

std::optional<SmallVector<int64_t>> RankNumbers::getIntegers(Value value) {
  SmallVector<int64_t> integers;
  for (Attribute number : get(value)) {
    auto integer = dyn_cast<IntegerAttr>(number);
    if (!integer || integer.getValue().getSignificantBits() > 64)
      return std::nullopt;
    integers.push_back(integer.getValue().getSExtValue());
  }
  return integers.empty() ? std::nullopt : std::optional(integers);
}
