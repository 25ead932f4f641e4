// Operations that make one value of the values of several ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_COLLECTIVE_REDUCTIONS
#define TUTTI_COLLECTIVE_REDUCTIONS

include "dialects/collective/CollectiveClasses.td"

def Collective_AllReduceOp
    : Collective_BucketOp<"all_reduce", Collective_Reducible, (ins Collective_Reduction:$reduction)> {
  let summary = "every rank gets the reduction of the values of all ranks";
  let description = [{
    Combines each input elementwise over the ranks of the group, in rank order,
    so that every rank receives the same bits. `mean` is the sum divided by the
    size of the group.

    **Constraints**
    - (C1) `group` names a `collective.group`.
    - (C2) There is at least one input.
    - (C3) Either all inputs are tensors and there is one result per input, or
      all inputs are memrefs and there is one destination per input.
    - (C4) Each result or destination has the shape and element type of its input.
    - (C5) `mean` is taken of floating-point elements only: the mean of integers
      needs a rounding that nobody chose.

    ```
    rank 0   [1 2]                [4 6]
    rank 1   [3 4]   ── sum ──▶   [4 6]
    ```
    ```mlir
    %g:2 = collective.all_reduce mean %a, %b on @world : tensor<4xf32>, tensor<2x2xf32>
    collective.all_reduce sum %m into %m on @world : memref<4xf32>
    ```
  }];
  let assemblyFormat = !strconcat("$reduction ", operands, " `on` $group attr-dict `:` ", types);
  let builders = [
    OpBuilder<(ins "ReductionKind":$reduction, "::mlir::ValueRange":$tensors,
                   "::mlir::FlatSymbolRefAttr":$group)>
  ];
}

def Collective_ReduceOp
    : Collective_BucketOp<"reduce", Collective_Reducible,
                          (ins Collective_Reduction:$reduction, I64Attr:$root)> {
  let summary = "one rank gets the reduction of the values of all ranks";
  let description = [{
    Reduces like `all_reduce`, on rank `root` of the group only. Every other rank
    gets its own input back.

    **Constraints**
    - (C1) `group` names a `collective.group`.
    - (C2) There is at least one input.
    - (C3) Either all inputs are tensors and there is one result per input, or
      all inputs are memrefs and there is one destination per input.
    - (C4) Each result or destination has the shape and element type of its input.
    - (C5) `root` is a rank of the group: at least 0, and below the size of the
      group where that is known.
    - (C6) `mean` is taken of floating-point elements only.

    ```
    rank 0   [1 2]                     [4 6]
    rank 1   [3 4]   ── sum to 0 ──▶   [3 4]
    ```
    ```mlir
    %x = collective.reduce sum %a to 0 on @world : tensor<4xf32>
    ```
  }];
  let assemblyFormat = !strconcat("$reduction ", operands,
                                  " `to` $root `on` $group attr-dict `:` ", types);
}

def Collective_ReduceScatterOp
    : Collective_BucketOp<"reduce_scatter", Collective_Reducible,
                          (ins Collective_Reduction:$reduction, I64Attr:$axis)> {
  let summary = "every rank gets its part of the reduction of the values of all ranks";
  let description = [{
    Reduces like `all_reduce`, then cuts the outcome along `axis` into as many
    equal parts as the group has ranks; rank r keeps part r.

    **Constraints**
    - (C1) `group` names a `collective.group`.
    - (C2) There is at least one input.
    - (C3) Either all inputs are tensors and there is one result per input, or
      all inputs are memrefs and there is one destination per input.
    - (C4) `axis` is a dimension of every input.
    - (C5) Each result or destination has the element type and the shape of its
      input, but that its dimension `axis` is the size of the group times smaller,
      without remainder (where the sizes are known).
    - (C6) `mean` is taken of floating-point elements only.

    ```
    rank 0   [1 2]                            [4]
    rank 1   [3 4]   ── sum along axis 0 ──▶  [6]
    ```
    ```mlir
    %r = collective.reduce_scatter sum %a along 0 on @world : tensor<8xf32> -> tensor<?xf32>
    ```
  }];
  let assemblyFormat = !strconcat("$reduction ", operands,
                                  " `along` $axis `on` $group attr-dict `:` ", types);
}

#endif // TUTTI_COLLECTIVE_REDUCTIONS
