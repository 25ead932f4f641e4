// What operations say of the sizes of their operands and results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/validation/SizeRules.h"

#include "dialects/collective/Collective.h"
#include "dialects/onnx/Onnx.h"
#include "dialects/ps/Ps.h"
#include "dialects/train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::validation;

static RankedTensorType typeOf(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }
static int64_t rankOf(Value value) { return typeOf(value).getRank(); }
static bool isTensor(Value value) { return bool(typeOf(value)); }

namespace {
class Rules {
public:
  Rules(const TableValues &tables, SizeClasses &classes) : tables(tables), classes(classes) {}

  void add(Operation *op);

private:
  void pinAll(Operation *op) {
    for (Value value : llvm::concat<Value>(SmallVector<Value>(op->getOperands()),
                                           SmallVector<Value>(op->getResults())))
      classes.pin(value);
  }

  /// Constants say how many rows a block has that is looked up in by computed indices.
  void pinBlock(Value table, Value indices) {
    if (indices.getDefiningOp<onnx::WhereOp>())
      classes.pin(classes.of(table, 0));
  }

  /// Dimensions `a.first`... and `b.first`... are equal, `count` of them.
  void same(Value a, int64_t i, Value b, int64_t j, int64_t count) {
    for (int64_t k = 0; k < count; ++k)
      classes.unify(a, i + k, b, j + k);
  }
  void same(Value a, Value b) {
    if (isTensor(a) && isTensor(b) && rankOf(a) == rankOf(b))
      same(a, 0, b, 0, rankOf(a));
  }
  void sameAll(ValueRange as, ValueRange bs) {
    for (auto [a, b] : llvm::zip(as, bs))
      same(a, b);
  }

  /// `part` broadcasts to `whole`, aligned to the right; dimensions of 1 are free.
  void broadcast(Value part, Value whole, int64_t leftOut = 0) {
    if (!isTensor(part) || !isTensor(whole))
      return;
    int64_t count = std::min(rankOf(part), rankOf(whole)) - leftOut;
    for (int64_t k = 1; k <= count; ++k) {
      int64_t i = rankOf(part) - leftOut - k, j = rankOf(whole) - leftOut - k;
      if (typeOf(part).getDimSize(i) != 1 && typeOf(whole).getDimSize(j) != 1)
        classes.unify(part, i, whole, j);
    }
  }
  void elementwise(Operation *op) {
    for (Value operand : op->getOperands())
      for (Value result : op->getResults())
        broadcast(operand, result);
    for (Value result : op->getResults())
      broadcast(result, op->getResult(0));
  }

  void reshape(Value from, Value to);
  void passThroughDynamic(Value from, int64_t first, Value to, int64_t other);
  void matMul(onnx::MatMulOp op);
  void gemm(onnx::GemmOp op);
  void window(Value data, Value result);
  void convolution(Value x, Value w, Value y, int64_t groups);
  void normalization(Operation *op);
  void loss(Value scores, Value labels, Value weights);
  void reduction(Value data, Value reduced, std::optional<ArrayRef<int64_t>> axes, bool keeps,
                 bool noop);
  void slice(Value data, Value part, ArrayRef<int64_t> starts, ArrayRef<int64_t> ends,
             std::optional<ArrayRef<int64_t>> axes, std::optional<ArrayRef<int64_t>> steps);
  Factors countOfParts(int64_t count, Value part, int64_t axis);
  void parts(Value whole, ValueRange parts, int64_t axis);
  void gather(onnx::GatherOp op);
  void expand(onnx::ExpandOp op);
  void merge(train::MergeRowsOp op);

  const TableValues &tables;
  SizeClasses &classes;
  std::vector<std::pair<int64_t, Factors>> absorbed; ///< sizes within dynamic dimensions
};
} // namespace

