// Who answers for which operation, and the questions all of them ask.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/stablehlo/Rules.h"

#include "lib/stablehlo/Ops.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tutti::stablehlo;

RankedTensorType Question::getType(unsigned operand) const {
  return dyn_cast<RankedTensorType>(op->getOperand(operand).getType());
}

RankedTensorType Question::getResultType(unsigned result) const {
  return dyn_cast<RankedTensorType>(op->getResult(result).getType());
}

unsigned Question::count(Form::Kind kind) const {
  return llvm::count_if(forms, [&](const Form &form) { return form.kind == kind; });
}

unsigned Question::findPart() const {
  return llvm::find_if(forms, [](const Form &form) { return form.isPart(); }) - forms.begin();
}

Rule Question::give(Form result) const {
  return {forms, SmallVector<Form>(op->getNumResults(), result)};
}

std::nullopt_t Question::refuse(const llvm::Twine &text) {
  reason = text.str();
  return std::nullopt;
}

bool tutti::stablehlo::isElementwise(StringRef kind) {
  static const llvm::StringSet<> kinds = {"abs",
                                          "add",
                                          "and",
                                          "atan2",
                                          "bitcast_convert",
                                          "cbrt",
                                          "ceil",
                                          "clamp",
                                          "compare",
                                          "complex",
                                          "convert",
                                          "cosine",
                                          "count_leading_zeros",
                                          "divide",
                                          "exponential",
                                          "exponential_minus_one",
                                          "floor",
                                          "imag",
                                          "is_finite",
                                          "log",
                                          "log_plus_one",
                                          "logistic",
                                          "map",
                                          "maximum",
                                          "minimum",
                                          "multiply",
                                          "negate",
                                          "not",
                                          "or",
                                          "popcnt",
                                          "power",
                                          "real",
                                          "reduce_precision",
                                          "remainder",
                                          "round_nearest_afz",
                                          "round_nearest_even",
                                          "rsqrt",
                                          "select",
                                          "shift_left",
                                          "shift_right_arithmetic",
                                          "shift_right_logical",
                                          "sign",
                                          "sine",
                                          "sqrt",
                                          "subtract",
                                          "tan",
                                          "tanh",
                                          "xor",
                                          "chlo.acos",
                                          "chlo.acosh",
                                          "chlo.asin",
                                          "chlo.asinh",
                                          "chlo.atan",
                                          "chlo.atanh",
                                          "chlo.bessel_i1e",
                                          "chlo.conj",
                                          "chlo.cosh",
                                          "chlo.digamma",
                                          "chlo.erf",
                                          "chlo.erf_inv",
                                          "chlo.erfc",
                                          "chlo.is_inf",
                                          "chlo.is_neg_inf",
                                          "chlo.is_pos_inf",
                                          "chlo.lgamma",
                                          "chlo.next_after",
                                          "chlo.polygamma",
                                          "chlo.sinh",
                                          "chlo.square",
                                          "chlo.tan",
                                          "chlo.zeta"};
  return kinds.contains(kind);
}

using RuleFor = std::optional<Rule> (*)(Question &);

/// The rules for parts, by kind.
static const llvm::StringMap<RuleFor> &getPartRules() {
  static const llvm::StringMap<RuleFor> rules = {
      {"optimization_barrier", findBarrierRule},
      {"reshape", findReshapeRule},
      {"broadcast_in_dim", findBroadcastRule},
      {"transpose", findTransposeRule},
      {"slice", findSliceRule},
      {"pad", findPadRule},
      {"concatenate", findConcatenateRule},
      {"reverse", findReverseRule},
      {"cholesky", findBatchedRule},
      {"triangular_solve", findBatchedRule},
      {"fft", findBatchedRule},
      {"dot_general", findDotRule},
      {"convolution", findConvolutionRule},
      {"reduce", findReduceRule},
      {"reduce_window", findWindowRule},
      {"select_and_scatter", findSelectAndScatterRule},
      {"sort", findSortRule},
      {"gather", findGatherRule},
      {"scatter", findScatterRule},
      {"dynamic_slice", findDynamicSliceRule},
      {"dynamic_update_slice", findDynamicUpdateSliceRule},
  };
  return rules;
}

bool tutti::stablehlo::isPure(StringRef kind) {
  static const llvm::StringSet<> others = {"after_all",
                                           "batch_norm_grad",
                                           "batch_norm_inference",
                                           "batch_norm_training",
                                           "constant",
                                           "create_token",
                                           "dynamic_broadcast_in_dim",
                                           "dynamic_conv",
                                           "dynamic_gather",
                                           "dynamic_iota",
                                           "dynamic_pad",
                                           "dynamic_reshape",
                                           "get_dimension_size",
                                           "get_tuple_element",
                                           "iota",
                                           "real_dynamic_slice",
                                           "rng_bit_generator",
                                           "set_dimension_size",
                                           "tuple",
                                           "chlo.constant",
                                           "chlo.top_k"};
  return isElementwise(kind) || others.contains(kind) || getPartRules().contains(kind);
}

