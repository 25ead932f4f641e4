// Attention of several heads: that of operator set 23, and that of com.microsoft.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/ComposedForms.h"
#include "lib/frontend/forms/Composer.h"
#include "lib/frontend/model/ElementTypes.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace tutti::frontend;

namespace {

/// Queries, keys and values, [batch, heads, entries, size], and what becomes of their products.
class Heads {
public:
  Heads(ImportedNode &node, FormContext &context) : node(node), with(node, context) {}

  /// Takes operands 0 to 2. Where they have three dimensions, `queries` and `others` say of how
  /// many heads the last one is; there must be as many of `others`, or a part of them. `pastKey`
  /// and `pastValue`, [batch, heads, entries, size], come in front of the others, or are null.
  LogicalResult read(int64_t queries, int64_t others, Value pastKey, Value pastValue);
  /// What com.microsoft adds to the three first, one after the other; not to keys and values that
  /// are of heads already.
  LogicalResult addTo(Value bias);
  bool mayDiffer = false; ///< whether queries may have three dimensions, and the others four

  double number(StringRef name, double otherwise) const {
    auto given = dyn_cast_or_null<FloatAttr>(node.attributes.get(name));
    return given ? given.getValueAsDouble() : otherwise;
  }
  Value constant(double value) { return with.number(element, value); }
  Value scores();
  /// Whether a key does not come after the query, [queries, keys].
  Value isNotAfter();
  /// How many entries a tensor of heads has.
  Value lengthOf(Value value);
  /// How many keys of each sample are none of padding, [batch, 1, 1, 1]; null: all.
  Value lengths;
  /// What is added to scores, -infinity where a query does not see a key; null: nothing. `mask`
  /// says which keys are seen, or is added, or null.
  FailureOr<Value> bias(Value mask, bool isCausal);
  Value softmax(Value scores) {
    return with.create("Softmax", scores, {{"axis", with.integer(-1)}});
  }
  /// The values, weighted, in the shape of the queries.
  Value attend(Value weights);

  ImportedNode &node;
  Composer with;
  Type element;
  Value query, key, value;
  Value presentKey, presentValue; ///< those of the past first, each head once

private:
  FailureOr<Value> split(Value given, int64_t heads);
  Value repeat(Value given, int64_t heads);
  FailureOr<Value> afterPast(Value past, Value given);
  bool areSplit = false; ///< the operands are so
  Value past;            ///< keys of it
};

} // namespace

FailureOr<Value> Heads::split(Value given, int64_t heads) {
  RankedTensorType type = typeOf(given);
  if (type.getRank() == 4)
    return given;
  int64_t size = type.getDimSize(2);
  if (heads < 1 || ShapedType::isDynamic(size) || size % heads != 0)
    return node.emitError() << "cannot divide the last dimension of " << type << " into " << heads
                            << " heads";
  Value apart =
      with.create("Reshape", given, {{"shape", with.integers({0, 0, heads, size / heads})}});
  return with.create("Transpose", apart, {{"perm", with.integers({0, 2, 1, 3})}});
}

/// Each head as often as queries use it.
Value Heads::repeat(Value given, int64_t heads) {
  if (!given || typeOf(given).getDimSize(1) == heads)
    return given;
  int64_t times = heads / typeOf(given).getDimSize(1), size = typeOf(given).getDimSize(3);
  SmallVector<int64_t> wide(typeOf(given).getShape());
  wide.insert(wide.begin() + 2, times);
  llvm::replace(wide, ShapedType::kDynamic, int64_t(-1));
  Value apart = with.create("Unsqueeze", given, {{"axes", with.integers(2)}});
  Value repeated = with.create("Expand", apart, {{"shape", with.integers(wide)}});
  return with.create("Reshape", repeated, {{"shape", with.integers({0, heads, -1, size})}});
}

