// Slices and joins, in the dialect of the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/distribution/tensor/ChunkedValues.h"

#include "lib/stablehlo/Ops.h"
#include "passes/distribution/tensor/TensorProgram.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {
/// Writes at one place of a program; in StableHLO, if `like` is of that dialect.
class Writer {
public:
  Writer(OpBuilder builder, Location loc, bool isOfStablehlo)
      : builder(builder), loc(loc), isOfStablehlo(isOfStablehlo) {}

  /// One of `count` chunks along `cut`.
  Value slice(Value whole, TensorCut cut, int64_t chunk, int64_t count) {
    Value ranges = separate(whole, cut);
    int64_t dimension = cut.dimension + (cut.outer > 1);
    SmallVector<int64_t> sizes(typeOf(ranges).getShape()), starts(sizes.size(), 0);
    sizes[dimension] /= count;
    starts[dimension] = chunk * sizes[dimension];
    return merge(extract(ranges, starts, sizes), cut);
  }

  /// The value of which these are the chunks along `cut`.
  Value join(ArrayRef<Value> chunks, TensorCut cut) {
    auto ranges = llvm::map_to_vector(chunks, [&](Value chunk) { return separate(chunk, cut); });
    return merge(concatenate(ranges, cut.dimension + (cut.outer > 1)), cut);
  }

private:
  /// Of a value of `type`, whose ranges become a dimension, or were one.
  static SmallVector<ReassociationIndices> getGroups(RankedTensorType type, TensorCut cut) {
    SmallVector<ReassociationIndices> groups;
    int64_t next = 0;
    for (int64_t dimension = 0; dimension < type.getRank(); ++dimension) {
      groups.push_back({next++});
      if (dimension == cut.dimension)
        groups.back().push_back(next++);
    }
    return groups;
  }

  /// The ranges of a cut as a dimension of their own, if there are several.
  Value separate(Value value, TensorCut cut) {
    if (cut.outer == 1)
      return value;
    SmallVector<int64_t> shape(typeOf(value).getShape());
    shape[cut.dimension] /= cut.outer;
    shape.insert(shape.begin() + cut.dimension, cut.outer);
    RankedTensorType type = typeOf(value).clone(shape);
    if (isOfStablehlo)
      return stablehlo::create(builder, loc, "reshape", type, value)->getResult(0);
    return tensor::ExpandShapeOp::create(builder, loc, type, value, getGroups(typeOf(value), cut));
  }

  /// The inverse.
  Value merge(Value value, TensorCut cut) {
    if (cut.outer == 1)
      return value;
    SmallVector<int64_t> shape(typeOf(value).getShape());
    shape.erase(shape.begin() + cut.dimension);
    shape[cut.dimension] *= cut.outer;
    RankedTensorType type = typeOf(value).clone(shape);
    if (isOfStablehlo)
      return stablehlo::create(builder, loc, "reshape", type, value)->getResult(0);
    return tensor::CollapseShapeOp::create(builder, loc, type, value, getGroups(type, cut));
  }

  Value extract(Value value, ArrayRef<int64_t> starts, ArrayRef<int64_t> sizes) {
    SmallVector<int64_t> strides(sizes.size(), 1), limits;
    for (auto [start, size] : llvm::zip_equal(starts, sizes))
      limits.push_back(start + size);
    RankedTensorType type = typeOf(value).clone(sizes);
    if (!isOfStablehlo)
      return tensor::ExtractSliceOp::create(builder, loc, type, value, ValueRange(), ValueRange(),
                                            ValueRange(), starts, sizes, strides);
    auto name = [&](StringRef text, ArrayRef<int64_t> numbers) {
      return builder.getNamedAttr(text, builder.getDenseI64ArrayAttr(numbers));
    };
    return stablehlo::create(builder, loc, "slice", type, value,
                             {name("start_indices", starts), name("limit_indices", limits),
                              name("strides", strides)})
        ->getResult(0);
  }

  Value concatenate(ArrayRef<Value> values, int64_t dimension) {
    if (!isOfStablehlo)
      return tensor::ConcatOp::create(builder, loc, dimension, values);
    SmallVector<int64_t> shape(typeOf(values.front()).getShape());
    shape[dimension] *= values.size();
    return stablehlo::create(
               builder, loc, "concatenate", typeOf(values.front()).clone(shape), values,
               {builder.getNamedAttr("dimension", builder.getI64IntegerAttr(dimension))})
        ->getResult(0);
  }

  OpBuilder builder;
  Location loc;
  bool isOfStablehlo;
};
} // namespace

void ChunkedValues::set(Value value, const Layout &layout, const Chunks &chunks) {
  computed[value] = {layout, chunks};
}

const ChunkedValues::Chunks &ChunkedValues::get(Value value, TensorCut cut) {
  auto known = computed.find(value);
  if (known != computed.end() && known->second.layout == cut.getLayout())
    return known->second.chunks;
  Chunks &chunks = slices[{value, cut.dimension, cut.outer}];
  if (!chunks.empty())
    return chunks;
  Value whole = getWhole(value);
  OpBuilder builder = builderAfter(whole);
  for (int64_t chunk = 0; chunk < count; ++chunk)
    chunks.push_back(
        isSplat(whole)
            ? repeatSplat(builder, whole, getBlockType(whole.getType(), cut.dimension, count))
            : Writer(builder, whole.getLoc(), isOfStablehlo).slice(whole, cut, chunk, count));
  return chunks;
}

Value ChunkedValues::getWhole(Value value) {
  auto known = computed.find(value);
  if (known == computed.end())
    return value;
  const auto &[layout, chunks] = known->second;
  if (!layout.isShard())
    return chunks.front();
  Value &whole = wholes[value];
  if (!whole)
    whole = Writer(OpBuilder(value.getDefiningOp()), value.getLoc(), isOfStablehlo)
                .join(chunks, {layout.dimension, layout.outer});
  return whole;
}

Operation *tutti::distribution::createChunk(OpBuilder &builder, Operation *op,
                                            const Transfer &transfer, ValueRange operands,
                                            int64_t chunks) {
  SmallVector<Type> types;
  for (auto [result, layout] : llvm::zip_equal(op->getResults(), transfer.results))
    types.push_back(layout.isShard() ? getBlockType(result.getType(), layout.dimension, chunks)
                                     : result.getType());
  if (movesData(op))
    return getFactory(op)->createLike(builder, op->getLoc(), op, operands, types);
  Operation *chunk = builder.clone(*op);
  chunk->setOperands(operands);
  for (auto [result, type] : llvm::zip_equal(chunk->getResults(), types))
    result.setType(type);
  setShape(chunk);
  if (!transfer.operands.empty() && transfer.operands.front().isShard())
    stablehlo::fitSizes(chunk, transfer.operands.front().dimension);
  return chunk;
}
