// The operations of the collective dialect. This text is their only specification.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_COLLECTIVE_OPS
#define TUTTI_COLLECTIVE_OPS

include "dialects/collective/Collective.td"
include "dialects/collective/CollectiveInterfaces.td"
include "dialects/interfaces/Uniformity.td"
include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

defvar reducibleTypes = [F16, BF16, F32, F64, AnyI8, AnyI16, AnyI32, AnyI64];
defvar movableTypes = !listconcat(reducibleTypes, [I1]);

class Collective_Data<list<Type> elements>
    : AnyTypeOf<[RankedTensorOf<elements>, MemRefRankOf<elements, [0, 1, 2, 3, 4, 5, 6, 7, 8]>]>;
def Collective_Reducible : Collective_Data<reducibleTypes>;
def Collective_Movable : Collective_Data<movableTypes>;

class Collective_Op<string mnemonic, list<Trait> traits = []>
    : Op<Collective_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

def Collective_GroupOp : Collective_Op<"group", [Symbol]> {
  let summary = "declares a group of ranks";
  let description = [{
    Names a group that consists of all ranks of the job. `size`, when present,
    is their number: a program specialised for a launch knows it, a program that
    is independent of the number of ranks leaves it out. On a group of size one
    every collective is the identity and folds away.

    **Constraints**
    - (C1) `size` is at least one.

    ```mlir
    collective.group @world
    collective.group @four {size = 4 : i64}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<I64Attr>:$size);
  let assemblyFormat = "$sym_name attr-dict";
  let hasVerifier = 1;
}

/// A question about a group, answered on each rank without communication.
class Collective_QueryOp<string mnemonic> : Collective_Op<mnemonic, [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<UniformityOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let arguments = (ins FlatSymbolRefAttr:$group);
  let results = (outs Index:$result);
  let assemblyFormat = "`on` $group attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Collective_RankOp : Collective_QueryOp<"rank"> {
  let summary = "the number of this rank within a group";
  let description = [{
    Ranks are numbered from 0 to size - 1. The result is varying: it is the one
    value that is different on every rank. Folds to 0 on a group of size one.

    **Constraints**
    - (C1) `group` names a `collective.group`.

    ```mlir
    %rank = collective.rank on @world : index
    ```
  }];
}

def Collective_SizeOp : Collective_QueryOp<"size"> {
  let summary = "the number of ranks in a group";
  let description = [{
    Uniform. Folds to a constant as soon as the group declares its size.

    **Constraints**
    - (C1) `group` names a `collective.group`.

    ```mlir
    %size = collective.size on @world : index
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

// The two parts of the syntax that all buckets share.
defvar operands = "$inputs (`into` $destinations^)?";
defvar types = "custom<BucketTypes>(ref($destinations), type($inputs), type($destinations), "
               "type($outputs))";

/// The family: a bucket of inputs, the group, destinations (memrefs) or results (tensors).
class Collective_BucketOp<string mnemonic, Type data, dag parameters> : Collective_Op<mnemonic, [
    AttrSizedOperandSegments, BucketOpInterface, CollectiveOpInterface,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<UniformityOpInterface>,
    DeclareOpInterfaceMethods<BufferizableOpInterface,
      ["bufferizesToMemoryRead", "bufferizesToMemoryWrite", "bufferizesToAllocation",
       "getAliasingValues", "bufferize"]>]> {
  dag bucket = (ins Variadic<data>:$inputs, Variadic<AnyMemRef>:$destinations,
                    FlatSymbolRefAttr:$group);
  let arguments = !con(parameters, bucket);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let hasVerifier = 1;
}

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

//===----------------------------------------------------------------------===//
// Synchronisation
//===----------------------------------------------------------------------===//

def Collective_BarrierOp : Collective_Op<"barrier", [
    CollectiveOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
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

#endif // TUTTI_COLLECTIVE_OPS