/// Row-major elements under another shape. A dynamic dimension takes in what is left over beside
/// it.
void Rules::reshape(Value from, Value to) {
  auto firstDynamic = [](Value value) {
    return llvm::find_if(typeOf(value).getShape(), ShapedType::isDynamic) -
           typeOf(value).getShape().begin();
  };
  auto lastDynamic = [](Value value) {
    ArrayRef<int64_t> shape = typeOf(value).getShape();
    int64_t last = shape.size();
    while (last > 0 && !ShapedType::isDynamic(shape[last - 1]))
      --last;
    return last; // the one after it
  };
  if (typeOf(from).hasStaticShape() && typeOf(to).hasStaticShape())
    return classes.unify(classes.of(from, 0, rankOf(from)), classes.of(to, 0, rankOf(to)));
  if (typeOf(from).hasStaticShape() || typeOf(to).hasStaticShape())
    return classes.pin(from), classes.pin(to);
  Factors left = classes.of(from, 0, firstDynamic(from)),
          other = classes.of(to, 0, firstDynamic(to));
  if (!left.empty() && !other.empty())
    classes.unify(left, other);
  classes.unify(classes.of(from, lastDynamic(from), rankOf(from)),
                classes.of(to, lastDynamic(to), rankOf(to)), /*fromRight=*/true);
  passThroughDynamic(from, lastDynamic(from), to, lastDynamic(to));
}

/// Dimensions `first`... of the longer value that the other has no entries for went into a dynamic
/// dimension, or come out of one. Which of those that went in is not known: all of that size.
void Rules::passThroughDynamic(Value from, int64_t first, Value to, int64_t other) {
  auto sizeOf = [](Value value, int64_t first) {
    int64_t size = 1;
    for (int64_t dimension : typeOf(value).getShape().drop_front(first))
      size *= dimension;
    return size;
  };
  int64_t before = sizeOf(from, first), after = sizeOf(to, other);
  if (before == after)
    return;
  bool isAbsorbed = before > after;
  Value longer = isAbsorbed ? from : to;
  int64_t begin = isAbsorbed ? first : other, end = begin, size = 1;
  int64_t wanted = isAbsorbed ? before / after : after / before;
  while (end < rankOf(longer) && size < wanted)
    size *= typeOf(longer).getDimSize(end++);
  if (size != wanted)
    return;
  Factors extra = classes.of(longer, begin, end);
  if (isAbsorbed)
    return absorbed.push_back({size, extra});
  for (const auto &[known, factors] : absorbed)
    if (known == size)
      classes.unify(factors, extra);
}

void Rules::matMul(onnx::MatMulOp op) {
  Value a = op.getA(), b = op.getB(), y = op.getY();
  if (rankOf(a) < 2 || rankOf(b) < 2)
    return pinAll(op);
  classes.unify(a, rankOf(a) - 1, b, rankOf(b) - 2);
  classes.unify(a, rankOf(a) - 2, y, rankOf(y) - 2);
  classes.unify(b, rankOf(b) - 1, y, rankOf(y) - 1);
  broadcast(a, y, /*leftOut=*/2);
  broadcast(b, y, /*leftOut=*/2);
}

void Rules::gemm(onnx::GemmOp op) {
  bool a = op.getTransA() != 0, b = op.getTransB() != 0;
  classes.unify(op.getA(), a ? 0 : 1, op.getB(), b ? 1 : 0);
  classes.unify(op.getA(), a ? 1 : 0, op.getY(), 0);
  classes.unify(op.getB(), b ? 0 : 1, op.getY(), 1);
  if (op.getC())
    broadcast(op.getC(), op.getY());
}

/// Planes of `data` that windows slide over, and those that they give.
void Rules::window(Value data, Value result) {
  for (int64_t i = 2; i < rankOf(data); ++i) {
    if (!typeOf(data).isDynamicDim(i))
      classes.markSlidOver(classes.of(data, i));
    if (!typeOf(result).isDynamicDim(i))
      classes.markFollowing(classes.of(result, i));
  }
  classes.unify(data, 0, result, 0);
}

void Rules::convolution(Value x, Value w, Value y, int64_t groups) {
  window(x, y);
  for (int64_t i = 2; i < rankOf(w); ++i)
    classes.pin(classes.of(w, i));
  if (groups != 1) {
    classes.pin(classes.of(x, 1)), classes.pin(classes.of(y, 1));
    classes.pin(classes.of(w, 0, 2));
    return;
  }
  classes.unify(x, 1, w, 1);
  classes.unify(y, 1, w, 0);
}

