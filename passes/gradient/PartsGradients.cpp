// Gradients of lookups and of cutting, which are written with the train dialect: what was looked up
// goes back as a list of rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/interfaces/Differentiable.h"
#include "dialects/onnx/inference/Inference.h"
#include "dialects/train/Train.h"
#include "passes/gradient/Passes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::onnx;

namespace {

/// The gradient of one lookup, being built.
class LookupGradient {
public:
  LookupGradient(GatherOp op, OpBuilder &builder)
      : op(op), builder(builder), axis(op.getGatheredAxis()), data(shapeOf(op.getData())),
        indexRank(shapeOf(op.getIndices()).size()) {}

  FailureOr<Value> build(Value dy) {
    if (ShapedType::isDynamic(data[axis]))
      return op.emitOpError("has no gradient for ")
             << op.getData().getType() << ": the size of dimension " << axis << " is not known";
    FailureOr<Value> indices = flatten(op.getIndices(), 0, indexRank);
    FailureOr<Value> rows = flatten(transpose(dy, axis, indexRank), 0, indexRank);
    if (failed(indices) || failed(rows))
      return failure();
    Shape table = {data[axis]};
    llvm::append_range(table, data.take_front(axis));
    llvm::append_range(table, data.drop_front(axis + 1));
    Value scattered = train::ScatterRowsOp::create(
        builder, op.getLoc(), RankedTensorType::get(table, elementOf(op.getData())), *indices,
        *rows);
    return moveFirstBack(scattered);
  }

private:
  Value transpose(Value value, ArrayRef<int64_t> permutation) {
    bool keeps = llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size()));
    return keeps ? value
                 : TransposeOp::create(builder, op.getLoc(), value,
                                       builder.getDenseI64ArrayAttr(permutation));
  }

  /// `value` with the `count` dimensions from `begin` in front.
  Value transpose(Value value, int64_t begin, int64_t count) {
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(begin, begin + count));
    for (int64_t i = 0; i < static_cast<int64_t>(shapeOf(value).size()); ++i)
      if (i < begin || i >= begin + count)
        order.push_back(i);
    return transpose(value, order);
  }

  /// The dimension of the table where the operand has it.
  Value moveFirstBack(Value value) {
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(1, data.size()));
    order.insert(order.begin() + axis, 0);
    return transpose(value, order);
  }

  /// `value` with `count` dimensions from `begin` made one.
  FailureOr<Value> flatten(Value value, int64_t begin, int64_t count) {
    if (count == 1)
      return value;
    ArrayRef<int64_t> shape = shapeOf(value);
    Shape flat(shape.take_front(begin));
    int64_t joined = 1;
    for (int64_t size : shape.slice(begin, count))
      joined = ShapedType::isDynamic(joined) || ShapedType::isDynamic(size) ? ShapedType::kDynamic
                                                                            : joined * size;
    flat.push_back(joined);
    llvm::append_range(flat, shape.drop_front(begin + count));
    if (llvm::count_if(flat, ShapedType::isDynamic) > 1)
      return op.emitOpError("cannot bring its gradient into rows: more than one dimension of ")
             << value.getType() << " is unknown";
    llvm::replace(flat, ShapedType::kDynamic, int64_t(-1));
    return ReshapeOp::create(builder, op.getLoc(), value, builder.getDenseI64ArrayAttr(flat),
                             builder.getI64IntegerAttr(llvm::is_contained(flat, 0)))
        .getReshaped();
  }

  GatherOp op;
  OpBuilder &builder;
  int64_t axis;
  ArrayRef<int64_t> data;
  int64_t indexRank;
};

struct GatherModel : DifferentiableOpInterface::ExternalModel<GatherModel, GatherOp> {
  LogicalResult buildGradient(Operation *op, OpBuilder &builder, ValueRange resultGradients,
                              const llvm::SmallBitVector &,
                              SmallVectorImpl<Value> &operandGradients) const {
    FailureOr<Value> table =
        LookupGradient(cast<GatherOp>(op), builder).build(resultGradients.front());
    if (failed(table))
      return failure();
    operandGradients.assign({*table, Value()});
    return success();
  }
};

/// The parts joined again; one into which no gradient flows is zero.
struct SplitModel : DifferentiableOpInterface::ExternalModel<SplitModel, SplitOp> {
  LogicalResult buildGradient(Operation *op, OpBuilder &builder, ValueRange resultGradients,
                              const llvm::SmallBitVector &,
                              SmallVectorImpl<Value> &operandGradients) const {
    auto split = cast<SplitOp>(op);
    SmallVector<Value> parts(resultGradients);
    for (auto [part, output] : llvm::zip_equal(parts, split.getOutputs()))
      if (!part)
        part =
            train::FullLikeOp::create(builder, op->getLoc(), output, builder.getF64FloatAttr(0.0));
    operandGradients.assign(
        {ConcatOp::create(builder, op->getLoc(), parts, split.getAxisAttr()).getConcatResult()});
    return success();
  }
};

