// Rules of what moves dimensions or sums over them: broadcasts, products, convolutions, reductions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/stablehlo/Families.h"
#include "lib/stablehlo/Ops.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::stablehlo;

bool stablehlo::shareBroadcast(Operation *op, SharedFactors &factors) {
  SmallVector<int64_t> dimensions = getIntegers(op, "broadcast_dimensions");
  if (op->getNumOperands() != 1 || int64_t(dimensions.size()) != factors.getType(0).getRank())
    return false;
  for (auto [from, to] : llvm::enumerate(dimensions))
    factors.share(FactorKind::Pass, {{0, int64_t(from)}, {factors.getResult(), to}});
  factors.freeResult();
  return true;
}

bool stablehlo::shareTranspose(Operation *op, SharedFactors &factors) {
  for (auto [to, from] : llvm::enumerate(getIntegers(op, "permutation")))
    factors.share(FactorKind::Pass, {{0, from}, {factors.getResult(), int64_t(to)}});
  return true;
}

namespace {
/// The dimensions of one side of a dot_general.
struct DotSide {
  SmallVector<int64_t> batching, contracting, free;

  DotSide(Operation *op, StringRef side, int64_t rank)
      : batching(getListIn(op, "dot_dimension_numbers", (side + "_batching_dimensions").str())),
        contracting(
            getListIn(op, "dot_dimension_numbers", (side + "_contracting_dimensions").str())) {
    for (int64_t at = 0; at < rank; ++at)
      if (!llvm::is_contained(batching, at) && !llvm::is_contained(contracting, at))
        free.push_back(at);
  }
};
} // namespace

bool stablehlo::shareDot(Operation *op, SharedFactors &factors) {
  DotSide left(op, "lhs", factors.getType(0).getRank()),
      right(op, "rhs", factors.getType(1).getRank());
  if (op->getNumOperands() != 2 || left.batching.size() != right.batching.size() ||
      left.contracting.size() != right.contracting.size())
    return false;
  int64_t result = 0;
  for (auto [one, other] : llvm::zip_equal(left.batching, right.batching))
    factors.share(FactorKind::Pass, {{0, one}, {1, other}, {2, result++}});
  for (auto [one, other] : llvm::zip_equal(left.contracting, right.contracting))
    factors.share(FactorKind::Sum, {{0, one}, {1, other}});
  for (int64_t at : left.free)
    factors.share(FactorKind::Pass, {{0, at}, {2, result++}});
  for (int64_t at : right.free)
    factors.share(FactorKind::Pass, {{1, at}, {2, result++}});
  return true;
}

bool stablehlo::shareConvolution(Operation *op, SharedFactors &factors) {
  std::optional<ConvolutionDimensions> at = getConvolutionDimensions(op);
  if (!at || op->getNumOperands() != 2)
    return false;
  auto isOne = [&](StringRef name) { return getInteger(op, name).value_or(1) == 1; };
  if (!isOne("batch_group_count"))
    return true;
  factors.share(FactorKind::Pass, {{0, at->inputBatch}, {2, at->outputBatch}});
  if (!isOne("feature_group_count"))
    return true;
  factors.share(FactorKind::Sum, {{0, at->inputFeature}, {1, at->kernelInput}});
  factors.share(FactorKind::Pass, {{1, at->kernelOutput}, {2, at->outputFeature}});
  return true;
}

/// How parts of what is reduced are put together. Of truths `or` is the largest and `and` the
/// smallest.
static FactorKind getReductionKind(Operation *op, RankedTensorType type) {
  StringRef reduction = op->getNumOperands() == 2 ? getReduction(op->getRegion(0)) : "";
  if (type.getElementType().isInteger(1))
    reduction = reduction == "or" ? "maximum" : reduction == "and" ? "minimum" : reduction;
  return llvm::StringSwitch<FactorKind>(reduction)
      .Case("add", FactorKind::Sum)
      .Case("multiply", FactorKind::Prod)
      .Case("maximum", FactorKind::Max)
      .Case("minimum", FactorKind::Min)
      .Default(FactorKind::Whole);
}

bool stablehlo::shareReduce(Operation *op, SharedFactors &factors) {
  SmallVector<int64_t> dimensions = getIntegers(op, "dimensions");
  FactorKind kind = getReductionKind(op, factors.getType(0));
  unsigned inputs = op->getNumOperands() / 2, results = op->getNumResults();
  int64_t place = 0;
  for (int64_t at = 0, rank = factors.getType(0).getRank(); at < rank; ++at) {
    bool isReduced = llvm::is_contained(dimensions, at);
    SmallVector<Place> places;
    for (unsigned input = 0; input < inputs; ++input)
      places.push_back({input, at});
    for (unsigned result = 0; !isReduced && result < results; ++result)
      places.push_back({factors.getResult(result), place});
    place += !isReduced;
    factors.share(isReduced ? kind : FactorKind::Pass, places);
  }
  return true;
}