/// Planes have one shape, and vectors an entry for each channel.
void Rules::normalization(Operation *op) {
  Value planes;
  for (Value value : op->getOperands())
    if (isTensor(value) && rankOf(value) > 1)
      planes = value;
  for (Value value : llvm::concat<Value>(SmallVector<Value>(op->getOperands()),
                                         SmallVector<Value>(op->getResults()))) {
    if (isTensor(value) && rankOf(value) == 1)
      classes.unify(value, 0, planes, 1);
    else
      same(value, planes);
  }
}

void Rules::loss(Value scores, Value labels, Value weights) {
  classes.unify(scores, 0, labels, 0);
  same(scores, 2, labels, 1, rankOf(labels) - 1);
  if (weights)
    classes.unify(scores, 1, weights, 0);
}

void Rules::reduction(Value data, Value reduced, std::optional<ArrayRef<int64_t>> axes, bool keeps,
                      bool noop) {
  SmallVector<bool> isReduced(rankOf(data), !axes && !noop);
  if (axes && axes->empty() && !noop)
    isReduced.assign(rankOf(data), true);
  for (int64_t axis : axes.value_or(ArrayRef<int64_t>()))
    isReduced[axis < 0 ? axis + rankOf(data) : axis] = true;
  for (int64_t i = 0, j = 0; i < rankOf(data); ++i) {
    if (!isReduced[i])
      classes.unify(data, i, reduced, j++);
    else if (keeps)
      ++j;
  }
}

bool tutti::validation::isOneOfEqualParts(int64_t start, int64_t part, int64_t whole) {
  return start > 0 && part > 0 && start % part == 0 && whole % part == 0;
}

/// What is `count` times as long as a dimension of `part`.
Factors Rules::countOfParts(int64_t count, Value part, int64_t axis) {
  Factors joined = classes.make(count);
  classes.pin(joined);
  llvm::append_range(joined, classes.of(part, axis));
  return joined;
}

void Rules::slice(Value data, Value part, ArrayRef<int64_t> starts, ArrayRef<int64_t> ends,
                  std::optional<ArrayRef<int64_t>> axes, std::optional<ArrayRef<int64_t>> steps) {
  SmallVector<bool> isCut(rankOf(data), false);
  for (size_t k = 0; k < starts.size(); ++k) {
    int64_t axis = axes ? (*axes)[k] : k;
    axis += axis < 0 ? rankOf(data) : 0;
    int64_t size = typeOf(data).getDimSize(axis), left = typeOf(part).getDimSize(axis);
    isCut[axis] = true;
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(left))
      continue; // nothing to say; a start and an end that are numbers stay
    bool isDense = !steps || (*steps)[k] == 1, isLeading = isDense && starts[k] == 0;
    bool isToEnd = isDense && (ends[k] >= size || ends[k] < 0);
    if (size == left && isDense)
      classes.unify(data, axis, part, axis);
    else if (isToEnd && starts[k] >= 0 && size - left <= 2)
      classes.markShorter(classes.of(part, axis), classes.of(data, axis), size - left);
    else if (isDense && isOneOfEqualParts(starts[k], left, size))
      classes.unify(classes.of(data, axis), countOfParts(size / left, part, axis));
    else if (!isLeading || ends[k] < 0)
      classes.pin(classes.of(data, axis)), classes.pin(classes.of(part, axis));
  }
  for (int64_t i = 0; i < rankOf(data); ++i)
    if (!isCut[i])
      classes.unify(data, i, part, i);
}

