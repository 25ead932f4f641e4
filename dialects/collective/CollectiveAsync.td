// Communication beside computation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_COLLECTIVE_ASYNC
#define TUTTI_COLLECTIVE_ASYNC

include "dialects/collective/CollectiveClasses.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Collective_FutureType : TypeDef<Collective_Dialect, "Future"> {
  let mnemonic = "future";
  let summary = "values that are still on their way";
  let description = [{
    Made by `collective.async`, used by `collective.await`. `types` are those of
    the values; there are none where the communication is on memrefs.

    ```mlir
    !collective.future<tensor<4xf32>, tensor<2xf32>>
    !collective.future
    ```
  }];
  let parameters = (ins OptionalArrayRefParameter<"::mlir::Type", "of the values">:$types);
  let assemblyFormat = "(`<` $types^ `>`)?";
}

def Collective_AsyncOp : Collective_Op<"async", [
    SingleBlockImplicitTerminator<"YieldOp">, NoRegionArguments, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<TypeRefinementOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "starts communication and goes on";
  let description = [{
    The collectives and messages of the body run in their order, beside whatever
    the program does until it awaits the future. On tensors nothing else changes:
    the values are the same. On memrefs nobody may touch the buffers before the
    future is awaited, but to read those that are only read.

    **Constraints**
    - (C1) The body holds collectives and messages only: no other operation but the
      terminator, no `create_group` and `destroy_group`.
    - (C2) An operation of the body may use the results of another, which has no
      other use then: they hand the data on without the program. It is a bucket,
      and neither it nor the other has an axis but 0, along which data would have
      to be moved in between.
    - (C3) The types of the future are those of the values that the body yields.
    - (C4) At most one `collective.await` awaits the future.

    ```mlir
    %f = collective.async {
      %r = collective.all_reduce sum %a on @world : tensor<4xf32>
      collective.yield %r : tensor<4xf32>
    } : !collective.future<tensor<4xf32>>
    ```
  }];
  let results = (outs Collective_FutureType:$future);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict `:` custom<Future>(type($future))";
  let hasVerifier = 1;
}

def Collective_YieldOp : Collective_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"AsyncOp">]> {
  let summary = "names the values that a future promises";
  let description = [{
    ```mlir
    collective.yield %r, %s : tensor<4xf32>, tensor<2xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins)>];
}

def Collective_AwaitOp : Collective_Op<"await", [
    DeclareOpInterfaceMethods<TypeRefinementOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "waits for a future and takes its values";
  let description = [{
    It stays though nobody uses its values: what is started is awaited. Where
    nobody needs the communication either, both are dropped at once.

    **Constraints**
    - (C1) The future is made by a `collective.async` of the same block.
    - (C2) The results are of the types of the future.

    ```mlir
    %r = collective.await %f : !collective.future<tensor<4xf32>>
    collective.await %g : !collective.future
    ```
  }];
  let arguments = (ins Collective_FutureType:$future);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = "$future attr-dict `:` custom<AwaitedTypes>(type($future), type($outputs))";
  let hasVerifier = 1;
}

def Collective_CompleteOp : Collective_Op<"complete", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    Collective_Bufferizable]> {
  let summary = "waits for the collectives that carry a number";
  let description = [{
    What `async` and `await` become on the way to code, so that every buffer that
    is in use while communication runs shows at its end. Collectives that carry
    the attribute `collective.future = N` are started and not awaited;
    `collective.complete N` awaits them. `promised` is what they write: on tensors
    its values are the results. `kept` is what they only read. Neither may be
    touched in between, but to read what is `kept`.

    **Constraints**
    - (C1) Operands are all tensors, with one result of the same type for each that
      is promised, or all memrefs without a result.

    ```mlir
    %r = collective.all_gather %a along 0 on @world {collective.future = 3} : tensor<2xf32> -> tensor<8xf32>
    ...
    %x = collective.complete 3 of %r keeping %a : tensor<8xf32>, tensor<2xf32>
    ```
  }];
  let arguments = (ins I64Attr:$future, Variadic<Collective_Movable>:$promised,
                       Variadic<Collective_Movable>:$kept);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = "$future (`of` $promised^)? (`keeping` $kept^)? attr-dict "
      "custom<CompletedTypes>(ref($promised), ref($kept), type($promised), type($kept), type($outputs))";
  let hasVerifier = 1;
}

#endif // TUTTI_COLLECTIVE_ASYNC
