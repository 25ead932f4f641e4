// Making a rule of sharding, factor by factor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/stablehlo/SharedFactors.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::stablehlo;

SharedFactors::SharedFactors(Operation *op) {
  for (Type type : op->getOperandTypes())
    rule.operands.emplace_back(types.emplace_back(cast<RankedTensorType>(type)).getRank());
  for (Type type : op->getResultTypes())
    rule.results.emplace_back(types.emplace_back(cast<RankedTensorType>(type)).getRank());
}

TensorFactors &SharedFactors::factorsOf(unsigned tensor) {
  unsigned operands = rule.operands.size();
  return tensor < operands ? rule.operands[tensor] : rule.results[tensor - operands];
}

void SharedFactors::share(FactorKind kind, ArrayRef<Place> places) {
  for (auto [tensor, dimension] : places)
    if (dimension < 0 || dimension >= types[tensor].getRank() ||
        !factorsOf(tensor)[dimension].empty()) {
      isBroken = true;
      return;
    }
  auto sizeOf = [&](const Place &place) { return types[place.tensor].getDimSize(place.dimension); };
  int64_t size = sizeOf(places.front());
  if (size == 1 || llvm::any_of(places, [&](Place place) { return sizeOf(place) != size; }))
    return;
  unsigned factor = rule.add(kind, "d" + std::to_string(rule.factors.size()), size);
  for (auto [tensor, dimension] : places)
    factorsOf(tensor)[dimension] = {factor};
}

void SharedFactors::shareNext(FactorKind kind, int64_t size, ArrayRef<Place> places) {
  if (size == 1)
    return;
  unsigned factor = rule.add(kind, "d" + std::to_string(rule.factors.size()), size);
  for (auto [tensor, dimension] : places)
    factorsOf(tensor)[dimension].push_back(factor);
}

void SharedFactors::shareAligned(llvm::function_ref<bool(int64_t)> passes) {
  int64_t rank = types[getResult()].getRank();
  auto isAligned = [&](RankedTensorType type) { return type.getRank() == rank; };
  if (llvm::none_of(ArrayRef(types).take_front(getResult()), isAligned))
    return;
  for (int64_t dimension = 0; dimension < rank; ++dimension) {
    SmallVector<Place> places;
    for (auto [tensor, type] : llvm::enumerate(types))
      if (isAligned(type))
        places.push_back({static_cast<unsigned>(tensor), dimension});
    if (passes(dimension))
      share(FactorKind::Pass, places);
  }
}

void SharedFactors::fill(TensorFactors &factors, RankedTensorType type, FactorKind kind) {
  for (auto [size, dimension] : llvm::zip_equal(type.getShape(), factors))
    if (size != 1 && dimension.empty())
      dimension = {rule.add(kind, "d" + std::to_string(rule.factors.size()), size)};
}

void SharedFactors::freeResult() {
  fill(rule.results.front(), types[getResult()], FactorKind::Pass);
}

FailureOr<ShardingRule> SharedFactors::take() {
  if (isBroken)
    return failure();
  for (auto [tensor, type] : llvm::enumerate(types))
    fill(factorsOf(tensor), type, FactorKind::Whole);
  return std::move(rule);
}
