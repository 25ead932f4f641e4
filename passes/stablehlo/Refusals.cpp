// Why an operation of StableHLO cannot work on parts of a batch, in words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/stablehlo/Refusals.h"

#include "lib/stablehlo/Ops.h"
#include "lib/stablehlo/Rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::stablehlo;

std::string stablehlo::explainUnknown(Operation *op) {
  StringRef kind = getKind(op);
  if (kind == "rng")
    return "draws numbers without a key, so that ranks would draw different ones; draw them with "
           "stablehlo.rng_bit_generator, or from a key (jax.random)";
  if (kind == "custom_call")
    return "calls code that is not known; take it out, or write what it computes in StableHLO";
  if (llvm::is_contained({"all_reduce", "all_gather", "all_to_all", "reduce_scatter",
                          "collective_permute", "collective_broadcast", "partition_id",
                          "replica_id", "async_start", "async_done"},
                         kind))
    return "is already of a program for several ranks; expected one for one device";
  if (llvm::is_contained({"send", "recv", "infeed", "outfeed"}, kind))
    return "exchanges data with the host, which ranks would do N times";
  return "is not known: there is no rule that says what it does to the parts of a batch";
}

std::string stablehlo::explainMalformed() {
  return "is not well formed: expected static tensors, and operands, results and regions as its "
         "specification has them";
}

std::string stablehlo::explainNoRule(Operation *op, int64_t ranks) {
  StringRef kind = getKind(op);
  if (kind == "convolution" && !getConvolutionDimensions(op))
    return "has dimension_numbers that are not of the form [b, f, 0]x[o, i, 0]->[b, f, 0]";
  if (!hasRule(kind))
    return "has no rule for a part of the batch";
  return llvm::formatv("is not well formed, or its samples lie along a dimension that {0} ranks do "
                       "not divide",
                       ranks);
}

/// What each kind of operation does to samples that it does not let pass: {0} is the dimension that
/// holds them, {1} the number of ranks.
static const char *findText(StringRef kind) {
  static const llvm::StringMap<const char *> texts = {
      {"reshape", "gives a shape in which the samples of a rank are no block of one dimension that "
                  "{1} ranks divide"},
      {"broadcast_in_dim", "repeats the samples"},
      {"slice", "takes some of the samples: dimension {0}, which holds them, must be taken whole"},
      {"pad", "pads along dimension {0}, which holds the samples"},
      {"concatenate", "joins values along dimension {0}, which holds the samples: the blocks of "
                      "the ranks would mix"},
      {"reverse", "reverses the samples"},
      {"sort", "sorts along dimension {0}, which holds the samples"},
      {"dynamic_update_slice", "replaces some of the samples: dimension {0}, which holds them, "
                               "must be replaced whole"},
      {"dot_general", "multiplies samples with other samples: their dimensions are not the same"},
      {"convolution", "convolves along a dimension that holds samples, or takes them in groups of "
                      "which {1} ranks have no equal number"},
      {"reduce", "reduces over the samples with more than one add, multiply, maximum, minimum, "
                 "and, or"},
      {"chlo.top_k", "takes the largest along dimension {0}, which holds the samples"},
      {"reduce_window", "has windows of several samples: its window, stride, dilation and padding "
                        "along dimension {0} must be 1, 1, 1 and 0"},
      {"select_and_scatter", "has windows of several samples: its window, stride and padding along "
                             "dimension {0} must be 1, 1 and 0"},
      {"gather", "may take rows of other samples: of a table that holds samples, dimension 0 must "
                 "be a batching dimension or whole in every window"},
  };
  if (kind == "dynamic_slice")
    kind = "slice";
  if (kind == "scatter")
    kind = "gather";
  if (kind == "dot")
    kind = "dot_general";
  if (const char *text = texts.lookup(kind))
    return text;
  return isElementwise(kind) ? "changes the number of dimensions"
                             : "works across dimension {0}, which holds the samples";
}

/// What each kind does to samples along dimension {0}, which a factor of kind `first` is, and
/// others along {1} of one shape.
static const char *findTextOfConflict(StringRef kind, FactorKind first) {
  if (kind == "reduce" || kind == "reduce_window")
    return "reduces values whose samples lie along different dimensions";
  if (kind == "select_and_scatter")
    return "takes values whose samples lie along different dimensions";
  bool isAligned =
      !llvm::is_contained({"dot", "dot_general", "convolution", "gather", "scatter"}, kind);
  if (!isAligned || first == FactorKind::Whole)
    return nullptr;
  return "combines a value whose samples lie along dimension {0} with one whose samples lie along "
         "{1}";
}

/// What an operation does to a sum over samples besides, if it is one: it adds what every rank has
/// to it, or writes, where it should add.
static const char *findTextOfSum(Operation *op, FactorKind kind, unsigned places) {
  if (isKind(op, "reduce") && kind == FactorKind::Sum)
    return "reduces over the samples from an initial value that every rank would count; start from "
           "a constant zero";
  bool writesTables = isKind(op, "scatter") && places == op->getNumResults() + 1;
  if (!writesTables) // of which indices and updates have the factor, but no table
    return nullptr;
  return kind == FactorKind::Sum
             ? "adds to a table that is not zero"
             : "writes rows for several samples with something else than add: ranks would have to "
               "agree which of them stays";
}

/// The factor along which an operand lies, or none.
static std::optional<unsigned> findFactor(const TensorFactors &tensor, const Layout &layout) {
  bool isThere = layout.dimension < int64_t(tensor.size()) && !tensor[layout.dimension].empty();
  return isThere ? std::optional(tensor[layout.dimension].front()) : std::nullopt;
}

std::string stablehlo::explainRefusal(Operation *op, const ShardingRule &rule,
                                      ArrayRef<Layout> given, int64_t ranks) {
  const Layout *first = llvm::find_if(given, [](const Layout &layout) { return layout.isShard(); });
  std::optional<unsigned> factor = findFactor(rule.operands[first - given.begin()], *first);
  FactorKind kind = factor ? rule.factors[*factor].kind : FactorKind::Whole;
  bool isOne = factor.has_value();
  for (auto [layout, tensor] : llvm::zip_equal(given, rule.operands)) {
    if (!layout.isShard())
      continue;
    isOne &= findFactor(tensor, layout) == factor;
    const char *text = findTextOfConflict(getKind(op), kind);
    if (text && layout.dimension != first->dimension)
      return llvm::formatv(text, first->dimension, layout.dimension);
  }
  unsigned places = llvm::count_if(rule.operands, [&](const TensorFactors &tensor) {
    return llvm::any_of(tensor, [&](auto &all) { return llvm::is_contained(all, factor); });
  });
  if (const char *text = isOne ? findTextOfSum(op, kind, places) : nullptr)
    return text;
  return llvm::formatv(findText(getKind(op)), first->dimension, ranks);
}
