// Equal entries of constants, and of what is looked up or computed of them alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/specialize/EqualSamples.h"

#include "dialects/onnx/Onnx.h"
#include "lib/program/PostOrder.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::specialize;

bool tutti::specialize::isBroadcasting(Operation *op) { return op->hasTrait<onnx::Formula>(); }

/// The entries of a tensor, as [before, dimension, behind].
namespace {
struct Runs {
  Runs(ArrayRef<int64_t> shape, unsigned dimension) : length(shape[dimension]) {
    for (int64_t size : shape.take_front(dimension))
      before *= size;
    for (int64_t size : shape.drop_front(dimension + 1))
      behind *= size;
  }
  int64_t before = 1, length, behind = 1;
};
} // namespace

/// `entries` without those along the dimension but the first; none where these are not equal.
template <typename Entry>
static std::optional<SmallVector<Entry>> firstOfEqual(ArrayRef<Entry> entries, Runs runs) {
  SmallVector<Entry> first;
  for (int64_t i = 0; i < runs.before; ++i) {
    ArrayRef<Entry> block = entries.slice(i * runs.length * runs.behind, runs.length * runs.behind);
    for (int64_t j = 1; j < runs.length; ++j)
      if (block.slice(j * runs.behind, runs.behind) != block.take_front(runs.behind))
        return std::nullopt;
    llvm::append_range(first, block.take_front(runs.behind));
  }
  return first;
}

/// `content` with one of the equal entries along `dimension`, or null.
static DenseElementsAttr takeOne(DenseElementsAttr content, unsigned dimension) {
  SmallVector<int64_t> shape(content.getType().getShape());
  Runs runs(shape, dimension);
  shape[dimension] = 1;
  ShapedType type = content.getType().clone(shape);
  if (content.isSplat())
    return content.resizeSplat(type);
  if (isa<FloatType>(type.getElementType())) {
    SmallVector<APFloat> entries(content.getValues<APFloat>());
    SmallVector<APInt> bits;
    for (const APFloat &entry : entries)
      bits.push_back(entry.bitcastToAPInt());
    auto first = firstOfEqual(ArrayRef<APInt>(bits), runs);
    if (!first)
      return nullptr;
    SmallVector<APFloat> values;
    for (const APInt &entry : *first)
      values.push_back(APFloat(entries.front().getSemantics(), entry));
    return DenseElementsAttr::get(type, values);
  }
  if (!type.getElementType().isIntOrIndex())
    return nullptr;
  SmallVector<APInt> entries(content.getValues<APInt>());
  auto first = firstOfEqual(ArrayRef<APInt>(entries), runs);
  return first ? DenseElementsAttr::get(type, *first) : nullptr;
}

static DenseElementsAttr constantOf(Value value) {
  DenseElementsAttr content;
  return matchPattern(value, m_Constant(&content)) ? content : nullptr;
}

using Source = std::pair<OpOperand *, unsigned>; ///< an operand, and one of its dimensions

/// What the entries of a result along `dimension` follow from; none where the operation does not
/// compute each of them from its own entries of operands.
static std::optional<SmallVector<Source>> sourcesOf(Operation *op, unsigned dimension) {
  if (auto gather = dyn_cast_or_null<onnx::GatherOp>(op)) {
    unsigned axis = gather.getGatheredAxis();
    unsigned looked = cast<RankedTensorType>(gather.getIndices().getType()).getRank();
    if (dimension < axis)
      return {{{&gather.getDataMutable(), dimension}}};
    if (dimension < axis + looked)
      return {{{&gather.getIndicesMutable(), dimension - axis}}};
    return {{{&gather.getDataMutable(), dimension - looked + 1}}};
  }
  if (!op || !isBroadcasting(op))
    return std::nullopt;
  SmallVector<Source> sources;
  int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = cast<RankedTensorType>(operand.get().getType());
    int64_t own = type.getRank() - rank + dimension;
    if (own >= 0 && type.getDimSize(own) != 1)
      sources.push_back({&operand, own});
  }
  return sources;
}

/// Whether an Expand repeats one entry along `dimension` of its result.
static bool repeats(onnx::ExpandOp op, unsigned dimension) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  int64_t own = input.getRank() - cast<RankedTensorType>(op.getType()).getRank() + dimension;
  return op.getShape()[dimension] != -1 && (own < 0 || input.getDimSize(own) == 1);
}

/// What decides whether the entries of a value along a dimension are equal.
static SmallVector<EqualSamples::Place> placesBefore(EqualSamples::Place place) {
  auto [value, dimension] = place;
  if (constantOf(value) || value.getDefiningOp<onnx::ExpandOp>())
    return {};
  auto sources = sourcesOf(value.getDefiningOp(), dimension);
  return sources
             ? llvm::map_to_vector(*sources,
                                   [](Source source) {
                                     return EqualSamples::Place(source.first->get(), source.second);
                                   })
             : SmallVector<EqualSamples::Place>();
}

/// The answer, of which those before it are known.
bool EqualSamples::areEqual(Place place) const {
  auto [value, dimension] = place;
  if (DenseElementsAttr content = constantOf(value))
    return takeOne(content, dimension) != nullptr;
  if (auto expand = value.getDefiningOp<onnx::ExpandOp>())
    return repeats(expand, dimension);
  auto sources = sourcesOf(value.getDefiningOp(), dimension);
  return sources && llvm::all_of(*sources, [&](Source source) {
           return equal.contains({source.first->get(), source.second});
         });
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
  if (!isa<onnx::ExpandOp>(op)) {
    auto sources = sourcesOf(op, dimension);
    for (auto [operand, there] : *sources)
      mapping.map(operand->get(), taken.at({operand->get(), there}));
  }
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
