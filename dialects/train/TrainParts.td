// Operations on the parts of a batch: totals, shares, and samples that parts exchange. On one device each is the identity.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TRAIN_PARTS_TD
#define TUTTI_TRAIN_PARTS_TD

include "dialects/train/TrainClasses.td"

class Train_BatchPartOp<string mnemonic, Type type, list<Trait> traits = []>
    : Train_Op<mnemonic, !listconcat([Pure, SameOperandsAndResultType], traits)> {
  let sharding = "a.. -> a..";
  let linear = [["number"]];
  let arguments = (ins type:$number);
  let results = (outs type:$result);
  let assemblyFormat = "$number attr-dict `:` type($result)";
}

def Train_BatchTotalOp : Train_BatchPartOp<"batch_total", Train_NumberTensor, [PointwiseOp]> {
  let summary = "the sum of a number over all parts of the global batch";
  let shardingNote = "where a batch is cut, Partial(reduction) becomes Replicate";
  let description = [{
    What each rank, and each micro-batch, computes of its own samples is added up: the number of labels that a loss
    counts, for example. With `reduction` `max` or `min` it is the largest or the smallest of the parts. On one device,
    whose part is the whole batch, the result is the operand. `distribute-reduce-totals` makes it a reduction.

    **Constraints**
    - (C1) `reduction` is `sum`, `max` or `min`.

    Example:
    ```mlir
    %all = train.batch_total %count : tensor<f32>
    %most = train.batch_total %largest {reduction = "max"} : tensor<f32>
    ```
  }];
  let arguments = (ins Train_NumberTensor:$number, DefaultValuedStrAttr<StrAttr, "sum">:$reduction);
  let builders = [OpBuilder<(ins "::mlir::Value":$number), [{ build($_builder, $_state, number, "sum"); }]>];
  let hasVerifier = 1;
}

def Train_BatchShareOp : Train_BatchPartOp<"batch_share", Train_FloatTensor, [PointwiseOp]> {
  let summary = "the share of a number that belongs to this part of the global batch";
  let shardingNote = "where a batch is cut, the scale falls by 1";
  let description = [{
    The operand times the number of samples of this part (a rank's, or a micro-batch of it), over that of the
    global batch. A sum over samples that is divided by `batch_share(batch_total(count))` has, as the mean over all
    parts, the sum over all samples divided by all counts. On one device the result is the operand.

    Example:
    ```mlir
    %all = train.batch_total %count : tensor<f32>
    %divisor = train.batch_share %all : tensor<f32>
    ```
  }];
}

def Train_BatchSumOp : Train_BatchPartOp<"batch_sum", Train_FloatTensor, [PointwiseOp]> {
  let summary = "a summand of this part of the global batch, as a mean over the parts takes it";
  let shardingNote = "where a batch is cut, the scale rises by 1";
  let description = [{
    The operand divided by the share of this part: the inverse of `train.batch_share`. The mean over all parts of the
    results, weighted by their shares, is the sum over all parts of the operands. So a gradient or a metric that is a sum
    over samples goes where means over samples go. `distribute-reduce-gradients` and `distribute-reduce-metrics` see it
    and reduce the operand by a sum. On one device the result is the operand.

    Example:
    ```mlir
    %g = train.batch_sum %dw : tensor<64x10xf32>
    ```
  }];
}

class Train_BatchMoveOp<string mnemonic>
    : Train_BatchPartOp<mnemonic, AnyRankedTensor> {
  let sharding = "p.. k^ q.. -> p.. k q..";
  let shardingByAttributes = 1;
  let arguments = (ins AnyRankedTensor:$number, DefaultValuedAttr<I64Attr, "0">:$axis);
  let hasVerifier = 1;
}

def Train_BatchGatherOp : Train_BatchMoveOp<"batch_gather"> {
  let summary = "the samples of all parts of the global batch, joined";
  let shardingNote = "k is dimension axis; where a batch is cut, Shard(axis) becomes Replicate";
  let description = [{
    Each part has its own samples along dimension `axis`; the result has those of the whole batch there, in the order of
    the batch. On one device the result is the operand. `distribute-reduce-totals` makes it an all_gather.

    **Constraints**
    - (C1) `axis` is a dimension of the operand, and its size is not known.

    Example:
    ```mlir
    %all = train.batch_gather %features : tensor<?x64xf32>
    ```
  }];
}

def Train_BatchPieceOp : Train_BatchMoveOp<"batch_piece"> {
  let summary = "the samples of this part, of a value that has those of the whole batch";
  let shardingNote = "k is dimension axis; where a batch is cut, Replicate becomes Shard(axis)";
  let description = [{
    The inverse of `train.batch_gather`. On one device the result is the operand. `distribute-reduce-totals` makes it a
    `train.piece` of the rank.

    **Constraints**
    - (C1) `axis` is a dimension of the operand, and its size is not known.

    Example:
    ```mlir
    %own = train.batch_piece %places : tensor<?xi64>
    ```
  }];
}

def Train_BatchScatterOp : Train_BatchMoveOp<"batch_scatter"> {
  let summary = "the samples of this part, of the sum over all parts of the global batch";
  let shardingNote = "k is dimension axis; where a batch is cut, Partial(sum) becomes Shard(axis)";
  let description = [{
    Each part has a summand of every sample of the batch, along dimension `axis`; the result has the sums of the part's
    own samples: the gradient of `train.batch_gather`. On one device the result is the operand.
    `distribute-reduce-totals` makes it a reduce_scatter.

    **Constraints**
    - (C1) `axis` is a dimension of the operand, and its size is not known.

    Example:
    ```mlir
    %own = train.batch_scatter %gradients : tensor<?x64xf32>
    ```
  }];
}

def Train_PieceOp : Train_Op<"piece", [Pure, Train_RefineTypes]> {
  let summary = "one of several equal pieces of a value, in order";
  let sharding = "(), (), p.. k^ q.. -> p.. k q..";
  let linear = [["whole"]];
  let shardingByAttributes = 1;
  let shardingNote = "k is dimension axis; where index is the rank, Replicate becomes Shard(axis)";
  let description = [{
    `whole` is cut into `count` equal pieces along dimension `axis`; the result is piece `index`. As the pieces of all
    ranks (`index` the rank, `count` their number) they are the parts of `whole` in rank order, which an all_gather
    along `axis` joins again.

    **Constraints**
    - (C1) `axis` is a dimension of `whole`.
    - (C2) the result has the type of `whole`, but for dimension `axis`, which is the `count`-th part of it where both are
      known.

    Example:
    ```mlir
    %own = train.piece %rank of %ranks in %whole along 0 : tensor<?x8xf32> -> tensor<?x8xf32>
    ```
  }];
  let arguments = (ins Index:$index, Index:$count, AnyRankedTensor:$whole, I64Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $index `of` $count `in` $whole `along` $axis attr-dict `:` type($whole) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif
