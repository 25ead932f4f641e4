// Each communication of the shard dialect as collectives on the group along its axes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/conversion/shard/ShardMoves.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::conversion;

namespace {
/// One conversion: an overload for each operation that has an equal.
class ShardConversion {
public:
  ShardConversion(Operation *op, const Place &place, OpBuilder &builder,
                  SmallVectorImpl<Value> &results)
      : op(op), loc(op->getLoc()), place(place), builder(builder), results(results) {}

  LogicalResult run() {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<shard::AllReduceOp, shard::ReduceOp, shard::ReduceScatterOp, shard::AllGatherOp,
              shard::AllSliceOp, shard::AllToAllOp, shard::BroadcastOp, shard::GatherOp,
              shard::ScatterOp, shard::SendOp, shard::RecvOp, shard::ShiftOp, shard::GridShapeOp,
              shard::ProcessMultiIndexOp, shard::ProcessLinearIndexOp,
              shard::NeighborsLinearIndicesOp>([&](auto known) { return convert(known); })
        .Case([&](shard::UpdateHaloOp) {
          return mlir::emitError(op->getLoc())
                 << "halos have no collective: exchange the rows with shard.shift, "
                    "or shard without halo_sizes";
        })
        .Default([&](Operation *) {
          return mlir::emitError(op->getLoc())
                 << "'" << op->getName()
                 << "' is an annotation, not communication: run "
                    "--sharding-propagation and --shard-partition first";
        });
  }

private:
  // What several ranks hold becomes one.
  LogicalResult convert(shard::AllReduceOp);
  LogicalResult convert(shard::ReduceOp);
  LogicalResult convert(shard::ReduceScatterOp);
  // Moves.
  LogicalResult convert(shard::AllGatherOp);
  LogicalResult convert(shard::AllSliceOp);
  LogicalResult convert(shard::AllToAllOp);
  LogicalResult convert(shard::BroadcastOp);
  LogicalResult convert(shard::GatherOp);
  LogicalResult convert(shard::ScatterOp);
  LogicalResult convert(shard::SendOp);
  LogicalResult convert(shard::RecvOp);
  LogicalResult convert(shard::ShiftOp);
  // Questions.
  LogicalResult convert(shard::GridShapeOp);
  LogicalResult convert(shard::ProcessMultiIndexOp);
  LogicalResult convert(shard::ProcessLinearIndexOp);
  LogicalResult convert(shard::NeighborsLinearIndicesOp);

  /// A bucket of one input with the given attributes, and its result.
  template <typename Op, typename... Attributes>
  LogicalResult move(Type type, Value input, Attributes... attributes) {
    auto bucket = Op::create(builder, loc, TypeRange(type), attributes..., ValueRange(input),
                             ValueRange(), place.group);
    results.append(bucket->result_begin(), bucket->result_end());
    return success();
  }

  IntegerAttr number(const llvm::APInt &value) {
    return builder.getI64IntegerAttr(value.getSExtValue());
  }
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  Value rank(FlatSymbolRefAttr group) {
    return collective::RankOp::create(builder, loc, builder.getIndexType(), group);
  }

  FailureOr<collective::ReductionKindAttr> reduction(shard::ReductionKind kind);
  FailureOr<Value> toElementType(Value input, Type type);
  FailureOr<IntegerAttr> root(ArrayRef<int64_t> indices, ValueRange computed);
  Value peer(ArrayRef<int64_t> indices, ValueRange computed);

  Operation *op;
  Location loc;
  const Place &place;
  OpBuilder &builder;
  SmallVectorImpl<Value> &results;
};
} // namespace

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

FailureOr<collective::ReductionKindAttr> ShardConversion::reduction(shard::ReductionKind kind) {
  using collective::ReductionKind;
  auto make = [&](ReductionKind ours) {
    return collective::ReductionKindAttr::get(builder.getContext(), ours);
  };
  switch (kind) {
  case shard::ReductionKind::Sum:
    return make(ReductionKind::sum);
  case shard::ReductionKind::Average:
    return make(ReductionKind::mean);
  case shard::ReductionKind::Min:
    return make(ReductionKind::min);
  case shard::ReductionKind::Max:
    return make(ReductionKind::max);
  case shard::ReductionKind::Product:
    return make(ReductionKind::prod);
  default:
    return mlir::emitError(op->getLoc())
           << "the reduction '" << shard::stringifyReductionKind(kind)
           << "' has no collective; there are sum, average, min, max and product";
  }
}

