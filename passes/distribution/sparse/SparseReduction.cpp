// Gathered rows in place of a reduced table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/sparse/SparseReduction.h"

#include "lib/program/Exchange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

std::optional<SparseReduction> SparseReduction::find(collective::BucketOpInterface reduction,
                                                     unsigned index) {
  std::optional<Reduction> combined = getForm(reduction)->reduction;
  const CommunicationDialectInterface *factory = getFactory(reduction, reduction.getGroupAttr());
  bool isAverage = combined == Reduction::Sum || combined == Reduction::Mean;
  if (!isAverage || !factory || !factory->makes(CommunicationKind::AllGather) ||
      (combined == Reduction::Mean && !factory->asks(RankQuestion::Size)))
    return std::nullopt;
  SparseReduction found;
  found.reduction = reduction;
  found.index = index;
  Value value = reduction.getInputs()[index];
  while (auto scale = value.getDefiningOp<train::ScaleOp>()) {
    found.scales.insert(found.scales.begin(), scale);
    value = scale.getInput();
  }
  found.scatter = value.getDefiningOp<train::ScatterRowsOp>();
  // Merged rows are those of all ranks already.
  bool isLocal = found.scatter && !found.scatter.getRows().getDefiningOp<train::MergeRowsOp>();
  return isLocal ? std::optional(found) : std::nullopt;
}

bool SparseReduction::isOnlyUse() {
  auto scalesOnce = [](train::ScaleOp scale) { return scale->hasOneUse(); };
  return scatter->hasOneUse() && llvm::all_of(scales, scalesOnce);
}

bool SparseReduction::canStandAtTable() {
  return llvm::all_of(scales, [&](train::ScaleOp scale) {
    Operation *factor = scale.getFactor().getDefiningOp();
    return !factor || isa<train::BatchWeightOp>(factor) ||
           (factor->getBlock() == scatter->getBlock() && factor->isBeforeInBlock(scatter));
  });
}

static int64_t bytesOfElements(RankedTensorType type) {
  return type.getElementType().getIntOrFloatBitWidth() / 8;
}

/// Bytes of one row of `table`, or none.
static std::optional<int64_t> bytesOfRow(RankedTensorType table) {
  auto row = RankedTensorType::get(table.getShape().drop_front(), table.getElementType());
  if (!row.hasStaticShape())
    return std::nullopt;
  return row.getNumElements() * bytesOfElements(table);
}

std::optional<int64_t> SparseReduction::getRowsBytes(GlobalShapes &shapes) {
  std::optional<int64_t> entries = shapes.lengthOf(scatter.getIndices());
  std::optional<int64_t> row = bytesOfRow(scatter.getTable().getType());
  if (!entries || !row)
    return std::nullopt;
  return *entries * (*row + bytesOfElements(scatter.getIndices().getType()));
}

int64_t SparseReduction::getTableBytes() {
  RankedTensorType type = scatter.getTable().getType();
  return 2 * type.getDimSize(0) * bytesOfRow(type).value_or(0);
}

/// `list` of all ranks, in rank order.
static Value createGathered(OpBuilder &builder, Location loc, Value list, FlatSymbolRefAttr group) {
  auto type = cast<RankedTensorType>(list.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = ShapedType::kDynamic;
  Operation *user = builder.getInsertionBlock()->getParentOp();
  return createExchange(builder, loc, user, {CommunicationKind::AllGather, group}, list,
                        type.clone(shape))
      ->getResult(0);
}

/// Erases `scale`, and the question that only it asked.
static void eraseWithFactor(train::ScaleOp scale) {
  auto weight = scale.getFactor().getDefiningOp<train::BatchWeightOp>();
  scale->erase();
  if (weight && weight->use_empty())
    weight->erase();
}

/// `factor` where the builder stands: this rank's part of the batch can be asked for anywhere.
static Value cloneFactor(OpBuilder &builder, Value factor) {
  Operation *weight = factor.getDefiningOp<train::BatchWeightOp>();
  return weight ? builder.clone(*weight)->getResult(0) : factor;
}

/// The number of ranks as a scalar tensor.
Value SparseReduction::createRanks(OpBuilder &builder, Location loc) {
  Type element = scatter.getTable().getType().getElementType();
  Value ranks = createGroupSize(builder, loc, reduction.getGroupAttr(), element);
  return tensor::FromElementsOp::create(builder, loc, RankedTensorType::get({}, element), ranks);
}

Value SparseReduction::build(FlatSymbolRefAttr longest) {
  // Where the table is made, so that on one rank it is made there again.
  OpBuilder builder(scatter);
  Location loc = reduction.getLoc();
  FlatSymbolRefAttr group = reduction.getGroupAttr();
  int64_t tableRows = scatter.getTable().getType().getDimSize(0);
  auto merge = [&](Value indices, Value rows, Value count, FlatSymbolRefAttr longest) {
    return train::MergeRowsOp::create(builder, loc, indices.getType(), rows.getType(), indices,
                                      rows, count, tableRows, longest, DenseI64ArrayAttr());
  };
  auto local = merge(scatter.getIndices(), scatter.getRows(), Value(), longest);
  Value rows = local.getMergedRows();
  for (train::ScaleOp scale : scales)
    rows = train::ScaleOp::create(builder, loc, rows.getType(), rows,
                                  cloneFactor(builder, scale.getFactor()));
  Value indices = createGathered(builder, loc, local.getMergedIndices(), group);
  rows = createGathered(builder, loc, rows, group);
  bool isMean = getForm(reduction)->reduction == Reduction::Mean;
  Value count = isMean ? createRanks(builder, loc) : Value();
  auto all = merge(indices, rows, count, FlatSymbolRefAttr());
  return train::ScatterRowsOp::create(builder, scatter.getLoc(), scatter.getTable().getType(),
                                      all.getMergedIndices(), all.getMergedRows());
}

void SparseReduction::eraseTable() {
  for (train::ScaleOp scale : llvm::reverse(scales))
    eraseWithFactor(scale);
  scatter->erase();
}
