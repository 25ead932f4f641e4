// Taking pulls and pushes out of what runs once for each micro-batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/accumulation/ServedRows.h"

#include "dialects/train/Train.h"
#include "lib/analysis/BatchSlice.h"
#include "lib/program/GradientChain.h"
#include "passes/distribution/accumulation/Accumulation.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

/// `slice` once more, where `builder` stands.
static SmallVector<Operation *> cloneSlice(OpBuilder &builder, ArrayRef<Operation *> slice,
                                           IRMapping &mapping) {
  return llvm::map_to_vector(slice, [&](Operation *op) { return builder.clone(*op, mapping); });
}

/// The operands of `value`, if it is a list of lists; else itself.
static SmallVector<Value> findParts(Value value) {
  auto join = value.getDefiningOp<tensor::ConcatOp>();
  return join && join.getDim() == 0 ? SmallVector<Value>(join.getInputs())
                                    : SmallVector<Value>{value};
}

ServedRows::ServedRows(func::FuncOp step, int64_t parts) : step(step), parts(parts) {
  ofBatch = findDependents(step.getBody().front(), findBatch(step));
}

/// Computes what `pull` asks for one micro-batch after the other, and puts it together.
void ServedRows::computeInParts(ps::PullRowsOp pull, ArrayRef<Operation *> slice) {
  OpBuilder builder(pull);
  IRMapping ofWhole, ofPart;
  cloneSlice(builder, slice, ofWhole);
  BatchWork work;
  work.batch = findBatch(step);
  work.ops.insert_range(cloneSlice(builder, slice, ofPart));
  CarriedValue indices{CarriedValue::Kind::Rows, ofPart.lookup(pull.getIndices())};
  indices.like = ofWhole.lookup(pull.getIndices());
  pull.getIndicesMutable().assign(indices.value);
  MicroBatchLoop(step, work, parts).build(indices);
}

/// Empty, or the reason why each micro-batch has to pull for itself.
std::string ServedRows::pullWhole(ps::PullRowsOp pull) {
  if (!pull.getIndices().getType().getRank() || !pull.getIndices().getType().isDynamicDim(0))
    return "its index does not have one entry, or several, for each sample in dimension 0";
  auto slice = findBatchSlice(step, pull.getIndices());
  if (!slice)
    return "its index " + llvm::toString(slice.takeError());
  Operation *before = pull->getPrevNode();
  if (!slice->empty())
    computeInParts(pull, *slice);
  for (Operation *op = pull; op != before; op = op->getPrevNode())
    batch.before.insert(op);
  batch.values.push_back(pull.getRows());
  return "";
}

/// As many entries as `indices` has for all micro-batches, in front of the loop.
FailureOr<Value> ServedRows::computeWhole(ps::PushRowsOp push, Value indices) {
  if (isa<BlockArgument>(indices))
    return indices;
  auto slice = findBatchSlice(step, indices);
  if (!slice)
    return mlir::emitError(push.getLoc())
           << "what is pushed to " << push.getTableAttr() << " cannot be put together of "
           << "micro-batches: how many rows there are is not known before they are pulled, as the "
              "index "
           << llvm::toString(slice.takeError()) << "; train it without accumulate";
  OpBuilder builder(indices.getDefiningOp());
  IRMapping mapping;
  auto clones = cloneSlice(builder, *slice, mapping);
  batch.before.insert_range(clones);
  return mapping.lookup(indices);
}

LogicalResult ServedRows::addLists(ps::PushRowsOp push) {
  Value indices = push.getIndices(), rows = push.getGradients();
  if (auto merge = rows.getDefiningOp<train::MergeRowsOp>()) {
    indices = merge.getIndices();
    rows = merge.getRows();
    batch.after.insert(merge);
  }
  SmallVector<Value> someIndices = findParts(indices), someRows = findParts(rows);
  if (someIndices.size() != someRows.size())
    someIndices = {indices}, someRows = {rows};
  else if (someIndices.size() > 1)
    batch.after.insert(indices.getDefiningOp());
  for (auto [listed, gradients] : llvm::zip_equal(someIndices, someRows)) {
    FailureOr<Value> whole =
        followsBatch(listed) ? computeWhole(push, listed) : FailureOr<Value>(Value());
    if (failed(whole))
      return failure();
    lists.push_back({listed, gradients, *whole});
  }
  return success();
}

FailureOr<ServedRows> ServedRows::separate(func::FuncOp step, int64_t parts) {
  ServedRows served(step, parts);
  Block &block = step.getBody().front();
  for (auto push : llvm::make_early_inc_range(block.getOps<ps::PushRowsOp>()))
    if (failed(served.addLists(push)))
      return failure();
  step.walk([&](ps::PullRowsOp pull) {
    if (pull->getBlock() == &block && !served.followsBatch(pull.getIndices()))
      return;
    std::string reason =
        pull->getBlock() == &block ? served.pullWhole(pull) : "it stands in a branch";
    if (!reason.empty())
      served.inLoop.push_back({pull, reason});
  });
  return served;
}

SmallVector<Value> ServedRows::getGradients(func::FuncOp step) const {
  SmallVector<Value> gradients;
  for (auto push : step.getOps<ps::PushOp>())
    gradients.push_back(getRawGradient(push.getGradient()));
  for (const List &list : lists)
    gradients.push_back(list.rows);
  return gradients;
}

const ServedRows::List *ServedRows::findList(Value value) const {
  const List *found = llvm::find_if(lists, [&](const List &list) {
    return list.whole && (list.rows == value || list.indices == value);
  });
  return found == lists.end() ? nullptr : found;
}
