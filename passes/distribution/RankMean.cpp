// Weighted and unweighted means over ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/RankMean.h"

#include "lib/program/BatchWork.h"
#include "lib/program/Exchange.h"
#include "lib/program/GradientChain.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

/// The datasets that the inputs of `function` name, each once.
static llvm::SmallSetVector<train::DatasetOp, 2> getDatasets(func::FuncOp function) {
  llvm::SmallSetVector<train::DatasetOp, 2> datasets;
  for (BlockArgument argument : function.getArguments())
    if (train::InputAttr input = findReadInput(argument))
      if (auto dataset =
              SymbolTable::lookupNearestSymbolFrom<train::DatasetOp>(function, input.getDataset()))
        datasets.insert(dataset);
  return datasets;
}

static bool isWeighted(train::DatasetOp dataset) {
  return dataset.getShard() && dataset.getShard()->getPolicy() == train::BatchPolicy::Weighted;
}

FailureOr<RankMean> RankMean::find(Program program) {
  auto datasets = getDatasets(program.step);
  auto weighted = llvm::find_if(datasets, isWeighted);
  if (weighted == datasets.end())
    return RankMean(program.module, FlatSymbolRefAttr());
  train::DatasetOp dataset = *weighted;
  if (datasets.size() > 1)
    return mlir::emitError(dataset.getLoc())
           << "batch-policy=weighted needs a step fed by one dataset, but @step is fed by "
           << datasets.size() << ": it is not known by which parts its values are to be weighted";
  return RankMean(program.module, FlatSymbolRefAttr::get(dataset.getSymNameAttr()));
}

SmallVector<SmallVector<unsigned>> tutti::distribution::groupByElementType(ValueRange values) {
  llvm::MapVector<Type, SmallVector<unsigned>> groups;
  for (auto [index, value] : llvm::enumerate(values))
    groups[getElementTypeOrSelf(value)].push_back(index);
  return llvm::map_to_vector(groups, [](auto &group) { return std::move(group.second); });
}

/// This rank's part of the batch, of the element type of `like`.
Value RankMean::buildWeight(OpBuilder &builder, Location loc, Value like) const {
  auto scalar = RankedTensorType::get({}, getElementTypeOrSelf(like));
  return train::BatchWeightOp::create(builder, loc, scalar, weighted);
}

static Value scale(OpBuilder &builder, Location loc, Value value, Value factor) {
  return train::ScaleOp::create(builder, loc, value.getType(), value, factor);
}

Value RankMean::buildShare(OpBuilder &builder, Location loc, Value number) const {
  if (weighted)
    return scale(builder, loc, number, buildWeight(builder, loc, number));
  auto type = cast<FloatType>(getElementTypeOrSelf(number));
  Value ranks = createGroupSize(builder, loc, getOrCreateWorld(module), type);
  Value one = arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, 1.0));
  Value share = arith::DivFOp::create(builder, loc, one, ranks);
  auto scalar = RankedTensorType::get({}, type);
  return scale(builder, loc, number, tensor::FromElementsOp::create(builder, loc, scalar, share));
}

Value RankMean::buildSummand(OpBuilder &builder, Location loc, Value number) const {
  auto type = cast<FloatType>(getElementTypeOrSelf(number));
  auto scalar = RankedTensorType::get({}, type);
  if (!weighted) {
    Value ranks = createGroupSize(builder, loc, getOrCreateWorld(module), type);
    return scale(builder, loc, number, tensor::FromElementsOp::create(builder, loc, scalar, ranks));
  }
  Value weight = buildWeight(builder, loc, number);
  auto one = DenseElementsAttr::get(scalar, builder.getFloatAttr(type, 1.0));
  Value inverse =
      arith::DivFOp::create(builder, loc, arith::ConstantOp::create(builder, loc, one), weight);
  return scale(builder, loc, number, inverse);
}

SmallVector<Value> RankMean::buildSumsAndMeans(OpBuilder &builder, Location loc,
                                               ValueRange values) const {
  SmallVector<Value> sums, means, results;
  auto findSum = [](Value value) { return value.getDefiningOp<train::BatchSumOp>(); };
  for (Value value : values)
    if (train::BatchSumOp sum = findSum(value))
      sums.push_back(sum.getNumber());
    else
      means.push_back(value);
  means = build(builder, loc, means);
  for (ArrayRef<unsigned> bucket : groupByElementType(sums)) {
    auto ofType = llvm::map_to_vector(bucket, [&](unsigned i) { return sums[i]; });
    ofType =
        createAllReduce(builder, loc, module, Reduction::Sum, ofType, getOrCreateWorld(module));
    for (auto [index, sum] : llvm::zip(bucket, ofType))
      sums[index] = sum;
  }
  auto sum = sums.begin(), mean = means.begin();
  for (Value value : values)
    results.push_back(findSum(value) ? *sum++ : *mean++);
  return results;
}

SmallVector<Value> RankMean::build(OpBuilder &builder, Location loc, ValueRange localMeans) const {
  SmallVector<Value> results(localMeans.size());
  for (ArrayRef<unsigned> bucket : groupByElementType(localMeans)) {
    auto values = llvm::map_to_vector(bucket, [&](unsigned i) { return localMeans[i]; });
    if (weighted) {
      Value weight = buildWeight(builder, loc, values.front());
      for (Value &value : values)
        value = scale(builder, loc, value, weight);
    }
    Reduction reduction = weighted ? Reduction::Sum : Reduction::Mean;
    SmallVector<Value> means =
        createAllReduce(builder, loc, module, reduction, values, getOrCreateWorld(module));
    for (auto [index, mean] : llvm::zip(bucket, means))
      results[index] = mean;
  }
  return results;
}

SmallVector<Value> RankMean::buildOfGradients(OpBuilder &builder, Location loc,
                                              ValueRange localMeans) const {
  if (!weighted)
    return build(builder, loc, localMeans);
  SmallVector<Value> shares;
  for (Value mean : localMeans)
    shares.push_back(buildShare(builder, loc, mean));
  SmallVector<Value> results = build(builder, loc, shares);
  for (Value &result : results)
    result = buildSummand(builder, loc, result);
  return results;
}

/// Whether `use` is where a gradient or a scalar metric is reduced over the ranks.
static bool isReducedHere(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<train::MarkGradientOp>(user))
    return true;
  bool isGradient = false;
  if (getGradientStage(user))
    forEachGradient(user, [&](OpOperand &gradient) { isGradient |= &gradient == &use; });
  auto step = dyn_cast<func::FuncOp>(user->getParentOp());
  bool isMetric = step && user->hasTrait<OpTrait::ReturnLike>() &&
                  step.getResultAttr(use.getOperandNumber(), train::TrainDialect::kMetric);
  return isGradient || (isMetric && cast<RankedTensorType>(use.get().getType()).getRank() == 0);
}

bool tutti::distribution::isReducedAsSum(train::BatchSumOp sum) {
  return !sum->use_empty() && llvm::all_of(sum->getUses(), isReducedHere);
}

void tutti::distribution::eraseUnusedSums(func::FuncOp step) {
  step.walk([](train::BatchSumOp sum) {
    if (sum->use_empty())
      sum.erase();
  });
}
