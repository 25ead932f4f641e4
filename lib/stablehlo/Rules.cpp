// Which operations of StableHLO are known, and who answers for which.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/stablehlo/Rules.h"

#include "dialects/interfaces/sharding/ShapeFactors.h"
#include "lib/stablehlo/Families.h"
#include "lib/stablehlo/Ops.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::stablehlo;

/// The words of a text.
static llvm::StringSet<> wordsOf(StringRef text) {
  llvm::StringSet<> words;
  for (StringRef word : llvm::split(text, ' '))
    words.insert(word);
  return words;
}

bool stablehlo::isElementwise(StringRef kind) {
  static const llvm::StringSet<> kinds =
      wordsOf("abs add and atan2 bitcast_convert cbrt ceil clamp compare complex convert cosine "
              "count_leading_zeros divide exponential exponential_minus_one floor imag "
              "is_finite log log_plus_one logistic map maximum minimum multiply negate not or "
              "popcnt power real reduce_precision remainder round_nearest_afz "
              "round_nearest_even rsqrt select shift_left shift_right_arithmetic "
              "shift_right_logical sign sine sqrt subtract tan tanh xor chlo.acos chlo.acosh "
              "chlo.asin chlo.asinh chlo.atan chlo.atanh chlo.bessel_i1e chlo.conj chlo.cosh "
              "chlo.digamma chlo.erf chlo.erf_inv chlo.erfc chlo.is_inf chlo.is_neg_inf "
              "chlo.is_pos_inf chlo.lgamma chlo.next_after chlo.polygamma chlo.sinh chlo.square "
              "chlo.tan chlo.zeta");
  return kinds.contains(kind);
}

/// Operations of which each dimension is one of all tensors, or cannot be split.
static bool isAligned(StringRef kind) {
  static const llvm::StringSet<> kinds = wordsOf(
      "chlo.top_k cholesky concatenate dynamic_slice dynamic_update_slice fft pad reduce_window "
      "reverse select_and_scatter slice sort triangular_solve");
  return isElementwise(kind) || kinds.contains(kind);
}

/// Each element of a constant stands for itself.
static bool shareConstant(Operation *, SharedFactors &factors) {
  factors.freeResult();
  return true;
}

/// Each value by itself.
static bool shareBarrier(Operation *op, SharedFactors &factors) {
  for (unsigned i = 0, e = op->getNumResults(); i < e; ++i)
    for (int64_t at = 0, rank = factors.getType(i).getRank(); at < rank; ++at)
      factors.share(FactorKind::Pass, {{i, at}, {factors.getResult(i), at}});
  return true;
}

using Share = bool (*)(Operation *, SharedFactors &);

/// What the others do with dimensions.
static Share findShare(StringRef kind) {
  static const llvm::StringMap<Share> shares = {
      {"broadcast_in_dim", shareBroadcast},
      {"transpose", shareTranspose},
      {"bitcast_convert", shareBitcast},
      {"dot", shareDot},
      {"dot_general", shareDot},
      {"batch_norm_inference", shareBatchNorm},
      {"convolution", shareConvolution},
      {"reduce", shareReduce},
      {"gather", shareGather},
      {"scatter", shareScatter},
      {"optimization_barrier", shareBarrier},
      {"constant", shareConstant},
  };
  return shares.lookup(kind);
}

bool stablehlo::hasRule(StringRef kind) {
  return isAligned(kind) || findShare(kind) || kind == "reshape";
}

bool stablehlo::isPure(StringRef kind) {
  static const llvm::StringSet<> others =
      wordsOf("after_all batch_norm_grad batch_norm_training chlo.constant create_token "
              "dynamic_broadcast_in_dim dynamic_conv "
              "dynamic_gather dynamic_iota dynamic_pad dynamic_reshape get_dimension_size "
              "get_tuple_element iota real_dynamic_slice "
              "rng_bit_generator set_dimension_size tuple");
  return hasRule(kind) || others.contains(kind);
}

/// How many operands and regions an operation of `kind` has at least. No verifier of StableHLO has
/// seen it.
static std::pair<unsigned, unsigned> getLeast(StringRef kind) {
  if (kind == "scatter" || kind == "select_and_scatter")
    return {3, kind == "scatter" ? 1 : 2};
  if (kind == "reduce" || kind == "reduce_window")
    return {2, 1};
  if (llvm::is_contained({"pad", "dot", "dot_general", "convolution", "gather",
                          "dynamic_update_slice", "triangular_solve", "add", "subtract", "multiply",
                          "divide"},
                         kind))
    return {2, 0};
  return {kind == "select" || kind == "clamp" ? 3 : kind == "constant" ? 0 : 1, 0};
}

static bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

bool stablehlo::isWellFormed(Operation *op) {
  StringRef kind = getKind(op);
  auto [operands, regions] = getLeast(kind);
  bool keepsRank = llvm::is_contained({"chlo.top_k", "slice", "pad", "reverse", "sort",
                                       "concatenate", "dynamic_slice", "dynamic_update_slice",
                                       "reduce_window", "select_and_scatter", "transpose"},
                                      kind);
  auto isOfRank = [&](Type type) {
    return !keepsRank || cast<RankedTensorType>(type).getRank() ==
                             cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  };
  return op->getNumOperands() >= operands && op->getNumRegions() >= regions &&
         op->getNumResults() > 0 && llvm::all_of(op->getOperandTypes(), isStaticTensor) &&
         llvm::all_of(op->getResultTypes(), isStaticTensor) &&
         llvm::all_of(op->getResultTypes(), isOfRank) &&
         (kind != "optimization_barrier" || op->getOperandTypes() == op->getResultTypes()) &&
         llvm::all_of(op->getRegions(), [](Region &region) { return region.hasOneBlock(); });
}

/// Factors of several dimensions at once.
static ShardingRule findReshapeRule(Operation *op) {
  auto sizes = [](Value value) {
    return sizesOf(cast<RankedTensorType>(value.getType()).getShape());
  };
  ShardingRule rule = reshapeRule(sizes(op->getOperand(0)), sizes(op->getResult(0)));
  rule.addLinear({0});
  return rule;
}

static bool shareDimensions(Operation *op, SharedFactors &factors) {
  StringRef kind = getKind(op);
  if (Share share = findShare(kind))
    return share(op, factors);
  if (isAligned(kind))
    factors.shareAligned([&](int64_t dimension) { return keepsDimension(op, dimension); });
  return isAligned(kind);
}

FailureOr<ShardingRule> stablehlo::findShardingRule(Operation *op) {
  if (!hasRule(getKind(op)) || !isWellFormed(op))
    return failure();
  if (isKind(op, "reshape"))
    return findReshapeRule(op);
  SharedFactors factors(op);
  if (!shareDimensions(op, factors))
    return failure();
  addLinearSets(op, factors);
  return factors.take();
}
