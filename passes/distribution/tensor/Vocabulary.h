// Lookups in a table, and cross entropy over classes, of which each neighbouring rank has a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_DISTRIBUTION_TENSOR_VOCABULARY_H
#define TUTTI_PASSES_DISTRIBUTION_TENSOR_VOCABULARY_H

#include "dialects/onnx/Onnx.h"
#include "dialects/train/Train.h"
#include "lib/layout/Transfer.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace tutti::distribution {

/// What a lookup in a table makes of blocks of its rows, and cross entropy or its gradient of
/// blocks of the classes: a lookup finds zeros where another rank has the row, so that results are
/// summands; a loss is the same on all ranks, and needs three numbers a sample of what the others
/// have. Weights of classes are whole. None where `op` is none of these, or is given other parts.
/// No rule says this, for the operation itself cannot be computed on parts: rewriteVocabulary
/// writes what can.
std::optional<Transfer> findVocabularyTransfer(mlir::Operation *op, llvm::ArrayRef<Layout> given,
                                               int64_t parts);

/// Whether `transfer` of `op` is one of these.
bool isOfVocabulary(mlir::Operation *op, const Transfer &transfer);

/// The operations that compute `op`, whose transfer is that of findVocabularyTransfer and whose
/// values have their local types, on one of `parts` neighbours; `op` is erased. Returns
/// how many reductions over neighbours it wrote.
unsigned rewriteVocabulary(mlir::Operation *op, int64_t parts, mlir::FlatSymbolRefAttr neighbours);

/// The block of this rank of the table that `scatter` makes of all rows. The builder stands after
/// it.
mlir::Value scatterBlock(mlir::OpBuilder &builder, train::ScatterRowsOp scatter, int64_t parts,
                         mlir::FlatSymbolRefAttr neighbours);

/// Hides what `loss` has as scores beyond the first `classes`: they have no share in it, and
/// gradients of zero. A label that is none of these classes, nor ignored, ends the run.
void hideClasses(onnx::SoftmaxCrossEntropyLossOp loss, int64_t classes);

/// The indices of `gather` as rows of a table that has more than its first `rows`: what counts from
/// the end does so from the last of these, and what is none of them ends the run.
mlir::Value checkRows(onnx::GatherOp gather, int64_t rows);

/// The indices of `scatter` as rows of a table that has more than its first `rows`. The mark of an
/// entry that is not used stays one.
mlir::Value moveRows(train::ScatterRowsOp scatter, int64_t rows);

/// The places in this rank's block of what `indices` says of a whole table, as one operation after
/// another: the row less those of the blocks before, or the number of rows of a block where the row
/// is in another one, which marks an entry that is not used. What is no row of the table stays, so
/// that a lookup refuses it.
struct BlockIndices {
  mlir::Value indices, rank, count; ///< block `rank` of `count`
  int64_t rows = 0;                 ///< of a block
  /// All operations whose results differ between ranks.
  llvm::SmallVector<mlir::Operation *> own;
};

/// The indices of a block that `places` are, if it is such.
std::optional<BlockIndices> matchBlockIndices(mlir::Value places);

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_TENSOR_VOCABULARY_H
