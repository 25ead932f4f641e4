// The pass lower-collective-axes: collectives along any axis as collectives along axis 0. The ranks
// become a dimension of their own, which is transposed to the front, or back from it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/conversion/Passes.h"

#include "dialects/collective/Collective.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tutti::collective;

namespace tutti::conversion {
#define GEN_PASS_DEF_LOWERCOLLECTIVEAXESPASS
#include "passes/conversion/Passes.h.inc"
} // namespace tutti::conversion

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// {0}, {1}, ..., with `axis` and the next dimension together: `rank` groups.
static SmallVector<ReassociationIndices> joinedAt(int64_t axis, int64_t rank) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t group = 0, next = 0; group < rank; ++group) {
    groups.push_back({next++});
    if (group == axis)
      groups.back().push_back(next++);
  }
  return groups;
}

/// Dimension `axis` as `parts` parts: [.., N, extent / N, ..].
static Value split(OpBuilder &builder, Location loc, Value value, int64_t axis, int64_t parts) {
  SmallVector<int64_t> shape(typeOf(value).getShape());
  shape[axis] /= parts;
  shape.insert(shape.begin() + axis, parts);
  auto type = RankedTensorType::get(shape, typeOf(value).getElementType());
  return tensor::ExpandShapeOp::create(builder, loc, type, value,
                                       joinedAt(axis, typeOf(value).getRank()));
}

/// Dimensions `axis` and the next as one.
static Value join(OpBuilder &builder, Location loc, Value value, int64_t axis) {
  return tensor::CollapseShapeOp::create(builder, loc, value,
                                         joinedAt(axis, typeOf(value).getRank() - 1));
}

/// Dimension `from` in place `to`; the others keep their order.
static Value move(OpBuilder &builder, Location loc, Value value, int64_t from, int64_t to) {
  if (from == to)
    return value;
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  auto shape = llvm::map_to_vector(order, [&](int64_t axis) { return type.getDimSize(axis); });
  Value empty = tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  return linalg::TransposeOp::create(builder, loc, value, empty, order)->getResult(0);
}

namespace {

/// How a collective is changed: `before` is applied to its inputs, `after` to its outputs.
struct Change {
  /// The part of a rank becomes dimension 0 of the input, at `cut`; or the input gets a dimension
  /// of one part at the front.
  std::optional<int64_t> cut;
  /// The parts of ranks, dimension 0 of the output, are joined at `join`; or the one part at the
  /// front is dropped.
  std::optional<int64_t> join;
};

/// What to change; nothing for collectives along axis 0 and for operations without axes.
std::optional<Change> changeOf(Operation *op) {
  if (auto exchange = dyn_cast<AllToAllOp>(op)) {
    int64_t cut = exchange.getSplitAxis(), join = exchange.getConcatAxis();
    return cut == 0 && join == 0 ? std::nullopt : std::optional<Change>({cut, join});
  }
  if (!isa<AllGatherOp, GatherOp, ReduceScatterOp, ScatterOp>(op))
    return std::nullopt;
  int64_t axis = op->getAttrOfType<IntegerAttr>("axis").getInt();
  if (axis == 0)
    return std::nullopt;
  if (isa<AllGatherOp, GatherOp>(op))
    return Change{std::nullopt, axis};
  return Change{axis, std::nullopt};
}

/// How many parts the larger of input and output has; all_to_all asks its group. 0 if that is not
/// known.
int64_t partsOf(BucketOpInterface bucket, const Change &change) {
  if (auto size = lookupGroupSize(bucket, bucket.getGroupAttr()))
    return *size;
  if (change.cut && change.join)
    return 0;
  int64_t axis = change.cut ? *change.cut : *change.join;
  int64_t given = typeOf(bucket.getInputs().front()).getDimSize(axis);
  int64_t received = typeOf(bucket.getOutputs().front()).getDimSize(axis);
  return std::min(given, received) == 0 ? 0 : std::max(given, received) / std::min(given, received);
}

struct LowerCollectiveAxesPass
    : tutti::conversion::impl::LowerCollectiveAxesPassBase<LowerCollectiveAxesPass> {
  void runOnOperation() override {
    SmallVector<BucketOpInterface> buckets;
    getOperation()->walk([&](BucketOpInterface op) { buckets.push_back(op); });
    for (BucketOpInterface bucket : buckets)
      if (std::optional<Change> change = changeOf(bucket))
        rewrite(bucket, *change);
  }

  static bool isStatic(BucketOpInterface bucket) {
    auto isKnown = [](Value value) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      return type && type.hasStaticShape();
    };
    return llvm::all_of(bucket.getInputs(), isKnown) && llvm::all_of(bucket.getOutputs(), isKnown);
  }