FailureOr<Value> Heads::afterPast(Value past, Value given) {
  if (!past)
    return given;
  auto type = dyn_cast<RankedTensorType>(past.getType());
  if (!type || type.getRank() != 4)
    return node.emitError() << "needs keys and values of the past, [batch, heads, entries, size], "
                            << "got " << past.getType();
  Value together = with.create("Concat", {past, given}, {{"axis", with.integer(2)}});
  return together ? FailureOr<Value>(together) : FailureOr<Value>(failure());
}

LogicalResult Heads::addTo(Value bias) {
  auto hasRank3 = [](Value value) {
    auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
    return type && type.getRank() == 3;
  };
  int64_t start = 0;
  for (Value &operand : MutableArrayRef(node.operands).take_front(3)) {
    if (!hasRank3(operand))
      continue;
    int64_t size = typeOf(operand).getDimSize(2);
    if (ShapedType::isDynamic(size))
      return node.emitError() << "needs to know the last size of " << operand.getType()
                              << ", to which a part of its bias is added";
    Value part = with.create("Slice", bias,
                             {{"starts", with.integers(start)},
                              {"ends", with.integers(start + size)},
                              {"axes", with.integers(0)}});
    operand = part ? with.create("Add", {operand, part}) : Value();
    if (!operand)
      return failure();
    start += size;
  }
  return success();
}

LogicalResult Heads::read(int64_t queries, int64_t others, Value pastKey, Value pastValue) {
  int64_t rank = 0;
  for (Value operand : ArrayRef(node.operands).take_front(3)) {
    auto type = operand ? dyn_cast<RankedTensorType>(operand.getType()) : RankedTensorType();
    bool isAnother = type && rank != type.getRank() && (rank == 0 || mayDiffer);
    rank = isAnother ? type.getRank() : rank;
    if (!type || type.getRank() != rank || (rank != 3 && rank != 4))
      return node.emitError()
             << "needs queries, keys and values, all of three dimensions or all of "
                "four, whose ranks are known";
  }
  areSplit = typeOf(node.operands[0]).getRank() == 4;
  element = typeOf(node.operands[0]).getElementType();
  FailureOr<Value> parts[] = {split(node.operands[0], queries), split(node.operands[1], others),
                              split(node.operands[2], others)};
  if (llvm::any_of(parts, [](const FailureOr<Value> &part) { return failed(part) || !*part; }))
    return failure();
  query = *parts[0];
  past = pastKey;
  for (auto [part, before] : {std::pair(&parts[1], pastKey), std::pair(&parts[2], pastValue)})
    if (failed(*part = afterPast(before, **part)))
      return failure();
  presentKey = *parts[1], presentValue = *parts[2];
  int64_t heads = typeOf(query).getDimSize(1), fewer = typeOf(*parts[1]).getDimSize(1);
  if (ShapedType::isDynamic(heads) || ShapedType::isDynamic(fewer) || fewer < 1 ||
      heads % fewer != 0 || ShapedType::isDynamic(typeOf(query).getDimSize(3)))
    return node.emitError() << "has " << heads << " heads of queries and " << fewer
                            << " of keys; the first must be a multiple of the second, and their "
                               "size known";
  key = repeat(*parts[1], heads);
  value = repeat(*parts[2], heads);
  return success(key && value);
}

/// The products of queries and keys, scaled: by default so that their variance is 1.
Value Heads::scores() {
  double scale = number("scale", 0), size = double(typeOf(query).getDimSize(3));
  scale = scale == 0 ? 1 / std::sqrt(size) : scale;
  Value turned = with.create("Transpose", key, {{"perm", with.integers({0, 1, 3, 2})}});
  return with.create("Mul", {with.create("MatMul", {query, turned}), constant(scale)});
}

Value Heads::isNotAfter() {
  Value place = with.countOf(query, 2, /*after=*/1);
  if (past)
    place = with.create("Add", {place, lengthOf(past)});
  else if (lengths)
    place = with.create("Add", {place, with.create("Sub", {lengths, lengthOf(query)})});
  return with.create("LessOrEqual", {with.countOf(key, 2, /*after=*/0), place});
}

