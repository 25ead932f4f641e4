// Verifiers and rewrites of operations on lists of rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/train/Train.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tutti::train;

/// Whether `rows` has one entry for each of `indices`.
static bool hasOneRowEach(TypedValue<RankedTensorType> indices, TypedValue<RankedTensorType> rows) {
  return rows.getType().getRank() > 0 &&
         succeeded(verifyCompatibleShape({indices.getType().getDimSize(0)},
                                         {rows.getType().getDimSize(0)}));
}

/// Whether the entries of two lists, or the rows of two tables, have one shape and element type.
static bool haveEqualRows(RankedTensorType a, RankedTensorType b) {
  return a.getRank() > 0 && a.getRank() == b.getRank() &&
         a.getElementType() == b.getElementType() &&
         succeeded(verifyCompatibleShape(a.getShape().drop_front(), b.getShape().drop_front()));
}

LogicalResult ScatterRowsOp::verify() {
  // scatter_rows_c1
  if (!hasOneRowEach(getIndices(), getRows()))
    return emitOpError("must have one index for each entry of rows, got ")
           << getIndices().getType() << " for " << getRows().getType();
  // scatter_rows_c2
  if (!haveEqualRows(getRows().getType(), getTable().getType()) ||
      getTable().getType().isDynamicDim(0))
    return emitOpError("must give a known number of rows shaped as the entries of ")
           << getRows().getType() << ", not " << getTable().getType();
  return success();
}

/// Whether a length `merged` may be that of a merged list of `length` entries.
static bool isLongEnough(int64_t merged, int64_t length) {
  return ShapedType::isDynamic(merged) || ShapedType::isDynamic(length) || merged >= length;
}

static LogicalResult verifyParts(MergeRowsOp op) {
  std::optional<ArrayRef<int64_t>> parts = op.getParts();
  if (!parts || (parts->size() == 2 && (*parts)[0] > 0 && (*parts)[0] <= (*parts)[1]))
    return success();
  return op.emitOpError("parts must be this rank's and the largest number of samples");
}

LogicalResult MergeRowsOp::verify() {
  // merge_rows_c1
  if (!hasOneRowEach(getIndices(), getRows()) ||
      !hasOneRowEach(getMergedIndices(), getMergedRows()))
    return emitOpError("must have one index for each entry of rows, got ")
           << getIndices().getType() << " for " << getRows().getType() << ", and gives "
           << getMergedIndices().getType() << " for " << getMergedRows().getType();
  // merge_rows_c2
  if (!haveEqualRows(getRows().getType(), getMergedRows().getType()) ||
      getIndices().getType().getElementType() != getMergedIndices().getType().getElementType() ||
      !isLongEnough(getMergedRows().getType().getDimSize(0), getRows().getType().getDimSize(0)))
    return emitOpError("must give a list like its operands and at least as long, not ")
           << getMergedIndices().getType() << " and " << getMergedRows().getType();
  // merge_rows_c3
  if (static_cast<int64_t>(getTableRows()) < 0)
    return emitOpError("table_rows must not be negative");
  // merge_rows_c4
  if (getCount() && getElementTypeOrSelf(getCount()) != getElementTypeOrSelf(getRows()))
    return emitOpError("count must have the element type of rows");
  return verifyParts(*this);
}

LogicalResult MergeRowsOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // merge_rows_c5
  if (!getLongestAttr() || symbols.lookupNearestSymbolFrom<DatasetOp>(*this, getLongestAttr()))
    return success();
  return emitOpError("names no train.dataset: ") << getLongestAttr();
}

LogicalResult GatherRowsOp::verify() {
  // gather_rows_c1
  if (hasOneRowEach(getIndices(), getRows()) &&
      haveEqualRows(getTable().getType(), getRows().getType()))
    return success();
  return emitOpError("must give one row of ")
         << getTable().getType() << " for each of " << getIndices().getType() << ", not "
         << getRows().getType();
}

LogicalResult ScatterUpdateRowsOp::verify() {
  // scatter_update_rows_c1
  if (hasOneRowEach(getIndices(), getRows()) &&
      haveEqualRows(getTable().getType(), getRows().getType()))
    return success();
  return emitOpError("must have one row of ")
         << getTable().getType() << " for each of " << getIndices().getType() << ", not "
         << getRows().getType();
}

/// What is added up row by row need not be merged first: both start from 0 and keep the order.
static LogicalResult scatterOfMerged(ScatterRowsOp op, PatternRewriter &rewriter) {
  auto merge = op.getRows().getDefiningOp<MergeRowsOp>();
  if (!merge || merge.getCount() || merge.getMergedIndices() != op.getIndices() ||
      static_cast<int64_t>(merge.getTableRows()) != op.getTable().getType().getDimSize(0))
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    op.getIndicesMutable().assign(merge.getIndices());
    op.getRowsMutable().assign(merge.getRows());
  });
  return success();
}

/// A mean over one rank is a sum. Replaced, not changed, so that what takes the sums is looked at
/// again.
static LogicalResult mergeOverOne(MergeRowsOp op, PatternRewriter &rewriter) {
  if (!op.getCount() || !matchPattern(op.getCount(), m_OneFloat()))
    return failure();
  rewriter.replaceOpWithNewOp<MergeRowsOp>(op, op.getResultTypes(), op.getIndices(), op.getRows(),
                                           Value(), op.getTableRowsAttr(), op.getLongestAttr(),
                                           op.getPartsAttr());
  return success();
}

void ScatterRowsOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(scatterOfMerged);
  patterns.add(mergeOverOne);
}