/// A whole that is its parts one after the other along an axis.
void Rules::parts(Value whole, ValueRange parts, int64_t axis) {
  axis += axis < 0 ? rankOf(whole) : 0;
  int64_t size = typeOf(parts.front()).getDimSize(axis);
  bool isEqual = llvm::all_of(parts, [&](Value part) {
    return typeOf(part).getDimSize(axis) == size && !ShapedType::isDynamic(size);
  });
  for (Value part : parts) {
    for (int64_t i = 0; i < rankOf(whole); ++i)
      if (i != axis)
        classes.unify(part, i, whole, i);
    if (!isEqual)
      classes.pin(classes.of(part, axis));
    else
      classes.unify(part, axis, parts.front(), axis);
  }
  if (!isEqual || typeOf(whole).isDynamicDim(axis))
    return classes.pin(classes.of(whole, axis));
  classes.unify(classes.of(whole, axis), countOfParts(parts.size(), parts.front(), axis));
}

void Rules::gather(onnx::GatherOp op) {
  int64_t axis = op.getGatheredAxis(), count = rankOf(op.getIndices());
  same(op.getData(), 0, op.getOutput(), 0, axis);
  same(op.getIndices(), 0, op.getOutput(), axis, count);
  same(op.getData(), axis + 1, op.getOutput(), axis + count, rankOf(op.getData()) - axis - 1);
}

void Rules::expand(onnx::ExpandOp op) {
  broadcast(op.getInput(), op.getOutput());
  for (int64_t i = 0; i < rankOf(op.getOutput()); ++i)
    if (!typeOf(op.getOutput()).isDynamicDim(i))
      classes.anchor(classes.of(op.getOutput(), i));
}

Value tutti::validation::findTable(train::MergeRowsOp merge, const TableValues &tables) {
  llvm::SetVector<Value> values;
  values.insert(merge.getMergedIndices());
  for (size_t next = 0; next < values.size(); ++next)
    for (Operation *user : values[next].getUsers()) {
      if (auto push = dyn_cast<ps::PushRowsOp>(user))
        return tables.lookup(push.getTable());
      if (auto scatter = dyn_cast<train::ScatterRowsOp>(user))
        return scatter.getTable();
      values.insert(user->result_begin(), user->result_end());
    }
  return nullptr;
}

void Rules::merge(train::MergeRowsOp op) {
  if (!findTable(op, tables))
    return pinAll(op);
  same(op.getRows(), 1, op.getMergedRows(), 1, rankOf(op.getRows()) - 1);
}

static bool isElementwise(Operation *op) {
  return op->hasTrait<onnx::Formula>() ||
         isa<onnx::PowOp, onnx::CastOp, onnx::IdentityOp, onnx::DropoutOp, onnx::DropoutGradOp,
             onnx::RandomNormalLikeOp, onnx::RandomUniformLikeOp, onnx::SoftmaxOp,
             onnx::LogSoftmaxOp, onnx::SoftmaxGradOp, onnx::LogSoftmaxGradOp, onnx::CumSumOp,
             onnx::TriluOp>(op) ||
         isa<train::MarkGradientOp, train::FullLikeOp, train::ScaleOp, train::UnscaleOp,
             train::ClipOp, train::SelectOp, train::BatchTotalOp, train::BatchShareOp,
             train::MicroBatchOp, train::AllFiniteOp, train::GlobalNormOp, train::SumOfSquaresOp,
             train::UpdateLossScaleOp, train::BatchWeightOp>(op) ||
         (isa<OptimizerOpInterface>(op) && op->getName().getStringRef().starts_with("train.") &&
          !isa<train::RowwiseAdagradOp>(op)) ||
         (isa_and_nonnull<arith::ArithDialect>(op->getDialect()) && op->getNumOperands() > 0) ||
         op->getName().getDialectNamespace() == "math" || isa<tensor::CastOp>(op);
}