/// Reductions convert their inputs to the element type of the result before they combine them.
FailureOr<Value> ShardConversion::toElementType(Value input, Type type) {
  if (!isa<RankedTensorType>(input.getType()))
    return mlir::emitError(op->getLoc())
           << "expected a tensor, got " << input.getType() << ": convert before bufferization";
  Type from = getElementTypeOrSelf(input), to = getElementTypeOrSelf(type);
  if (from == to)
    return input;
  Type wanted = cast<RankedTensorType>(input.getType()).clone(to);
  bool widens = from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
  if (isa<FloatType>(from) && isa<FloatType>(to) &&
      from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return widens ? arith::ExtFOp::create(builder, loc, wanted, input).getResult()
                  : arith::TruncFOp::create(builder, loc, wanted, input).getResult();
  if (from.isSignlessInteger() && to.isSignlessInteger())
    return widens ? arith::ExtSIOp::create(builder, loc, wanted, input).getResult()
                  : arith::TruncIOp::create(builder, loc, wanted, input).getResult();
  return mlir::emitError(op->getLoc())
         << "cannot reduce " << from << " in " << to << ": convert the input before it is reduced";
}

LogicalResult ShardConversion::convert(shard::AllReduceOp reduce) {
  auto kind = reduction(reduce.getReduction());
  auto input = toElementType(reduce.getInput(), reduce.getType());
  if (failed(kind) || failed(input))
    return failure();
  return move<collective::AllReduceOp>(reduce.getType(), *input, *kind);
}

LogicalResult ShardConversion::convert(shard::ReduceOp reduce) {
  auto kind = reduction(reduce.getReduction());
  auto input = toElementType(reduce.getInput(), reduce.getType());
  auto to = root(reduce.getRoot(), reduce.getRootDynamic());
  if (failed(kind) || failed(input) || failed(to))
    return failure();
  return move<collective::ReduceOp>(reduce.getType(), *input, *kind, *to);
}

LogicalResult ShardConversion::convert(shard::ReduceScatterOp reduce) {
  auto kind = reduction(reduce.getReduction());
  auto input = toElementType(reduce.getInput(), reduce.getType());
  if (failed(kind) || failed(input))
    return failure();
  return move<collective::ReduceScatterOp>(reduce.getType(), *input, *kind,
                                           number(reduce.getScatterAxis()));
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

FailureOr<IntegerAttr> ShardConversion::root(ArrayRef<int64_t> indices, ValueRange computed) {
  if (!computed.empty())
    return mlir::emitError(op->getLoc())
           << "the root is computed, but a collective has the same root every time "
              "it runs: expected constant indices";
  return builder.getI64IntegerAttr(place.grid.linearize(indices, place.axes));
}

LogicalResult ShardConversion::convert(shard::AllGatherOp gather) {
  return move<collective::AllGatherOp>(gather.getType(), gather.getInput(),
                                       number(gather.getGatherAxis()));
}

/// Every process keeps its own part: no communication.
LogicalResult ShardConversion::convert(shard::AllSliceOp slice) {
  auto type = cast<RankedTensorType>(slice.getType());
  if (!type.hasStaticShape())
    return mlir::emitError(op->getLoc()) << "expected a static shape to slice, got " << type;
  int64_t axis = slice.getSliceAxis().getSExtValue();
  Value offset =
      arith::MulIOp::create(builder, loc, rank(place.group), constant(type.getDimSize(axis)));
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  offsets[axis] = offset;
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  auto sizes = llvm::map_to_vector(
      type.getShape(), [&](int64_t size) -> OpFoldResult { return builder.getIndexAttr(size); });
  results.push_back(tensor::ExtractSliceOp::create(builder, loc, type, slice.getInput(), offsets,
                                                   sizes, strides));
  return success();
}

LogicalResult ShardConversion::convert(shard::AllToAllOp exchange) {
  return move<collective::AllToAllOp>(exchange.getType(), exchange.getInput(),
                                      number(exchange.getSplitAxis()),
                                      number(exchange.getConcatAxis()));
}

LogicalResult ShardConversion::convert(shard::BroadcastOp broadcast) {
  auto from = root(broadcast.getRoot(), broadcast.getRootDynamic());
  if (failed(from))
    return failure();
  return move<collective::BroadcastOp>(broadcast.getType(), broadcast.getInput(), *from);
}

LogicalResult ShardConversion::convert(shard::GatherOp gather) {
  auto to = root(gather.getRoot(), gather.getRootDynamic());
  if (failed(to))
    return failure();
  return move<collective::GatherOp>(gather.getType(), gather.getInput(),
                                    number(gather.getGatherAxis()), *to);
}

LogicalResult ShardConversion::convert(shard::ScatterOp scatter) {
  auto from = root(scatter.getRoot(), scatter.getRootDynamic());
  if (failed(from))
    return failure();
  return move<collective::ScatterOp>(scatter.getType(), scatter.getInput(),
                                     number(scatter.getScatterAxis()), *from);
}

/// The rank, within the group, of the process with these indices along the axes.
Value ShardConversion::peer(ArrayRef<int64_t> indices, ValueRange computed) {
  Value at = constant(0);
  for (auto [index, axis] : llvm::zip(indices, place.axes)) {
    Value next;
    if (ShapedType::isDynamic(index)) {
      next = computed.front();
      computed = computed.drop_front();
    } else {
      next = constant(index);
    }
    at = arith::MulIOp::create(builder, loc, at, constant(place.grid.getShape()[axis]));
    at = arith::AddIOp::create(builder, loc, at, next);
  }
  return at;
}

LogicalResult ShardConversion::convert(shard::SendOp send) {
  Value to = peer(send.getDestination(), send.getDestinationDynamic());
  collective::SendOp::create(builder, loc, ValueRange(send.getInput()), to,
                             builder.getI64IntegerAttr(0), place.group);
  results.push_back(send.getInput());
  return success();
}

LogicalResult ShardConversion::convert(shard::RecvOp receive) {
  if (!receive.getSource())
    return mlir::emitError(op->getLoc())
           << "receives from any process; expected a source, which a message is "
              "matched by";
  Value from = peer(*receive.getSource(), receive.getSourceDynamic());
  auto message =
      collective::RecvOp::create(builder, loc, TypeRange(receive.getType()), ValueRange(), from,
                                 builder.getI64IntegerAttr(0), place.group);
  results.append(message->result_begin(), message->result_end());
  return success();
}

/// Every process gives its rows to the one `offset` further along the axis; all know who that is.
/// Where nothing arrives (upstream leaves it undefined) there are zeros.
LogicalResult ShardConversion::convert(shard::ShiftOp shift) {
  auto type = cast<RankedTensorType>(shift.getType());
  if (!type.hasStaticShape())
    return mlir::emitError(op->getLoc()) << "expected a static shape to shift, got " << type;
  int64_t length = place.grid.getSize(place.axes);
  SmallVector<int64_t> counts(length * length, 0);
  for (int64_t from = 0; from < length; ++from) {
    int64_t to = from + shift.getOffset();
    if (shift.getRotate())
      to = ((to % length) + length) % length;
    if (to >= 0 && to < length)
      counts[from * length + to] = type.getDimSize(0);
  }
  auto matrix = RankedTensorType::get({length, length}, builder.getI64Type());
  Value rows = arith::ConstantOp::create(builder, loc,
                                         DenseElementsAttr::get(matrix, ArrayRef<int64_t>(counts)));
  Value init = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  auto exchange = collective::AllToAllVCOp::create(builder, loc, TypeRange(type), shift.getInput(),
                                                   init, rows, place.group);
  results.append(exchange->result_begin(), exchange->result_end());
  return success();
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

LogicalResult ShardConversion::convert(shard::GridShapeOp) {
  for (shard::GridAxis axis : place.axes)
    results.push_back(constant(place.grid.getShape()[axis]));
  return success();
}

LogicalResult ShardConversion::convert(shard::ProcessMultiIndexOp) {
  for (shard::GridAxis axis : place.axes) {
    Value rows = arith::DivUIOp::create(builder, loc, rank(place.world),
                                        constant(place.grid.getStride(axis)));
    results.push_back(
        arith::RemUIOp::create(builder, loc, rows, constant(place.grid.getShape()[axis])));
  }
  return success();
}

LogicalResult ShardConversion::convert(shard::ProcessLinearIndexOp) {
  results.push_back(rank(place.world));
  return success();
}

/// The ranks before and after `device` along the axis; -1 beyond the edge.
LogicalResult ShardConversion::convert(shard::NeighborsLinearIndicesOp neighbors) {
  if (neighbors.getSplitAxes().size() != 1 ||
      neighbors.getDevice().size() != place.grid.getShape().size())
    return mlir::emitError(op->getLoc())
           << "expected one split axis and one index for each axis of the grid";
  shard::GridAxis axis = neighbors.getSplitAxes()[0];
  Value self = constant(0);
  for (auto [index, length] : llvm::zip(neighbors.getDevice(), place.grid.getShape())) {
    self = arith::MulIOp::create(builder, loc, self, constant(length));
    self = arith::AddIOp::create(builder, loc, self, index);
  }
  Value index = neighbors.getDevice()[axis], stride = constant(place.grid.getStride(axis));
  Value nobody = constant(-1);
  auto isAt = [&](int64_t edge) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, index, constant(edge));
  };
  auto choose = [&](Value atEdge, Value neighbor) {
    results.push_back(arith::SelectOp::create(builder, loc, atEdge, nobody, neighbor));
  };
  choose(isAt(0), arith::SubIOp::create(builder, loc, self, stride));
  choose(isAt(place.grid.getShape()[axis] - 1), arith::AddIOp::create(builder, loc, self, stride));
  return success();
}

LogicalResult conversion::convertShardOp(Operation *op, const Place &place, OpBuilder &builder,
                                         SmallVectorImpl<Value> &results) {
  return ShardConversion(op, place, builder, results).run();
}
