// Messages between two ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_COLLECTIVE_POINT_TO_POINT
#define TUTTI_COLLECTIVE_POINT_TO_POINT

include "dialects/collective/CollectiveClasses.td"

/// One side of a message. It changes the network in both forms: another rank depends on it.
class Collective_PointToPointOp<string mnemonic, list<Trait> traits = []> : Collective_Op<mnemonic,
    !listconcat(traits, [PointToPointOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                         DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                         Collective_Bufferizable])> {
  let hasVerifier = 1;
}

def Collective_SendOp : Collective_PointToPointOp<"send"> {
  let summary = "gives values to one other rank";
  let description = [{
    Rank `peer` of the group must receive as many values of the same types with
    the same tag. May return before it has them, or wait until it asks for them:
    a program must be right either way. Messages of one tag between two ranks
    arrive in the order in which they are sent.

    **Constraints**
    - (C1) `group` names a `collective.group`.
    - (C2) There is at least one input.
    - (C3) Inputs are all tensors or all memrefs.
    - (C4) `peer` is a rank of the group: where it is constant it is at least 0, and
      below the size of the group where that is known.
    - (C5) `peer` is another rank than this one.
    - (C6) `tag` is not negative.

    ```mlir
    collective.send %a, %b to %peer tag 7 on @world : tensor<4xf32>, tensor<2xi64>
    ```
  }];
  let arguments = (ins Variadic<Collective_Movable>:$inputs, Index:$peer, I64Attr:$tag,
                       FlatSymbolRefAttr:$group);
  let assemblyFormat = "$inputs `to` $peer `tag` $tag `on` $group attr-dict `:` type($inputs)";
}

def Collective_RecvOp : Collective_PointToPointOp<"recv", [
    DeclareOpInterfaceMethods<UniformityOpInterface>]> {
  let summary = "gets values from one other rank";
  let description = [{
    Waits for what rank `peer` of the group sends with the same tag.

    **Constraints**
    - (C1) `group` names a `collective.group`.
    - (C2) There is at least one result or destination.
    - (C3) There are results (tensors) or destinations (memrefs), not both.
    - (C4) `peer` is a rank of the group: where it is constant it is at least 0, and
      below the size of the group where that is known.
    - (C5) `peer` is another rank than this one.
    - (C6) `tag` is not negative.
    - (C7) Tensors that are received have static shapes.

    ```mlir
    %r:2 = collective.recv from %peer tag 7 on @world : tensor<4xf32>, tensor<2xi64>
    collective.recv into %m from %peer tag 7 on @world : memref<4xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyMemRef>:$destinations, Index:$peer, I64Attr:$tag,
                       FlatSymbolRefAttr:$group);
  let results = (outs Variadic<Collective_Movable>:$outputs);
  let assemblyFormat = "(`into` $destinations^)? `from` $peer `tag` $tag `on` $group attr-dict `:` "
      "custom<ReceivedTypes>(ref($destinations), type($destinations), type($outputs))";
}

#endif // TUTTI_COLLECTIVE_POINT_TO_POINT
