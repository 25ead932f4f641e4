// Tables of which a step touches only some rows: their gradients as lists of rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TRAIN_ROWS_TD
#define TUTTI_TRAIN_ROWS_TD

include "dialects/train/TrainOps.td"

// A list of rows of a table is a pair of tensors of equal length: `indices` says which rows, `rows` holds them.
// An index counts from 0, or from the end if it is negative; one that is the number of rows of the table marks an
// entry that is not used.
def Train_Indices : 1DTensorOf<[I32, I64]>;

def Train_ScatterRowsOp : Train_Op<"scatter_rows", [Pure, Train_RefineTypes]> {
  let summary = "a table of zeros with some rows added to it";
  let sharding = "i+, i r.. -> v? r..";
  let linear = [["rows"]];
  let shardingNote = "a part of v takes the rows of its own indices";
  let description = [{
    Row i of the result is the sum, starting from 0 and in order, of the entries of `rows` whose index is i. An
    index counts from 0, or from the end if it is negative; one that is the number of rows of the result marks an
    entry that is not used.

    The gradient of a lookup in a table has this form. Its value is the whole table, which every user may take; those
    that can do with less look at the operands.

    **Constraints**
    - (C1) there is one index for each entry of `rows`.
    - (C2) the number of rows of the result is known; they are shaped as the entries of `rows`, and of their element
      type.

    Example:
    ```mlir
    %g = train.scatter_rows %i, %r : tensor<?xi64>, tensor<?x16xf32> -> tensor<1000x16xf32>
    ```
  }];
  let arguments = (ins Train_Indices:$indices, Train_FloatTensor:$rows);
  let results = (outs Train_FloatTensor:$table);
  let assemblyFormat = "$indices `,` $rows attr-dict `:` type($indices) `,` type($rows) `->` type($table)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Train_MergeRowsOp : Train_Op<"merge_rows",
    [Pure, Train_InferTypes, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a list of rows in which each row stands once";
  let sharding = "i^, i r.., () -> i, i r..";
  let shardingNote = "linear in no operand, for the indices come with the rows";
  let description = [{
    A list of the rows that `train.scatter_rows` would add to a table of `table_rows` rows, each once: `merged_indices`
    are ascending and not negative, `merged_rows` the sums, starting from 0 and in order. What is left at the end is
    not used: index `table_rows`, rows of zeros. With `over`, each sum is divided by `count`: a sum over ranks
    becomes the mean over them.

    The result is as long as the operands. With `longest`, it is as long as it would be on the rank that takes the
    most samples of that dataset, so that it is equally long on all ranks; fixing the batch turns this into
    `parts`, which holds this rank's and the largest number of samples.

    **Constraints**
    - (C1) there is one index for each entry of `rows`.
    - (C2) results have the types of their operands, but for their length, which is not below that of the operands.
    - (C3) `table_rows` is not negative.
    - (C4) `count` has the element type of `rows`.
    - (C5) `longest` names a `train.dataset`; `parts` are two positive numbers, the first not above the second.

    Example:
    ```mlir
    %i1, %r1 = train.merge_rows %i, %r of 1000 over %n
        : tensor<?xi64>, tensor<?x16xf32>, tensor<f32> -> tensor<?xi64>, tensor<?x16xf32>
    ```
  }];
  let arguments = (ins Train_Indices:$indices, Train_FloatTensor:$rows, Optional<Train_FloatScalar>:$count,
                       I64Attr:$table_rows, OptionalAttr<FlatSymbolRefAttr>:$longest,
                       OptionalAttr<DenseI64ArrayAttr>:$parts);
  let results = (outs Train_Indices:$merged_indices, Train_FloatTensor:$merged_rows);
  let assemblyFormat = [{
    $indices `,` $rows `of` $table_rows (`over` $count^)? (`longest` $longest^)? attr-dict
    `:` type($indices) `,` type($rows) (`,` type($count)^)? `->` type($merged_indices) `,` type($merged_rows)
  }];
  let hasVerifier = 1;
}

def Train_GatherRowsOp : Train_Op<"gather_rows", [Pure, Train_InferTypes]> {
  let summary = "some rows of a table";
  let sharding = "v? r.., i -> i r..";
  let linear = [["table"]];
  let description = [{
    Entry i of the result is row `indices[i]` of `table`; zeros where the entry is not used. Indices are those of a
    `train.merge_rows`.

    **Constraints**
    - (C1) the result has one entry for each index, shaped as the rows of `table`, and its element type.

    Example:
    ```mlir
    %r = train.gather_rows %w at %i : tensor<1000x16xf32>, tensor<40xi64> -> tensor<40x16xf32>
    ```
  }];
  let arguments = (ins Train_FloatTensor:$table, Train_Indices:$indices);
  let results = (outs Train_FloatTensor:$rows);
  let assemblyFormat = "$table `at` $indices attr-dict `:` type($table) `,` type($indices) `->` type($rows)";
  let hasVerifier = 1;
}

def Train_ScatterUpdateRowsOp : Train_Op<"scatter_update_rows", [Pure, AllTypesMatch<["table", "new_table"]>]> {
  let summary = "a table with some rows replaced";
  let sharding = "i^ r.., i, v? r.. -> v r..";
  let linear = [["rows", "table"]];
  let shardingNote = "a part of v takes the rows of its own indices";
  let description = [{
    `table` with row `indices[i]` replaced by entry i of `rows`. Indices are those of a `train.merge_rows`: none but
    the unused ones stands twice.

    **Constraints**
    - (C1) there is one entry of `rows` for each index, shaped as the rows of `table`, and of its element type.

    Example:
    ```mlir
    %w1 = train.scatter_update_rows %r at %i into %w : tensor<40x16xf32>, tensor<40xi64>, tensor<1000x16xf32>
    ```
  }];
  let arguments = (ins Train_FloatTensor:$rows, Train_Indices:$indices, Train_FloatTensor:$table);
  let results = (outs Train_FloatTensor:$new_table);
  let assemblyFormat = [{
    $rows `at` $indices `into` $table attr-dict `:` type($rows) `,` type($indices) `,` type($table)
  }];
  let hasVerifier = 1;
}

#endif