void Rules::add(Operation *op) {
  using namespace onnx;
  if (op->getNumResults() > 0 && isElementwise(op) && llvm::all_of(op->getResults(), isTensor))
    return elementwise(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case<tutti::onnx::ReshapeOp, tutti::onnx::FlattenOp, SqueezeOp, UnsqueezeOp>(
          [&](Operation *) { reshape(op->getOperand(0), op->getResult(0)); })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>([&](Operation *) { pinAll(op); })
      .Case([&](tutti::onnx::TransposeOp transpose) {
        int64_t rank = rankOf(transpose.getData());
        for (int64_t i = 0; i < rank; ++i)
          classes.unify(transpose.getTransposed(), i, transpose.getData(),
                        transpose.getPerm() ? (*transpose.getPerm())[i] : rank - 1 - i);
      })
      .Case([&](MatMulOp product) { matMul(product); })
      .Case([&](GemmOp product) { gemm(product); })
      .Case([&](ConvOp conv) {
        convolution(conv.getX(), conv.getW(), conv.getY(), conv.getGroup());
        if (conv.getB())
          classes.unify(conv.getB(), 0, conv.getW(), 0);
      })
      .Case([&](ConvGradOp conv) {
        convolution(conv.getX(), conv.getW(), conv.getDY(), conv.getGroup());
        same(conv.getX(), conv.getDX());
        same(conv.getW(), conv.getDW());
        classes.unify(conv.getDB(), 0, conv.getW(), 0);
      })
      .Case<MaxPoolOp, AveragePoolOp>([&](auto pool) {
        window(pool.getX(), pool.getY());
        classes.unify(pool.getX(), 1, pool.getY(), 1);
      })
      .Case<MaxPoolGradOp, AveragePoolGradOp>([&](auto pool) {
        window(pool.getX(), pool.getDY());
        classes.unify(pool.getX(), 1, pool.getDY(), 1);
        same(pool.getX(), pool.getDX());
      })
      .Case([&](GlobalAveragePoolOp pool) { same(pool.getX(), 0, pool.getY(), 0, 2); })
      .Case<BatchNormalizationOp, BatchNormInternalOp, BatchNormalizationGradOp, BatchMeanOp,
            BatchVarianceOp, BatchCovarianceOp>([&](Operation *) { normalization(op); })
      .Case([&](SoftmaxCrossEntropyLossOp cross) {
        loss(cross.getScores(), cross.getLabels(), cross.getWeights());
        same(cross.getScores(), cross.getLogProb());
        if (rankOf(cross.getOutput()) > 0)
          same(cross.getOutput(), cross.getLabels());
      })
      .Case([&](SoftmaxCrossEntropyLossGradOp cross) {
        loss(cross.getLogProb(), cross.getLabel(), cross.getWeights());
        same(cross.getLogProb(), cross.getDLogits());
        if (rankOf(cross.getDY()) > 0)
          same(cross.getDY(), cross.getLabel());
      })
      .Case<ReduceSumOp, ReduceMeanOp, ReduceMaxOp, ReduceMinOp, ReduceProdOp>([&](auto reduce) {
        reduction(reduce.getData(), reduce.getReduced(), reduce.getAxes(),
                  reduce.getKeepdims() != 0, reduce.getNoopWithEmptyAxes() != 0);
      })
      .Case<ReduceSumGradOp, ReduceMeanGradOp>([&](auto reduce) {
        same(reduce.getX(), reduce.getDX());
        reduction(reduce.getX(), reduce.getDY(), reduce.getAxes(), reduce.getKeepdims() != 0,
                  reduce.getNoopWithEmptyAxes() != 0);
      })
      .Case<ArgMaxOp, ArgMinOp>([&](auto arg) {
        int64_t axis = arg.getAxis();
        reduction(arg.getData(), arg.getReduced(), ArrayRef<int64_t>(axis), arg.getKeepdims() != 0,
                  false);
      })
      .Case([&](SliceOp s) {
        slice(s.getData(), s.getOutput(), s.getStarts(), s.getEnds(), s.getAxes(), s.getSteps());
      })
      .Case([&](SliceGradOp s) {
        same(s.getX(), s.getDX());
        slice(s.getX(), s.getDY(), s.getStarts(), s.getEnds(), s.getAxes(), s.getSteps());
      })
      .Case(
          [&](tutti::onnx::ConcatOp c) { parts(c.getConcatResult(), c.getInputs(), c.getAxis()); })
      .Case([&](tutti::onnx::SplitOp s) { parts(s.getInput(), s.getOutputs(), s.getAxis()); })
      .Case([&](tutti::onnx::GatherOp g) { gather(g); })
      .Case([&](ExpandOp e) { expand(e); })
      .Case([&](train::RowwiseAdagradOp adagrad) {
        same(adagrad.getVariable(), adagrad.getGradient());
        same(adagrad.getVariable(), adagrad.getNewVariable());
        classes.unify(adagrad.getVariable(), 0, adagrad.getAccumulator(), 0);
        same(adagrad.getAccumulator(), adagrad.getNewAccumulator());
      })
      .Case([&](train::GatherRowsOp gather) {
        classes.unify(gather.getIndices(), 0, gather.getRows(), 0);
        same(gather.getTable(), 1, gather.getRows(), 1, rankOf(gather.getRows()) - 1);
        pinBlock(gather.getTable(), gather.getIndices());
      })
      .Case([&](train::ScatterRowsOp scatter) {
        pinBlock(scatter.getTable(), scatter.getIndices());
        classes.unify(scatter.getIndices(), 0, scatter.getRows(), 0);
        same(scatter.getRows(), 1, scatter.getTable(), 1, rankOf(scatter.getRows()) - 1);
      })
      .Case([&](train::MergeRowsOp op) { merge(op); })
      .Case([&](ps::PullRowsOp pull) {
        Value table = tables.lookup(pull.getTable());
        int64_t count = rankOf(pull.getIndices());
        same(pull.getIndices(), 0, pull.getRows(), 0, count);
        same(table, 1, pull.getRows(), count, rankOf(table) - 1);
      })
      .Case([&](ps::PushRowsOp push) {
        Value table = tables.lookup(push.getTable());
        same(table, 1, push.getGradients(), 1, rankOf(table) - 1);
      })
      .Case([&](ps::PrefetchRowsOp) {})
      .Case([&](ps::PullOp pull) { same(tables.lookup(pull.getTable()), pull.getValue()); })
      .Case([&](ps::PushOp push) { same(tables.lookup(push.getTable()), push.getGradient()); })
      .Case([&](train::PutMicroBatchOp put) {
        same(put.getPart(), put.getWhole());
        same(put.getWhole(), put.getResult());
      })
      .Case([&](train::AccuracyOp accuracy) { same(accuracy.getLabels(), accuracy.getResult()); })
      .Case([&](train::ZeroBatchOp) {}) // its static dimensions are those of its users
      // What is longer than what it is made of keeps its size.
      .Case<collective::AllReduceOp, collective::BroadcastOp, collective::ReduceOp,
            collective::AllGatherOp, collective::ReduceScatterOp>(
          [&](auto bucket) { sameAll(bucket.getInputs(), bucket.getOutputs()); })
      .Case([&](scf::ForOp loop) {
        sameAll(loop.getInitArgs(), loop.getResults());
        sameAll(loop.getRegionIterArgs(), loop.getResults());
        sameAll(loop.getBody()->getTerminator()->getOperands(), loop.getResults());
      })
      .Case([&](scf::IfOp branch) {
        for (Region *region : branch.getRegions())
          if (!region->empty())
            sameAll(region->front().getTerminator()->getOperands(), branch.getResults());
      })
      .Case([&](collective::AwaitOp await) {
        auto async = await.getFuture().getDefiningOp<collective::AsyncOp>();
        if (!async)
          return pinAll(op);
        sameAll(async.getBody().front().getTerminator()->getOperands(), await.getOutputs());
      })
      .Case<collective::AsyncOp, collective::YieldOp, scf::YieldOp, func::ReturnOp>(
          [](Operation *) {})
      .Case<tutti::onnx::ConstantOp, arith::ConstantOp>([&](Operation *constant) {
        if (isTensor(constant->getResult(0)))
          classes.anchor(classes.of(constant->getResult(0), 0, rankOf(constant->getResult(0))));
      })
      .Case<RandomNormalOp, RandomUniformOp>([](Operation *) {})
      .Default([&](Operation *) { pinAll(op); });
}

void tutti::validation::addSizeRules(func::FuncOp function, const TableValues &tables,
                                     SizeClasses &classes) {
  Rules rules(tables, classes);
  function.walk([&](Operation *op) {
    if (op != function.getOperation())
      rules.add(op);
  });
}
