// Operations that cut a batch into micro-batches and put what is computed of them together again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TRAIN_MICRO_BATCHES_TD
#define TUTTI_TRAIN_MICRO_BATCHES_TD

include "dialects/train/TrainOps.td"

def Train_MicroBatchOp : Train_Op<"micro_batch", [Pure, Train_InferTypes]> {
  let summary = "one of several equal parts of a batch";
  let sharding = "(), n~ a.. -> n a..";
  let linear = [["batch"]];
  let description = [{
    Rows `index` * s to (`index` + 1) * s of `batch`, where s is its number of rows divided by `parts`. Rows are counted
    along dimension 0. `parts` must divide their number; where that is not known yet, `train-specialize-batch` checks.

    Where a loop computes several micro-batches in a turn (`distribute-interleave`), `train.turn`, a number as i64, says which of
    them this one is, and on operations that draw random numbers, of which of them they are.

    **Constraints**
    - (C1) `parts` is positive.
    - (C2) `batch` has a dimension 0, and `parts` divides it where it is known.
    - (C3) the result has the type of `batch`, but for dimension 0, which is s where it is known.

    Example:
    ```mlir
    %part = train.micro_batch %i of 4 in %x : tensor<?x64xf32> -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins Index:$index, I64Attr:$parts, AnyRankedTensor:$batch);
  let results = (outs AnyRankedTensor:$part);
  let assemblyFormat = "$index `of` $parts `in` $batch attr-dict `:` type($batch) `->` type($part)";
  let hasVerifier = 1;
}

def Train_PutMicroBatchOp : Train_Op<"put_micro_batch", [Pure, AllTypesMatch<["whole", "result"]>]> {
  let summary = "a batch with one of its parts replaced";
  let sharding = "n~ a.., n a.., () -> n a..";
  let linear = [["part", "whole"]];
  let description = [{
    `whole` with the rows that `train.micro_batch %index of parts` would take replaced by those of `part`.

    **Constraints**
    - (C1) `parts` is positive.
    - (C2) `whole` has a dimension 0, and `parts` divides it where it is known.
    - (C3) `part` has the type of `whole`, but for dimension 0, which is that of `whole` divided by `parts` where it is
      known.

    Example:
    ```mlir
    %next = train.put_micro_batch %part into %whole at %i of 4 : tensor<?x10xf32> into tensor<?x10xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$part, AnyRankedTensor:$whole, Index:$index, I64Attr:$parts);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $part `into` $whole `at` $index `of` $parts attr-dict `:` type($part) `into` type($whole)
  }];
  let hasVerifier = 1;
}

def Train_ZeroBatchOp : Train_Op<"zero_batch", [Pure, Train_RefineTypes, DeclareOpInterfaceMethods<UniformityOpInterface>]> {
  let summary = "a batch of zeros, with as many rows as another batch";
  let sharding = "n b.. -> n a..";
  let shapes = ["like"];
  let description = [{
    Dimension 0 of the result is that of `like`; nothing else of `like` matters.

    **Constraints**
    - (C1) `like` and the result have a dimension 0, and agree on it where both know it.

    Example:
    ```mlir
    %zeros = train.zero_batch like %x : tensor<?x64xf32> -> tensor<?x10xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$like);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "`like` $like attr-dict `:` type($like) `->` type($result)";
  let hasVerifier = 1;
}

#endif
