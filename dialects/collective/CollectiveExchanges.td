// Operations in which every rank gives each other rank something else.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_COLLECTIVE_EXCHANGES
#define TUTTI_COLLECTIVE_EXCHANGES

include "dialects/collective/CollectiveClasses.td"

def Collective_AllToAllOp
    : Collective_BucketOp<"all_to_all", Collective_Movable,
                          (ins I64Attr:$split_axis, I64Attr:$concat_axis),
                          [DeclareOpInterfaceMethods<TypeRefinementOpInterface>]> {
  let summary = "every rank sends a part of its value to each rank";
  let description = [{
    Cuts each input along `split_axis` into as many equal parts as the group has
    ranks, sends part r to rank r, and joins what arrives along `concat_axis` in
    rank order.

    **Constraints**
    - (C1) `group` names a `collective.group`.
    - (C2) There is at least one input.
    - (C3) Either all inputs are tensors and there is one result per input, or
      all inputs are memrefs and there is one destination per input.
    - (C4) `split_axis` and `concat_axis` are dimensions of every input.
    - (C5) Each result or destination has the element type and the shape of its
      input, but that dimension `split_axis` is the size of the group times
      smaller, without remainder, and then dimension `concat_axis` as many times
      larger (where the sizes are known).

    ```
    rank 0   [1 2]                             [1 3]
    rank 1   [3 4]   ── split 0 concat 0 ──▶   [2 4]
    ```
    ```mlir
    %x = collective.all_to_all %a split 0 concat 1 on @world : tensor<8x2xf32> -> tensor<?x?xf32>
    ```
  }];
  let assemblyFormat = !strconcat(operands, " `split` $split_axis `concat` $concat_axis `on` $group "
                                  "attr-dict `:` ", types);
}

/// All-to-all of different numbers of rows. Destination style.
class Collective_RowExchangeOp<string mnemonic, dag counts> : Collective_Op<mnemonic, [
    CollectiveOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<UniformityOpInterface>, Collective_Bufferizable]> {
  let arguments = !con((ins Collective_Movable:$data, Collective_Movable:$init), counts,
                       (ins FlatSymbolRefAttr:$group));
  let results = (outs Optional<AnyRankedTensor>:$result);
  let hasVerifier = 1;
}

def Collective_AllToAllVOp
    : Collective_RowExchangeOp<"all_to_all_v",
        (ins Collective_Counts:$send_counts, Collective_Counts:$send_displacements,
             Collective_Counts:$receive_counts, Collective_Counts:$receive_displacements)> {
  let summary = "every rank sends some rows of its value to each rank";
  let description = [{
    Rows are slices along dimension 0. `send_counts[r]` rows from row
    `send_displacements[r]` of `data` on go to rank r of the group;
    `receive_counts[r]` rows of rank r arrive at row `receive_displacements[r]`
    of `init` and following. The result is `init` but for these rows. What rank r
    sends to rank s is what rank s receives from rank r; that, and that rows lie
    within their tensors, is checked when the program runs.

    **Constraints**
    - (C1) `group` names a `collective.group`.
    - (C2) Either all operands are tensors and there is one result, of the type of
      `init`; or all are memrefs and there is none.
    - (C3) `data` and `init` have rows: the same element type, at least one
      dimension, and equal dimensions but the first.
    - (C4) Counts and displacements are vectors with one entry for each rank of the
      group (where its size is known).

    ```
                      send     receive
    rank 0   [1 2]    1, 1     1, 2      ──▶   [1 3 4]
    rank 1   [3 4]    2, 0     1, 0      ──▶   [2]
    ```
    ```mlir
    %x = collective.all_to_all_v %data into %init send(%c, %d) receive(%e, %f) on @world
       : tensor<8x4xf32>, tensor<16x4xf32>, tensor<4xi64>
    ```
  }];
  let assemblyFormat = "$data `into` $init `send` `(` $send_counts `,` $send_displacements `)` "
      "`receive` `(` $receive_counts `,` $receive_displacements `)` `on` $group attr-dict `:` "
      "type($data) `,` type($init) `,` custom<CountTypes>(type($send_counts), "
      "type($send_displacements), type($receive_counts), type($receive_displacements), "
      "ref(type($init)), type($result))";
}

def Collective_AllToAllVCOp
    : Collective_RowExchangeOp<"all_to_all_vc", (ins Collective_Counts:$counts)> {
  let summary = "all_to_all_v with one matrix of counts that all ranks know";
  let description = [{
    Rows are slices along dimension 0. Rank r of the group sends `counts[r][s]`
    rows to rank s. Both what is sent and what is received lies one after the
    other in rank order, from row 0 on. The result is `init` but for the rows
    that are received. All ranks give the same matrix.

    **Constraints**
    - (C1) `group` names a `collective.group`.
    - (C2) Either all operands are tensors and there is one result, of the type of
      `init`; or all are memrefs and there is none.
    - (C3) `data` and `init` have rows: the same element type, at least one
      dimension, and equal dimensions but the first.
    - (C4) `counts` is a square matrix with one row and one column for each rank of
      the group (where its size is known).

    ```
    rank 0   [1 2]                              [1 3 4]
    rank 1   [3 4]    counts [1 1]              [2]
                             [2 0]     ──▶
    ```
    ```mlir
    %x = collective.all_to_all_vc %data into %init counts(%matrix) on @world
       : tensor<8x4xf32>, tensor<16x4xf32>, tensor<4x4xi64>
    ```
  }];
  let assemblyFormat = "$data `into` $init `counts` `(` $counts `)` `on` $group attr-dict `:` "
      "type($data) `,` type($init) `,` "
      "custom<MatrixType>(type($counts), ref(type($init)), type($result))";
}

#endif // TUTTI_COLLECTIVE_EXCHANGES
