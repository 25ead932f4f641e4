// Rules of what moves dimensions or sums over them: broadcasts, products, convolutions, reductions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/stablehlo/Families.h"
#include "lib/stablehlo/Ops.h"

#include "mlir/IR/TypeUtilities.h"
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

/// Wider elements become several, along a last dimension, or several one.
bool stablehlo::shareBitcast(Operation *op, SharedFactors &factors) {
  unsigned result = factors.getResult();
  int64_t rank = std::min(factors.getType(0).getRank(), factors.getType(result).getRank());
  for (int64_t at = 0; at < rank; ++at)
    factors.share(FactorKind::Pass, {{0, at}, {result, at}});
  return op->getNumOperands() == 1;
}

/// Each feature has its own scale, offset, mean and variance.
bool stablehlo::shareBatchNorm(Operation *op, SharedFactors &factors) {
  int64_t feature = getInteger(op, "feature_index").value_or(-1);
  if (op->getNumOperands() != 5)
    return false;
  for (int64_t at = 0, rank = factors.getType(0).getRank(); at < rank; ++at) {
    SmallVector<Place> places = {{0, at}, {factors.getResult(), at}};
    for (unsigned vector = 1; at == feature && vector < 5; ++vector)
      places.push_back({vector, 0});
    factors.share(FactorKind::Pass, places);
  }
  return true;
}

namespace {
/// The dimensions of one side of a dot_general, or of a dot, which has the last dimension of the
/// left side in common with the first of the right one.
struct DotSide {
  SmallVector<int64_t> batching, contracting, free;

  DotSide(Operation *op, StringRef side, int64_t rank)
      : batching(getListIn(op, "dot_dimension_numbers", (side + "_batching_dimensions").str())),
        contracting(
            getListIn(op, "dot_dimension_numbers", (side + "_contracting_dimensions").str())) {
    if (isKind(op, "dot"))
      contracting = {side == "lhs" ? rank - 1 : 0};
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

/// Whether all tensors have the dimensions that their convolution names.
static bool isWithin(const ConvolutionDimensions &at, const SharedFactors &factors) {
  auto has = [&](unsigned tensor, int64_t dimension) {
    return dimension < factors.getType(tensor).getRank();
  };
  return has(0, at.inputBatch) && has(0, at.inputFeature) && has(1, at.kernelInput) &&
         has(1, at.kernelOutput) && has(2, at.outputBatch) && has(2, at.outputFeature);
}

bool stablehlo::shareConvolution(Operation *op, SharedFactors &factors) {
  std::optional<ConvolutionDimensions> at = getConvolutionDimensions(op);
  if (!at || op->getNumOperands() != 2 || !isWithin(*at, factors))
    return false;
  auto sizeOf = [&](unsigned tensor, int64_t dimension) {
    return factors.getType(tensor).getDimSize(dimension);
  };
  int64_t featureGroups = getInteger(op, "feature_group_count").value_or(1),
          batchGroups = getInteger(op, "batch_group_count").value_or(1);
  int64_t batch = sizeOf(2, at->outputBatch), summed = sizeOf(1, at->kernelInput),
          made = sizeOf(2, at->outputFeature), groups = featureGroups * batchGroups;
  bool isGrouped = featureGroups > 0 && batchGroups > 0 && batch > 0 && summed > 0 &&
                   (featureGroups == 1 || batchGroups == 1) && made % groups == 0 &&
                   sizeOf(0, at->inputBatch) == batchGroups * batch &&
                   sizeOf(0, at->inputFeature) == featureGroups * summed &&
                   sizeOf(1, at->kernelOutput) == made;
  if (!isGrouped)
    return false;
  Place madeByKernel = {1, at->kernelOutput}, madeFeature = {2, at->outputFeature};
  factors.shareNext(FactorKind::Pass, featureGroups,
                    {{0, at->inputFeature}, madeByKernel, madeFeature});
  factors.shareNext(FactorKind::Pass, batchGroups,
                    {{0, at->inputBatch}, madeByKernel, madeFeature});
  factors.shareNext(FactorKind::Pass, batch, {{0, at->inputBatch}, {2, at->outputBatch}});
  factors.shareNext(FactorKind::Sum, summed, {{0, at->inputFeature}, {1, at->kernelInput}});
  factors.shareNext(FactorKind::Pass, made / groups, {madeByKernel, madeFeature});
  return true;
}

/// How parts of what is reduced are put together. Of truths `or` is the largest and `and` the
/// smallest.
static FactorKind getReductionKind(Operation *op) {
  StringRef reduction = getReduction(op->getRegion(0), op->getNumResults());
  auto isTruth = [](Type type) { return getElementTypeOrSelf(type).isInteger(1); };
  if (llvm::all_of(op->getResultTypes(), isTruth))
    reduction = reduction == "or" ? "maximum" : reduction == "and" ? "minimum" : reduction;
  else if (llvm::any_of(op->getResultTypes(), isTruth)) // truths and numbers
    return FactorKind::Whole;
  return llvm::StringSwitch<FactorKind>(reduction)
      .Case("add", FactorKind::Sum)
      .Case("multiply", FactorKind::Prod)
      .Case("maximum", FactorKind::Max)
      .Case("minimum", FactorKind::Min)
      .Default(FactorKind::Whole);
}

bool stablehlo::shareReduce(Operation *op, SharedFactors &factors) {
  SmallVector<int64_t> dimensions = getIntegers(op, "dimensions");
  FactorKind kind = getReductionKind(op);
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