Value Heads::lengthOf(Value value) {
  Type integer = with.builder.getI64Type();
  if (!typeOf(value).isDynamicDim(2))
    return with.number(integer, double(typeOf(value).getDimSize(2)));
  Value places = with.countOf(value, 2, /*after=*/0);
  Value ones = with.cast(with.create("Equal", {places, places}), integer);
  return with.create("ReduceSum", ones, {{"keepdims", with.integer(0)}});
}

FailureOr<Value> Heads::bias(Value mask, bool isCausal) {
  Value none = constant(-std::numeric_limits<double>::infinity()), added = mask, isSeen;
  if (mask) {
    auto type = dyn_cast<RankedTensorType>(mask.getType());
    if (!type || type.getRank() == 0 || type.getRank() > 4)
      return node.emitError()
             << "needs a mask of one to four dimensions, the last one of keys, got "
             << mask.getType();
    added = type.getElementType().isInteger(1) ? with.create("Where", {mask, constant(0), none})
                                               : with.cast(mask, element);
    int64_t keys = typeOf(key).getDimSize(2), given = type.getShape().back();
    if (added && given != 1 && !ShapedType::isDynamic(keys) && !ShapedType::isDynamic(given) &&
        given < keys) { // of those beyond it none is seen
      SmallVector<int64_t> pads(2 * type.getRank(), 0);
      pads.back() = keys - given;
      Attribute value = with.builder.getF64FloatAttr(-std::numeric_limits<double>::infinity());
      added = with.create("Pad", added, {{"pads", with.integers(pads)}, {"value", value}});
    }
  }
  if (isCausal)
    isSeen = isNotAfter();
  if (lengths) {
    Value within = with.create("Less", {with.countOf(key, 2, /*after=*/0), lengths});
    isSeen = isSeen ? with.create("And", {isSeen, within}) : within;
  }
  if (isSeen)
    added = with.create("Where", {isSeen, added ? added : constant(0), none});
  return added;
}

Value Heads::attend(Value weights) {
  Value result = with.create("MatMul", {weights, value});
  if (areSplit || !result)
    return result;
  int64_t size = typeOf(result).getDimSize(1) * typeOf(result).getDimSize(3);
  Value together = with.create("Transpose", result, {{"perm", with.integers({0, 2, 1, 3})}});
  return with.create("Reshape", together, {{"shape", with.integers({0, 0, size})}});
}

LogicalResult tutti::frontend::composeAttention(ImportedNode &node, FormContext &context,
                                                Results &results) {
  if (!node.operand(4) != !node.operand(5))
    return node.emitError() << "has keys of the past without values, or values without keys";
  int64_t shown = node.integer("qk_matmul_output_mode", 0);
  if (shown < 0 || shown > 3)
    return node.emitError() << "has qk_matmul_output_mode " << shown << "; 0 to 3 are known";
  Heads heads(node, context);
  Composer &with = heads.with;
  if (failed(heads.read(node.integer("q_num_heads", 0), node.integer("kv_num_heads", 0),
                        node.operand(4), node.operand(5))))
    return failure();
  Value scores = heads.scores();
  SmallVector<Value, 4> stages = {scores};                 // what output 3 may show
  if (double cap = heads.number("softcap", 0); cap != 0) { // before any mask, which must stay
    Value bent = with.create("Tanh", with.create("Div", {scores, heads.constant(cap)}));
    scores = with.create("Mul", {bent, heads.constant(cap)});
  }
  stages.push_back(scores);
  Value mask = node.operand(3), lengths = node.operand(6); // the second since operator set 24
  if (lengths)
    heads.lengths = with.create("Unsqueeze", with.cast(lengths, with.builder.getI64Type()),
                                {{"axes", with.integers({1, 2, 3})}});
  FailureOr<Value> bias = heads.bias(mask, node.integer("is_causal", 0) != 0);
  if (failed(bias))
    return failure();
  if (*bias)
    scores = with.create("Add", {scores, *bias});
  stages.push_back(scores);
  Type precise = heads.element;
  if (int64_t type = node.integer("softmax_precision", 0))
    precise = elementType(static_cast<int32_t>(type), with.builder.getContext());
  if (!isa_and_nonnull<FloatType>(precise))
    return node.emitError() << "has softmax_precision " << node.integer("softmax_precision", 0)
                            << ", which is the number of no float type";
  Value isBlind; // queries that see no key
  if (mask || lengths) {
    Value most = with.create("ReduceMax", *bias,
                             {{"axes", with.integers(-1)}, {"keepdims", with.integer(1)}});
    Value none = heads.constant(-std::numeric_limits<double>::infinity());
    isBlind = with.create("Equal", {most, none});
    scores =
        with.create("Where", {isBlind, heads.constant(0), scores}); // so that slopes are finite
  }
  Value weights = heads.softmax(with.cast(scores, precise));
  if (isBlind)
    weights = with.create("Where", {isBlind, with.number(precise, 0), weights});
  weights = with.cast(weights, heads.element);
  stages.push_back(weights);
  results.append({heads.attend(weights), heads.presentKey, heads.presentValue, stages[shown]});
  return success(results.front() != nullptr);
}

