// Weighted and unweighted means over ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/RankMean.h"

#include "lib/program/Exchange.h"

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
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto input = function.getArgAttrOfType<train::InputAttr>(i, train::TrainDialect::kInput))
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
    shares.push_back(scale(builder, loc, mean, buildWeight(builder, loc, mean)));
  SmallVector<Value> results = build(builder, loc, shares);
  for (Value &result : results) {
    Value weight = buildWeight(builder, loc, result);
    auto one = DenseElementsAttr::get(cast<ShapedType>(weight.getType()),
                                      builder.getFloatAttr(getElementTypeOrSelf(weight), 1.0));
    Value inverse =
        arith::DivFOp::create(builder, loc, arith::ConstantOp::create(builder, loc, one), weight);
    result = scale(builder, loc, result, inverse);
  }
  return results;
}