  void rewrite(BucketOpInterface bucket, const Change &change) {
    int64_t parts = isStatic(bucket) ? partsOf(bucket, change) : 0;
    if (parts == 0)
      return;
    ++moved;
    Operation *changed = createAlongAxisZero(bucket, change, parts);
    SmallVector<Value> arrived(changed->getResults());
    OpBuilder builder(bucket);
    if (CompleteOp complete = completionOf(bucket))
      arrived = completeAnew(complete, bucket, changed, builder);
    for (auto [value, output] : llvm::zip(arrived, outputsOf(bucket)))
      output.replaceAllUsesWith(finish(builder, bucket.getLoc(), value, change));
    eraseOld(bucket);
  }

  /// The same collective along axis 0, on inputs prepared for it.
  Operation *createAlongAxisZero(BucketOpInterface bucket, const Change &change, int64_t parts) {
    OpBuilder builder(bucket);
    OperationState state(bucket.getLoc(), bucket->getName(), bucket->getOperands(),
                         bucket->getResultTypes(), bucket->getAttrs());
    for (auto [index, input] : llvm::enumerate(bucket.getInputs())) {
      Value prepared = prepare(builder, bucket.getLoc(), input, change, parts);
      state.operands[index] = prepared;
      SmallVector<int64_t> shape(typeOf(prepared).getShape());
      if (!(change.cut && change.join))
        shape[0] = change.cut ? shape[0] / parts : shape[0] * parts;
      state.types[index] = RankedTensorType::get(shape, typeOf(prepared).getElementType());
    }
    Operation *changed = builder.create(state);
    for (StringRef axis : {"axis", "split_axis", "concat_axis"})
      if (changed->hasAttr(axis))
        changed->setAttr(axis, builder.getI64IntegerAttr(0));
    return changed;
  }

  static Value prepare(OpBuilder &builder, Location loc, Value value, const Change &change,
                       int64_t parts) {
    if (!change.cut)
      return split(builder, loc, value, 0, 1);
    return move(builder, loc, split(builder, loc, value, *change.cut, parts), *change.cut, 0);
  }

  /// What arrived along axis 0 as the collective along its own axis gives it.
  static Value finish(OpBuilder &builder, Location loc, Value value, const Change &change) {
    if (!change.join)
      return join(builder, loc, value, 0);
    return join(builder, loc, move(builder, loc, value, 0, *change.join), *change.join);
  }

  //===--------------------------------------------------------------------===//
  // Collectives that are completed later: what arrives is there only then.
  //===--------------------------------------------------------------------===//

  static CompleteOp completionOf(BucketOpInterface bucket) {
    if (!bucket->hasAttr(kFuture) || bucket->use_empty())
      return {};
    return dyn_cast<CompleteOp>(*bucket->user_begin());
  }

  static SmallVector<Value> outputsOf(BucketOpInterface bucket) {
    if (CompleteOp complete = completionOf(bucket))
      return llvm::to_vector_of<Value>(complete.getOutputs());
    return llvm::to_vector_of<Value>(bucket.getOutputs());
  }

  /// Completes `changed` where `complete` stands, and sets `builder` after that.
  static SmallVector<Value> completeAnew(CompleteOp complete, BucketOpInterface bucket,
                                         Operation *changed, OpBuilder &builder) {
    builder.setInsertionPoint(complete);
    auto created =
        CompleteOp::create(builder, complete.getLoc(), changed->getResultTypes(),
                           complete.getFutureAttr(), changed->getResults(), changed->getOperands());
    return llvm::to_vector_of<Value>(created.getOutputs());
  }

  static void eraseOld(BucketOpInterface bucket) {
    if (CompleteOp complete = completionOf(bucket))
      complete.erase();
    bucket.erase();
  }
};

} // namespace
