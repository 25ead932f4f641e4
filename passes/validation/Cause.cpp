// Matches what ranks compute with what one device computes, operation by operation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/validation/Cause.h"

#include "lib/program/ValueNames.h"
#include "passes/validation/Comparison.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::interpreter;
using namespace tutti::validation;

using Entries = llvm::StringMap<std::vector<const TraceEntry *>>;

static std::string keyOf(Operation *op) {
  std::string node = program::nodeAt(op->getLoc());
  return node.empty() ? "" : node + " " + op->getName().getStringRef().str();
}

/// What each node did, in order.
static Entries byNode(const std::vector<TraceEntry> &trace) {
  Entries entries;
  for (const TraceEntry &entry : trace)
    if (std::string key = keyOf(entry.op); !key.empty())
      entries[key].push_back(&entry);
  return entries;
}

/// The dimension in which the value of a rank is shorter, the only one; nothing if it is not so.
static std::optional<int64_t> findShorter(ArrayRef<int64_t> part, ArrayRef<int64_t> whole) {
  std::optional<int64_t> axis;
  if (part.size() != whole.size())
    return std::nullopt;
  for (size_t i = 0; i < part.size(); ++i)
    if (part[i] != whole[i]) {
      if (axis)
        return std::nullopt;
      axis = i;
    }
  return axis;
}

/// Whether the values add up to that of one device, each times its weight.
static bool addUp(ArrayRef<TensorRef> values, const Tensor &whole,
                  ArrayRef<field::Number> weights) {
  for (int64_t i = 0; i < whole.size(); ++i) {
    field::Number sum = 0;
    for (auto [value, weight] : llvm::zip(values, weights))
      sum = field::add(sum, field::mul(weight, value->elements[i]));
    if (sum != whole.elements[i])
      return false;
  }
  return true;
}

namespace {
class Matcher {
public:
  Matcher(const StepRun &device, ArrayRef<StepRun> ranks) : ranks(ranks) {
    int64_t samples = device.place.samples.size();
    for (const StepRun &rank : ranks) {
      ofOne.push_back(1);
      bySamples.push_back(field::divide(rank.place.samples.size(), std::max<int64_t>(samples, 1)));
    }
  }

  /// Whether the values of all ranks are nothing that is known of that of one device.
  bool isWrong(ArrayRef<TensorRef> values, const Tensor &whole) const {
    if (llvm::all_of(values, [&](const TensorRef &value) { return areEqual(*value, whole); }))
      return false;
    if (llvm::all_of(values, [&](const TensorRef &value) { return value->shape == whole.shape; }))
      return !addUp(values, whole, ofOne) && !addUp(values, whole, bySamples);
    for (auto [value, rank] : llvm::zip(values, ranks)) {
      std::optional<int64_t> axis = findShorter(value->shape, whole.shape);
      bool isBatch = axis && value->shape[*axis] == int64_t(rank.place.samples.size());
      if (!isBatch || rank.place.samples.back() >= whole.shape[*axis])
        return false; // not known
      if (!areEqual(*value, pickAlong(whole, *axis, rank.place.samples)))
        return true;
    }
    return false;
  }

private:
  ArrayRef<StepRun> ranks;
  SmallVector<field::Number> ofOne, bySamples;
};
} // namespace

Operation *tutti::validation::findCause(const StepRun &device, ArrayRef<StepRun> ranks) {
  Entries ofDevice = byNode(device.trace);
  std::vector<Entries> ofRanks;
  for (const StepRun &rank : ranks)
    ofRanks.push_back(byNode(rank.trace));
  Matcher matcher(device, ranks);
  llvm::StringMap<size_t> counts;
  for (const TraceEntry &entry : ranks.front().trace) {
    std::string key = keyOf(entry.op);
    size_t number = counts[key]++;
    auto whole = ofDevice.find(key);
    bool isKnown = whole != ofDevice.end() && llvm::all_of(ofRanks, [&](Entries &entries) {
                     return entries[key].size() == whole->second.size();
                   });
    if (!isKnown)
      continue;
    for (auto [index, expected] : llvm::enumerate(whole->second[number]->results)) {
      SmallVector<TensorRef> values;
      for (Entries &entries : ofRanks)
        values.push_back(entries[key][number]->results[index]);
      if (expected && llvm::all_of(values, [](const TensorRef &value) { return bool(value); }) &&
          matcher.isWrong(values, *expected))
        return entry.op;
    }
  }
  return nullptr;
}
