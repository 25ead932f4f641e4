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

  Value build(Value dy) {
    if (ShapedType::isDynamic(data[axis]) || !canFlatten())
      return addToZeros(dy);
    Value indices = flatten(op.getIndices());
    Value rows = flatten(transpose(dy, axis, indexRank));
    Shape table = {data[axis]};
    llvm::append_range(table, data.take_front(axis));
    llvm::append_range(table, data.drop_front(axis + 1));
    Value scattered = train::ScatterRowsOp::create(
        builder, op.getLoc(), RankedTensorType::get(table, elementOf(op.getData())), indices, rows);
    return moveFirstBack(scattered);
  }

private:
  /// Whether rows can be made of what was looked up: a Reshape infers one size.
  bool canFlatten() {
    bool isOpen = llvm::any_of(shapeOf(op.getIndices()), ShapedType::isDynamic);
    return indexRank == 1 || llvm::count_if(data, ShapedType::isDynamic) + isOpen < 2;
  }

  /// Where nothing but the data says how many rows there are.
  Value addToZeros(Value dy) {
    Value zeros =
        train::FullLikeOp::create(builder, op.getLoc(), op.getData(), builder.getF64FloatAttr(0.0));
    Value places = UnsqueezeOp::create(builder, op.getLoc(), op.getIndices(),
                                       builder.getDenseI64ArrayAttr(indexRank));
    Value added = ScatterNDOp::create(builder, op.getLoc(), transpose(zeros, axis, 1), places,
                                      transpose(dy, axis, indexRank), builder.getStringAttr("add"),
                                      builder.getI64IntegerAttr(0));
    return moveFirstBack(added);
  }

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

  /// `value` with the dimensions of the indices, which are its first, made one.
  Value flatten(Value value) {
    if (indexRank == 1)
      return value;
    ArrayRef<int64_t> shape = shapeOf(value);
    Shape flat = {1};
    for (int64_t size : shape.take_front(indexRank))
      flat[0] = ShapedType::isDynamic(flat[0]) || ShapedType::isDynamic(size) ? ShapedType::kDynamic
                                                                              : flat[0] * size;
    llvm::append_range(flat, shape.drop_front(indexRank));
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
    Value table = LookupGradient(cast<GatherOp>(op), builder).build(resultGradients.front());
    operandGradients.assign({table, Value()});
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

Value scatter(ScatterElementsOp op, OpBuilder &builder, Value data, Value updates, StringRef how) {
  return ScatterElementsOp::create(builder, op.getLoc(), data, op.getIndices(), updates,
                                   op.getAxisAttr(), builder.getStringAttr(how));
}
Value gather(ScatterElementsOp op, OpBuilder &builder, Value data) {
  return GatherElementsOp::create(builder, op.getLoc(), data, op.getIndices(), op.getAxisAttr());
}
Value scatter(ScatterNDOp op, OpBuilder &builder, Value data, Value updates, StringRef how) {
  return ScatterNDOp::create(builder, op.getLoc(), data, op.getIndices(), updates,
                             builder.getStringAttr(how), op.getBatchDimsAttr());
}
Value gather(ScatterNDOp op, OpBuilder &builder, Value data) {
  return GatherNDOp::create(builder, op.getLoc(), data, op.getIndices(), op.getBatchDimsAttr());
}

/// The gradients of data and updates of one scatter, being built.
template <typename Op> class ScatterGradient {
public:
  ScatterGradient(Op op, OpBuilder &builder, Value dy) : op(op), builder(builder), dy(dy) {}

  void build(SmallVectorImpl<Value> &gradients) {
    StringRef reduction = op.getReduction();
    if (reduction == "mul")
      buildOfProduct();
    else if (reduction == "max" || reduction == "min")
      buildOfChoice();
    else
      buildOfSum();
    gradients.assign({ofData, Value(), ofUpdates});
  }

private:
  /// The updates get what stands where they were written, the tensor what was not written over.
  void buildOfSum() {
    Value updates = op.getUpdates();
    ofData = op.getReduction() == "none"
                 ? scatter(op, builder, dy, zerosLike(op, builder, updates), "none")
                 : dy;
    ofUpdates = gather(op, builder, dy);
  }

  /// Those that were kept share the gradient.
  void buildOfChoice() {
    Value data = op.getData(), updates = op.getUpdates();
    Value isData = make<EqualOp>(data, op.getOutput());
    Value isUpdate = make<EqualOp>(updates, gather(op, builder, op.getOutput()));
    Value count = scatter(op, builder, asFloat(isData), asFloat(isUpdate), "add");
    Value share = make<DivOp>(dy, count);
    ofData = make<WhereOp>(isData, share, zerosLike(op, builder, data));
    ofUpdates =
        make<WhereOp>(isUpdate, gather(op, builder, share), zerosLike(op, builder, updates));
  }

  /// Each factor gets the product of the others: what is not 0 is multiplied, and divided by the
  /// factor itself. It counts where no other update is 0.
  void buildOfProduct() {
    Value data = op.getData(), updates = op.getUpdates(), zeros = zerosLike(op, builder, updates);
    Value ones = train::FullLikeOp::create(builder, op.getLoc(), data, builder.getF64FloatAttr(1));
    ofData = make<MulOp>(dy, scatter(op, builder, ones, updates, "mul"));
    Value isZero = make<EqualOp>(updates, zeros), number = asFloat(isZero);
    Value factors = make<AddOp>(updates, number); // 1 in the place of 0
    Value product = scatter(op, builder, data, factors, "mul");
    Value count = scatter(op, builder, zerosLike(op, builder, data), number, "add");
    Value isOnlyZero = make<EqualOp>(gather(op, builder, count), number);
    Value others = make<DivOp>(gather(op, builder, make<MulOp>(dy, product)), factors);
    ofUpdates = make<WhereOp>(isOnlyZero, others, zeros);
  }

  template <typename Made, typename... Operands> Value make(Operands... operands) {
    return Made::create(builder, op.getLoc(), ValueRange{operands...})->getResult(0);
  }
  Value asFloat(Value truth) {
    return CastOp::create(builder, op.getLoc(), truth, TypeAttr::get(elementOf(op.getData())));
  }

  Op op;
  OpBuilder &builder;
  Value dy, ofData, ofUpdates;
};

template <typename Op>
struct ScatterModel : DifferentiableOpInterface::ExternalModel<ScatterModel<Op>, Op> {
  LogicalResult buildGradient(Operation *op, OpBuilder &builder, ValueRange resultGradients,
                              const llvm::SmallBitVector &,
                              SmallVectorImpl<Value> &operandGradients) const {
    ScatterGradient<Op>(cast<Op>(op), builder, resultGradients.front()).build(operandGradients);
    return success();
  }
};

/// The elements that were chosen get what flows into them.
struct TopKModel : DifferentiableOpInterface::ExternalModel<TopKModel, TopKOp> {
  LogicalResult buildGradient(Operation *op, OpBuilder &builder, ValueRange resultGradients,
                              const llvm::SmallBitVector &,
                              SmallVectorImpl<Value> &operandGradients) const {
    auto top = cast<TopKOp>(op);
    Value back = ScatterElementsOp::create(
        builder, op->getLoc(), zerosLike(op, builder, top.getX()), top.getIndices(),
        resultGradients.front(), top.getAxisAttr(), builder.getStringAttr("add"));
    operandGradients.assign({back});
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
    ScatterElementsOp::attachInterface<ScatterModel<ScatterElementsOp>>(*context);
    ScatterNDOp::attachInterface<ScatterModel<ScatterNDOp>>(*context);
    TopKOp::attachInterface<TopKModel>(*context);
  });
}
