// Arithmetic of one rank: folding with what it knows, and answers to questions about groups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/order/RankValues.h"

#include "dialects/interfaces/ranks/Communication.h"

#include "lib/analysis/order/Deciding.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tutti;

std::optional<int64_t> RankValues::getInteger(Value value) const {
  std::optional<APInt> bits = getBits(value);
  return bits ? bits->trySExtValue() : std::nullopt;
}

std::optional<APInt> RankValues::getBits(Value value) const {
  auto integer = dyn_cast_or_null<IntegerAttr>(get(value));
  return integer ? std::optional<APInt>(integer.getValue()) : std::nullopt;
}

void RankValues::set(Value value, Attribute attribute) {
  if (attribute)
    known[value] = attribute;
  else
    known.erase(value);
}

void RankValues::setInteger(Value value, int64_t integer) {
  set(value, IntegerAttr::get(value.getType(), integer));
}

void RankValues::forget(ValueRange values) {
  for (Value value : values)
    known.erase(value);
}

void RankValues::assign(ValueRange targets, ValueRange sources) {
  auto attributes = llvm::map_to_vector(sources, [&](Value source) { return get(source); });
  for (auto [target, attribute] : llvm::zip(targets, attributes))
    set(target, attribute);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

std::optional<RankSet> RankValues::getSet(Operation *user, FlatSymbolRefAttr symbol) const {
  auto dynamic = made.find(symbol.getAttr());
  return dynamic == made.end() ? sets.getSetWith(rank, user, symbol) : dynamic->second;
}

void RankValues::makeGroup(StringAttr name, std::optional<SmallVector<int64_t>> ranks) {
  if (ranks && !llvm::is_contained(*ranks, rank))
    ranks->clear();
  made[name] = ranks ? std::optional(sets.get(*ranks)) : std::nullopt;
}

/// The place of `member` in `set`, or -1.
static int64_t findPlace(ArrayRef<int64_t> set, int64_t member) {
  const auto *found = llvm::find(set, member);
  return found == set.end() ? -1 : found - set.begin();
}

std::optional<int64_t> RankValues::answer(Operation *question) const {
  RankQuestion asked = cast<RankQueryOpInterface>(question).getQuestion();
  auto set = asked.group ? getSet(question, asked.group) : std::nullopt;
  if (!set)
    return std::nullopt;
  switch (asked.kind) {
  case RankQuestion::Rank:
    return findPlace(*set, rank);
  case RankQuestion::Size:
    return set->size();
  case RankQuestion::Translate: {
    auto to = getSet(question, asked.to);
    std::optional<int64_t> member = getInteger(question->getOperand(0));
    if (!to || !member)
      return std::nullopt;
    bool isRank = *member >= 0 && *member < static_cast<int64_t>(set->size());
    return isRank ? findPlace(*to, (*set)[*member]) : -1;
  }
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

void RankValues::compute(Operation *op) {
  forget(op->getResults());
  if (auto query = dyn_cast<RankQueryOpInterface>(op); query && query.getQuestion().group) {
    if (std::optional<int64_t> found = answer(op))
      setInteger(op->getResult(0), *found);
    return;
  }
  if (op->getNumResults() == 0 || op->getNumRegions() != 0 || !isPure(op) ||
      !llvm::all_of(op->getResultTypes(), isWorthKnowing))
    return;
  if (Attribute constant; matchPattern(op, m_Constant(&constant)))
    return set(op->getResult(0), constant);
  auto operands =
      llvm::map_to_vector(op->getOperands(), [&](Value operand) { return get(operand); });
  // Folding may change the operation, so a copy is folded.
  Operation *copy = op->clone();
  SmallVector<OpFoldResult> folded;
  if (succeeded(copy->fold(operands, folded)) && folded.size() == op->getNumResults())
    for (auto [result, value] : llvm::zip(op->getResults(), folded))
      set(result, isa<Attribute>(value) ? cast<Attribute>(value) : get(cast<Value>(value)));
  copy->destroy();
}