Value zerosLike(Operation *op, OpBuilder &builder, Value like) {
  return train::FullLikeOp::create(builder, op->getLoc(), like, builder.getF64FloatAttr(0.0));
}

/// What was picked goes back to where it was.
struct GatherElementsModel
    : DifferentiableOpInterface::ExternalModel<GatherElementsModel, GatherElementsOp> {
  LogicalResult buildGradient(Operation *op, OpBuilder &builder, ValueRange resultGradients,
                              const llvm::SmallBitVector &,
                              SmallVectorImpl<Value> &operandGradients) const {
    auto gather = cast<GatherElementsOp>(op);
    Value back = ScatterElementsOp::create(
        builder, op->getLoc(), zerosLike(op, builder, gather.getData()), gather.getIndices(),
        resultGradients.front(), gather.getAxisAttr(), builder.getStringAttr("add"));
    operandGradients.assign({back, Value()});
    return success();
  }
};

struct GatherNDModel : DifferentiableOpInterface::ExternalModel<GatherNDModel, GatherNDOp> {
  LogicalResult buildGradient(Operation *op, OpBuilder &builder, ValueRange resultGradients,
                              const llvm::SmallBitVector &,
                              SmallVectorImpl<Value> &operandGradients) const {
    auto gather = cast<GatherNDOp>(op);
    Value back = ScatterNDOp::create(
        builder, op->getLoc(), zerosLike(op, builder, gather.getData()), gather.getIndices(),
        resultGradients.front(), builder.getStringAttr("add"), gather.getBatchDimsAttr());
    operandGradients.assign({back, Value()});
    return success();
  }
};

/// The updates get what stands where they were written, the tensor what was not written over.
struct ScatterElementsModel
    : DifferentiableOpInterface::ExternalModel<ScatterElementsModel, ScatterElementsOp> {
  LogicalResult buildGradient(Operation *op, OpBuilder &builder, ValueRange resultGradients,
                              const llvm::SmallBitVector &,
                              SmallVectorImpl<Value> &operandGradients) const {
    auto scatter = cast<ScatterElementsOp>(op);
    Value dy = resultGradients.front(), kept = dy;
    if (scatter.getReduction() == "none")
      kept = ScatterElementsOp::create(builder, op->getLoc(), dy, scatter.getIndices(),
                                       zerosLike(op, builder, scatter.getUpdates()),
                                       scatter.getAxisAttr(), scatter.getReductionAttr());
    Value updates = GatherElementsOp::create(builder, op->getLoc(), dy, scatter.getIndices(),
                                             scatter.getAxisAttr());
    operandGradients.assign({kept, Value(), updates});
    return success();
  }
};

struct ScatterNDModel : DifferentiableOpInterface::ExternalModel<ScatterNDModel, ScatterNDOp> {
  LogicalResult buildGradient(Operation *op, OpBuilder &builder, ValueRange resultGradients,
                              const llvm::SmallBitVector &,
                              SmallVectorImpl<Value> &operandGradients) const {
    auto scatter = cast<ScatterNDOp>(op);
    Value dy = resultGradients.front(), kept = dy;
    if (scatter.getReduction() == "none")
      kept = ScatterNDOp::create(builder, op->getLoc(), dy, scatter.getIndices(),
                                 zerosLike(op, builder, scatter.getUpdates()),
                                 scatter.getReductionAttr(), scatter.getBatchDimsAttr());
    Value updates = GatherNDOp::create(builder, op->getLoc(), dy, scatter.getIndices(),
                                       scatter.getBatchDimsAttr());
    operandGradients.assign({kept, Value(), updates});
    return success();
  }
};

} // namespace

void gradient::registerPartsGradients(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, OnnxDialect *, train::TrainDialect *) {
    GatherOp::attachInterface<GatherModel>(*context);
    SplitOp::attachInterface<SplitModel>(*context);
    GatherElementsOp::attachInterface<GatherElementsModel>(*context);
    GatherNDOp::attachInterface<GatherNDModel>(*context);
    ScatterElementsOp::attachInterface<ScatterElementsModel>(*context);
    ScatterNDOp::attachInterface<ScatterNDModel>(*context);
  });
}