/// What a mask of com.microsoft, of whatever rank, says about each key, for all heads; null after a
/// diagnostic.
static Value keepsKeys(Heads &heads, Value mask) {
  Composer &with = heads.with;
  RankedTensorType type = typeOf(mask);
  int64_t batch = typeOf(heads.query).getDimSize(0);
  if (type.getRank() == 0 || type.getRank() > 4 ||
      (type.getRank() == 1 && type.getDimSize(0) != batch)) {
    heads.node.emitError() << "a mask " << type
                           << " is not supported; one of 0 and 1 for each key, "
                           << "[batch, keys], is";
    return nullptr;
  }
  if (type.getRank() == 1) { // how many keys there are
    Value lengths = with.create("Unsqueeze", with.cast(mask, with.builder.getI64Type()),
                                {{"axes", with.integers(1)}});
    mask = with.create("Less", {with.countOf(heads.key, 2, /*after=*/0), lengths});
  }
  Value keeps = with.cast(mask, with.builder.getI1Type());
  if (!keeps || typeOf(keeps).getRank() == 4)
    return keeps;
  SmallVector<int64_t> axes = {1};
  if (typeOf(keeps).getRank() == 2)
    axes.push_back(2);
  return with.create("Unsqueeze", keeps, {{"axes", with.integers(axes)}});
}

LogicalResult tutti::frontend::composeHeads(ImportedNode &node, FormContext &context,
                                            Results &results) {
  int64_t count = node.integer("num_heads", 0);
  Heads heads(node, context);
  Composer &with = heads.with;
  Value pastKey = node.operand(5), pastValue = node.operand(6);
  if (!pastKey != !pastValue && (!pastKey || typeOf(pastKey).getRank() != 5))
    return node.emitError()
           << "needs keys and values of the past, or one tensor of both, [2, batch, "
           << "heads, entries, size]";
  if (pastKey && !pastValue) {
    auto take = [&](int64_t which) {
      Value index = with.number(with.builder.getI64Type(), double(which));
      return with.create("Gather", {node.operand(5), index}, {{"axis", with.integer(0)}});
    };
    pastKey = take(0), pastValue = take(1);
  }
  heads.mayDiffer = true;
  if (Value bias = node.operand(7); bias && failed(heads.addTo(bias)))
    return failure();
  if (failed(heads.read(count, count, pastKey, pastValue)))
    return failure();
  Value scores = heads.scores();
  auto hide = [&](Value keeps) {
    Value added = with.create(
        "Where", {keeps, heads.constant(0), heads.constant(heads.number("filter", -10000))});
    scores = with.create("Add", {scores, added});
  };
  if (Value mask = node.operand(3))
    hide(keepsKeys(heads, mask));
  if (node.integer("causal", 0) != 0)
    hide(heads.isNotAfter());
  if (Value bias = node.operand(4))
    scores = with.create("Add", {scores, bias});
  results.append({heads.attend(heads.softmax(scores)), heads.presentKey, heads.presentValue});
  return success(results.front() != nullptr);
}
