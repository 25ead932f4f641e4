// The collective dialect and the enumerations of its operations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_COLLECTIVE
#define TUTTI_COLLECTIVE

include "mlir/IR/DialectBase.td"
include "mlir/IR/EnumAttr.td"

def Collective_Dialect : Dialect {
  let name = "collective";
  let cppNamespace = "::tutti::collective";
  let summary = "Groups of ranks and the data they exchange";
  let description = [{
    A *rank* is one of the processes that run the same program; all of them
    together are the *world*. A *group* is a set of ranks that communicate, or a
    family of such sets that have no rank in common; the members of a set issue
    the same collectives on it in the same order.

    A collective is variadic: one operation is one *bucket*, and each of its
    inputs is communicated on its own terms, as if there were one operation per
    input. It comes in two forms.

    - **On tensors** it has value semantics: results are new values. It is never
      speculatable: executing it on one rank and not on another would wait for
      ever.
    - **On memrefs** it reads its inputs and writes its destinations (`into`),
      which may be the same buffers.

    **Effects.** Two things outside the program's values are shared: the
    *network*, and the *group table*, which ranks each group has at the moment.
    - (E1) What names a group reads the group table; `create_group` and
      `destroy_group` write it. So nothing moves to where a name may mean other
      ranks, into a branch, or out of a loop. `rank`, `size` and `translate_rank`
      only read, and fold as soon as their answer is known.
    - (E2) Collectives on memrefs, messages, barriers and `await` write the
      network: they are executed as often, and in the order, as the program says.
    - (E3) So do collectives on tensors on a group that is not the whole world:
      that all members come to them is proved only rank by rank, and what is
      dropped or merged at one place might be missed at another.
    - (E4) A collective on tensors on the whole world does not: every rank reaches
      it equally often, so what nobody uses is dropped, and equal ones between
      which the network and the group table stay as they are become one, on all
      ranks at once.
    - (E5) Unless it is marked `collective.distinct`, as a second gather is that
      shall be later than the first and not keep its value in memory. Such a
      collective writes the network, and no pass merges, replaces or moves it; a
      set of one rank needs none all the same. The mark has no value, and stands
      on collectives that move data.
    - (E6) An `all_gather` that is marked `collective.regather = K` gathers what
      is gathered elsewhere, too, for the K-th of several uses. Two of different
      numbers are never one, so that what is gathered is dropped in between. It
      may move within its use: be one with others that are needed next, and begin
      when the one before it is awaited.

    **Lifetime of groups** that are made at run time
    - (L1) Such a group is used only after `create_group` and before
      `destroy_group`, on every way through the program.
    - (L2) It is made when it does not exist, and destroyed when it does, at most
      once on each way.
    - (L3) Where two ways meet, the same groups exist; none does when the program
      ends.
    - (L4) All ranks that are members execute both, and their last communication on
      the group comes before its end.

    (L1) to (L3) are checked by `collective-verify-order`.

    A rank that is in no set of a group takes no part in collectives on it. On
    memrefs its destinations stay as they are. On tensors its result is its own
    input for `all_reduce`, `reduce` and `broadcast`, the tensor that receives
    (`into`) where there is one, and zeros elsewhere.

    This dialect knows neither training nor any compute dialect.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
  let hasConstantMaterializer = 1;
  let hasCanonicalizer = 1;
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

def Collective_Reduction : I32EnumAttr<"ReductionKind", "how values of several ranks become one", [
    I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"mean", 1>, I32EnumAttrCase<"min", 2>,
    I32EnumAttrCase<"max", 3>, I32EnumAttrCase<"prod", 4>]> {
  let cppNamespace = "::tutti::collective";
}

#endif // TUTTI_COLLECTIVE
