// Equal entries of constants, and of what is looked up or computed of them alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/specialize/EqualSamples.h"

#include "dialects/onnx/Onnx.h"
#include "lib/layout/ShardingRules.h"
#include "lib/program/PostOrder.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::specialize;

bool tutti::specialize::isBroadcasting(Operation *op) { return op->hasTrait<onnx::Formula>(); }

static bool areSame(const APInt &a, const APInt &b) { return a == b; }
static bool areSame(const APFloat &a, const APFloat &b) { return a.bitwiseIsEqual(b); }

/// `content` as `type`, which has one of the entries along `dimension`; null where they differ.
template <typename Entry>
static DenseElementsAttr takeFirst(DenseElementsAttr content, unsigned dimension, ShapedType type) {
  ArrayRef<int64_t> shape = content.getType().getShape();
  int64_t after = ShapedType::getNumElements(shape.drop_front(dimension + 1));
  SmallVector<Entry> entries(content.getValues<Entry>()), first;
  for (auto [i, entry] : llvm::enumerate(entries)) {
    int64_t along = int64_t(i) / after % shape[dimension];
    if (along == 0)
      first.push_back(entry);
    else if (!areSame(entry, entries[i - along * after]))
      return nullptr;
  }
  return DenseElementsAttr::get(type, first);
}

/// `content` with one of the equal entries along `dimension`, or null.
static DenseElementsAttr takeOne(DenseElementsAttr content, unsigned dimension) {
  SmallVector<int64_t> shape(content.getType().getShape());
  shape[dimension] = 1;
  ShapedType type = content.getType().clone(shape);
  if (content.isSplat())
    return content.resizeSplat(type);
  if (isa<FloatType>(type.getElementType()))
    return takeFirst<APFloat>(content, dimension, type);
  return type.getElementType().isIntOrIndex() ? takeFirst<APInt>(content, dimension, type)
                                              : nullptr;
}

static DenseElementsAttr constantOf(Value value) {
  DenseElementsAttr content;
  return matchPattern(value, m_Constant(&content)) ? content : nullptr;
}

/// What the entries of a result along `dimension` follow from, by the rule of the operation; none
/// where it does not compute each of them from its own entries of operands.
static std::optional<SmallVector<EqualSamples::Place>> sourcesOf(Operation *op,
                                                                 unsigned dimension) {
  bool isKnown = op && (isBroadcasting(op) || isa<onnx::GatherOp>(op));
  FailureOr<ShardingRule> rule =
      isKnown ? findShardingRule(op) : FailureOr<ShardingRule>(failure());
  if (failed(rule))
    return std::nullopt;
  SmallVector<EqualSamples::Place> sources;
  for (unsigned factor : rule->results[0][dimension])
    for (auto [operand, dimensions] : llvm::zip_equal(op->getOperands(), rule->operands))
      for (auto [own, factors] : llvm::enumerate(dimensions))
        if (llvm::is_contained(factors, factor))
          sources.push_back({operand, own});
  return sources;
}

/// The dimension of an Expand's input that becomes `dimension` of its result; negative if none
/// does.
static int64_t dimensionBefore(onnx::ExpandOp op, unsigned dimension) {
  return cast<RankedTensorType>(op.getInput().getType()).getRank() -
         cast<RankedTensorType>(op.getType()).getRank() + dimension;
}

/// Whether an Expand repeats one entry along `dimension` of its result.
static bool repeats(onnx::ExpandOp op, unsigned dimension) {
  int64_t own = dimensionBefore(op, dimension);
  return op.getShape()[dimension] != -1 &&
         (own < 0 || cast<RankedTensorType>(op.getInput().getType()).getDimSize(own) == 1);
}

/// Whether the entries along `dimension` of its result are those that its input has.
static bool keeps(onnx::ExpandOp op, unsigned dimension) {
  int64_t own = dimensionBefore(op, dimension), size = op.getShape()[dimension];
  return own >= 0 && size != -1 &&
         cast<RankedTensorType>(op.getInput().getType()).getDimSize(own) ==
             cast<RankedTensorType>(op.getType()).getDimSize(dimension);
}

/// What decides whether the entries of a value along a dimension are equal.
static SmallVector<EqualSamples::Place> placesBefore(EqualSamples::Place place) {
  auto [value, dimension] = place;
  if (constantOf(value))
    return {};
  if (auto expand = value.getDefiningOp<onnx::ExpandOp>()) {
    if (repeats(expand, dimension) || !keeps(expand, dimension))
      return {};
    return {{expand.getInput(), unsigned(dimensionBefore(expand, dimension))}};
  }
  return sourcesOf(value.getDefiningOp(), dimension).value_or(SmallVector<EqualSamples::Place>());
}

/// The answer, of which those before it are known.
bool EqualSamples::areEqual(Place place) const {
  auto [value, dimension] = place;
  if (DenseElementsAttr content = constantOf(value))
    return takeOne(content, dimension) != nullptr;
  if (auto expand = value.getDefiningOp<onnx::ExpandOp>())
    return repeats(expand, dimension) ||
           (keeps(expand, dimension) &&
            equal.contains({expand.getInput(), unsigned(dimensionBefore(expand, dimension))}));
  auto sources = sourcesOf(value.getDefiningOp(), dimension);
  return sources && llvm::all_of(*sources, [&](Place source) { return equal.contains(source); });
}

bool EqualSamples::has(Value value, unsigned dimension) {
  for (Place place : program::findPostOrder(Place(value, dimension), known, placesBefore))
    if (areEqual(place))
      equal.insert(place);
  return equal.contains({value, dimension});
}

/// A clone of what computes the value, with a size of 1 in `dimension`; `taken` has its operands.
static Value cloneNarrow(OpBuilder &builder, Value value, unsigned dimension,
                         const llvm::DenseMap<EqualSamples::Place, Value> &taken) {
  if (DenseElementsAttr content = constantOf(value))
    return onnx::ConstantOp::create(builder, value.getLoc(), takeOne(content, dimension));
  Operation *op = value.getDefiningOp();
  IRMapping mapping;
  for (EqualSamples::Place source : placesBefore({value, dimension}))
    mapping.map(source.first, taken.at(source));
  Operation *narrow = builder.clone(*op, mapping);
  if (auto expand = dyn_cast<onnx::ExpandOp>(narrow)) {
    SmallVector<int64_t> sizes(expand.getShape());
    sizes[dimension] = 1;
    expand.setShape(sizes);
  }
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dimension] = 1;
  narrow->getResult(0).setType(type.clone(shape));
  return narrow->getResult(0);
}

Value tutti::specialize::takeOneSample(OpBuilder &builder, Value value, unsigned dimension) {
  llvm::DenseMap<EqualSamples::Place, Value> taken;
  llvm::DenseSet<EqualSamples::Place> visited;
  for (EqualSamples::Place place :
       program::findPostOrder(EqualSamples::Place(value, dimension), visited, placesBefore))
    taken[place] = cloneNarrow(builder, place.first, place.second, taken);
  return taken.at({value, dimension});
}