/// Why nothing is known of an operation that is not pure.
static std::string explainUnknown(StringRef kind) {
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

/// How many operands and regions an operation of `kind` has at least. No verifier of StableHLO has
/// seen it.
static std::pair<unsigned, unsigned> getLeast(StringRef kind) {
  if (kind == "scatter" || kind == "select_and_scatter")
    return {3, kind == "scatter" ? 1 : 2};
  if (kind == "reduce" || kind == "reduce_window")
    return {2, 1};
  if (llvm::is_contained({"pad", "dot_general", "convolution", "gather", "dynamic_update_slice",
                          "triangular_solve", "add", "subtract", "multiply", "divide"},
                         kind))
    return {2, 0};
  return {kind == "select" || kind == "clamp" ? 3 : 1, 0};
}

static bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

/// Whether the rules may look at operands, results and regions.
static bool isWellFormed(Operation *op) {
  StringRef kind = getKind(op);
  auto [operands, regions] = getLeast(kind);
  bool keepsRank = llvm::is_contained({"slice", "pad", "reverse", "sort", "concatenate",
                                       "dynamic_slice", "dynamic_update_slice", "reduce_window",
                                       "select_and_scatter", "transpose"},
                                      kind);
  auto isOfRank = [&](Type type) {
    return !keepsRank || cast<RankedTensorType>(type).getRank() ==
                             cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  };
  return op->getNumOperands() >= operands && op->getNumRegions() >= regions &&
         op->getNumResults() > 0 && llvm::all_of(op->getOperandTypes(), isStaticTensor) &&
         llvm::all_of(op->getResultTypes(), isStaticTensor) &&
         llvm::all_of(op->getResultTypes(), isOfRank) &&
         llvm::all_of(op->getRegions(), [](Region &region) { return region.hasOneBlock(); });
}

/// Whether each part is of a dimension that there is, and that the ranks divide.
static bool isDivided(TypeRange types, ArrayRef<Form> forms, int64_t ranks) {
  return types.size() == forms.size() && llvm::all_of(llvm::zip(types, forms), [&](auto pair) {
           auto [type, form] = pair;
           auto tensor = dyn_cast<RankedTensorType>(type);
           return !form.isPart() || (form.axis >= 0 && form.axis < tensor.getRank() &&
                                     tensor.getDimSize(form.axis) % ranks == 0);
         });
}

static std::optional<Rule> findUncheckedRule(Question &question);

std::optional<Rule> tutti::stablehlo::findRule(Question &question) {
  StringRef kind = getKind(question.op);
  if (question.op->hasTrait<OpTrait::ConstantLike>()) // of dialects that are known
    return question.give(Form::whole());
  if (!isPure(kind))
    return question.refuse(explainUnknown(kind));
  if (question.forms.size() == question.count(Form::Kind::Whole))
    return question.give(Form::whole());
  if (!isWellFormed(question.op))
    return question.refuse("is not well formed: expected static tensors, and operands, results and "
                           "regions as its specification has them");
  std::optional<Rule> rule = findUncheckedRule(question);
  if (rule && (!isDivided(question.op->getOperandTypes(), rule->operands, question.ranks) ||
               !isDivided(question.op->getResultTypes(), rule->results, question.ranks)))
    return question.refuse("is not well formed, or its samples lie along a dimension that " +
                           llvm::Twine(question.ranks) + " ranks do not divide");
  return rule;
}

/// Of operations that are well formed. Every part, and every whole beside it, must be the same
/// part.
static std::optional<Rule> findUncheckedRule(Question &question) {
  StringRef kind = getKind(question.op);
  if (question.count(Form::Kind::Partial)) {
    if (std::optional<Rule> linear = findLinearRule(question))
      return linear;
    for (Form &form : question.forms)
      if (form.isPartial())
        form = Form::whole();
  }
  if (!question.count(Form::Kind::Part))
    return question.give(Form::whole());
  if (isElementwise(kind))
    return findElementwiseRule(question);
  auto rule = getPartRules().find(kind);
  if (rule == getPartRules().end())
    return question.refuse("has no rule for a part of the batch");
  return rule->second(question);
}

RankedTensorType tutti::stablehlo::getLocalType(RankedTensorType type, int64_t axis,
                                                int64_t ranks) {
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] /= ranks;
  return RankedTensorType::get(shape, type.getElementType(), type.getEncoding());
}

/// The attribute `name`, a list of sizes, gets the size of `type` along `axis` at `place`.
static void setSize(Operation *op, StringRef name, int64_t place, int64_t size) {
  SmallVector<int64_t> sizes = getIntegers(op, name);
  if (place < 0 || place >= static_cast<int64_t>(sizes.size()))
    return;
  sizes[place] = size;
  Attribute old = op->getAttr(name);
  Builder builder(op->getContext());
  if (auto elements = dyn_cast<DenseIntElementsAttr>(old))
    op->setAttr(name, DenseIntElementsAttr::get(elements.getType(), ArrayRef<int64_t>(sizes)));
  else
    op->setAttr(name, builder.getDenseI64ArrayAttr(sizes));
}

void tutti::stablehlo::makeLocal(Operation *op, const Rule &rule, int64_t ranks) {
  StringRef kind = getKind(op);
  for (auto [result, form] : llvm::zip_equal(op->getResults(), rule.results))
    if (form.isPart())
      result.setType(getLocalType(cast<RankedTensorType>(result.getType()), form.axis, ranks));
  if (rule.operands.empty() || !rule.operands.front().isPart())
    return;
  int64_t axis = rule.operands.front().axis;
  auto shape = cast<RankedTensorType>(op->getOperand(0).getType()).getShape(); // local by now
  if (kind == "slice")
    setSize(op, "limit_indices", axis, shape[axis]);
  if (kind == "gather" &&
      !llvm::is_contained(getListIn(op, "dimension_numbers", "operand_batching_dims"), axis))
    setSize(op, "slice_sizes", axis, shape[axis]);
  if (kind == "dynamic_slice")
    setSize(op, "slice_sizes", axis, shape[axis]);
}
