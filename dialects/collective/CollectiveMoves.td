// Operations that bring values from rank to rank as they are: from one to all, from all to one, from all to all.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_COLLECTIVE_MOVES
#define TUTTI_COLLECTIVE_MOVES

include "dialects/collective/CollectiveClasses.td"

def Collective_BroadcastOp
    : Collective_BucketOp<"broadcast", Collective_Movable, (ins I64Attr:$root)> {
  let summary = "every rank gets the value of one rank";
  let description = [{
    The inputs of ranks other than `root` give only their shape.

    **Constraints**
    - (C1) `group` names a `collective.group`.
    - (C2) There is at least one input.
    - (C3) Either all inputs are tensors and there is one result per input, or
      all inputs are memrefs and there is one destination per input.
    - (C4) Each result or destination has the shape and element type of its input.
    - (C5) `root` is a rank of the group: at least 0, and below the size of the
      group where that is known.

    ```
    rank 0   [1 2]                   [1 2]
    rank 1   [3 4]   ── from 0 ──▶   [1 2]
    ```
    ```mlir
    %v = collective.broadcast %w from 0 on @world : tensor<4xf32>
    ```
  }];
  let assemblyFormat = !strconcat(operands, " `from` $root `on` $group attr-dict `:` ", types);
  let builders = [
    OpBuilder<(ins "int64_t":$root, "::mlir::ValueRange":$tensors,
                   "::mlir::FlatSymbolRefAttr":$group)>
  ];
}

def Collective_AllGatherOp
    : Collective_BucketOp<"all_gather", Collective_Movable, (ins I64Attr:$axis)> {
  let summary = "every rank gets the values of all ranks, joined in rank order";
  let description = [{
    Joins the inputs of all ranks along `axis`. All ranks give the same shape.

    **Constraints**
    - (C1) `group` names a `collective.group`.
    - (C2) There is at least one input.
    - (C3) Either all inputs are tensors and there is one result per input, or
      all inputs are memrefs and there is one destination per input.
    - (C4) `axis` is a dimension of every input.
    - (C5) Each result or destination has the element type and the shape of its
      input, but that its dimension `axis` is the size of the group times larger
      (where the sizes are known).

    ```
    rank 0   [1 2]                        [1 2 3 4]
    rank 1   [3 4]   ── along axis 0 ──▶  [1 2 3 4]
    ```
    ```mlir
    %r = collective.all_gather %a along 0 on @world : tensor<2xf32> -> tensor<?xf32>
    ```
  }];
  let assemblyFormat = !strconcat(operands, " `along` $axis `on` $group attr-dict `:` ", types);
}

def Collective_GatherOp
    : Collective_BucketOp<"gather", Collective_Movable, (ins I64Attr:$axis, I64Attr:$root)> {
  let summary = "one rank gets the values of all ranks, joined in rank order";
  let description = [{
    Joins the inputs of all ranks along `axis`, on rank `root` of the group only.
    On every other rank a result is zeros, and a destination stays as it is.

    **Constraints**
    - (C1) `group` names a `collective.group`.
    - (C2) There is at least one input.
    - (C3) Either all inputs are tensors and there is one result per input, or
      all inputs are memrefs and there is one destination per input.
    - (C4) `axis` is a dimension of every input.
    - (C5) Each result or destination has the element type and the shape of its
      input, but that its dimension `axis` is the size of the group times larger
      (where the sizes are known).
    - (C6) `root` is a rank of the group: at least 0, and below the size of the
      group where that is known.

    ```
    rank 0   [1 2]                             [1 2 3 4]
    rank 1   [3 4]   ── along axis 0 to 0 ──▶  [0 0 0 0]
    ```
    ```mlir
    %x = collective.gather %a along 0 to 0 on @world : tensor<2xf32> -> tensor<?xf32>
    ```
  }];
  let assemblyFormat = !strconcat(operands,
                                  " `along` $axis `to` $root `on` $group attr-dict `:` ", types);
}

def Collective_ScatterOp
    : Collective_BucketOp<"scatter", Collective_Movable, (ins I64Attr:$axis, I64Attr:$root)> {
  let summary = "every rank gets its part of the value of one rank";
  let description = [{
    Cuts the input of rank `root` along `axis` into as many equal parts as the
    group has ranks; rank r gets part r. The inputs of other ranks give only
    their shape.

    **Constraints**
    - (C1) `group` names a `collective.group`.
    - (C2) There is at least one input.
    - (C3) Either all inputs are tensors and there is one result per input, or
      all inputs are memrefs and there is one destination per input.
    - (C4) `axis` is a dimension of every input.
    - (C5) Each result or destination has the element type and the shape of its
      input, but that its dimension `axis` is the size of the group times smaller,
      without remainder (where the sizes are known).
    - (C6) `root` is a rank of the group: at least 0, and below the size of the
      group where that is known.

    ```
    rank 0   [1 2]                               [1]
    rank 1   [3 4]   ── along axis 0 from 0 ──▶  [2]
    ```
    ```mlir
    %x = collective.scatter %a along 0 from 0 on @world : tensor<8xf32> -> tensor<?xf32>
    ```
  }];
  let assemblyFormat = !strconcat(operands,
                                  " `along` $axis `from` $root `on` $group attr-dict `:` ", types);
}

def Collective_BarrierOp : Collective_Op<"barrier", [
    CollectiveOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    MemoryEffects<[MemWrite<Collective_Network>, MemRead<Collective_GroupTable>]>]> {
  let summary = "waits until every rank of the group has come here";
  let description = [{
    **Constraints**
    - (C1) `group` names a `collective.group`.

    ```mlir
    collective.barrier on @world
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$group);
  let assemblyFormat = "`on` $group attr-dict";
}

#endif // TUTTI_COLLECTIVE_MOVES
