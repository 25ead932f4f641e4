// Tensors as rows of elements of a chosen length, which is what lets any tensor be cut into equal parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_COLLECTIVE_FLAT
#define TUTTI_COLLECTIVE_FLAT

include "dialects/collective/CollectiveClasses.td"
include "dialects/interfaces/sharding/ShardingLine.td"

def Collective_MovableTensor : StaticShapeTensorOf<movableTypes>;
def Collective_MovableBuffer : MemRefRankOf<movableTypes, [0, 1, 2, 3, 4, 5, 6, 7, 8]>;
defvar Collective_FlatBufferizable = DeclareOpInterfaceMethods<BufferizableOpInterface,
    ["bufferizesToMemoryRead", "bufferizesToMemoryWrite", "bufferizesToAllocation",
     "getAliasingValues", "getBufferType", "bufferize"]>;

def Collective_FlattenOp : Collective_Op<"flatten", [
    AlwaysSpeculatableImplTrait, ConditionallySpeculatable,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, Collective_FlatBufferizable,
    ShardingRuleOpInterface]> {
  let summary = "the elements of a tensor one after the other, and zeros after them";
  let description = [{
    The elements in row-major order, then zeros up to the length of the result.
    It moves nothing between ranks: it gives a tensor a length that the number of
    ranks divides.

    Of a tensor of the same number of elements it is a view. On memrefs it copies
    `input` to the start of `destination` and writes zeros after; the memory plan
    puts `input` there in the first place where it can, and only the zeros remain.

    **Constraints**
    - (C1) Either `input` is a tensor and there is a result, or `input` is a memref
      and there is a `destination`.
    - (C2) Shapes are static, and what receives has one dimension.
    - (C3) What receives has the element type of `input`, and is at least as long
      as `input` has elements.

    ```mlir
    %f = collective.flatten %a : tensor<2x5xf32> -> tensor<12xf32>
    collective.flatten %m into %n : memref<2x5xf32> -> memref<12xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[Collective_MovableTensor, Collective_MovableBuffer]>:$input,
                       Optional<AnyMemRef>:$destination);
  let results = (outs Optional<AnyRankedTensor>:$output);
  let assemblyFormat = "$input (`into` $destination^)? attr-dict `:` type($input) `->` "
      "custom<FlatType>(ref($destination), type($destination), type($output))";
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "int64_t":$length)>];
  let extraClassDeclaration = Sharding_Line<"a^.. -> f^", [["input"]], [], "", 0, 0>.declarations;
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Collective_UnflattenOp : Collective_Op<"unflatten", [Pure, Collective_FlatBufferizable, ShardingRuleOpInterface]> {
  let summary = "the first elements of a row as a tensor";
  let description = [{
    As many elements from the start of `input` as the result has, in row-major
    order: what `collective.flatten` was given. It is a view.

    **Constraints**
    - (C1) `input` has one dimension, the element type of the result, and is at
      least as long as the result has elements.

    ```mlir
    %a = collective.unflatten %f : tensor<12xf32> -> tensor<2x5xf32>
    ```
  }];
  let arguments = (ins Collective_MovableTensor:$input);
  let results = (outs Collective_MovableTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let extraClassDeclaration = Sharding_Line<"f^ -> a^..", [["input"]], [], "", 0, 0>.declarations;
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // TUTTI_COLLECTIVE_FLAT
