// Who belongs to a group: the attributes of `collective.group`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_COLLECTIVE_MEMBERS
#define TUTTI_COLLECTIVE_MEMBERS

include "dialects/collective/Collective.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/Interfaces.td"

def Collective_MembersInterface : AttrInterface<"MembersAttrInterface"> {
  let cppNamespace = "::tutti::collective";
  let description = [{
    Divides the ranks of the world into sets that have no rank in common. A rank
    is in one set at most. Members of a set are numbered by their place in it.
  }];
  let methods = [
    InterfaceMethod<[{
      The world ranks, in order, of the set that `rank` is in, where the world
      has `worldSize` ranks. Empty if it is in none; nothing if that is known
      only when the program runs.
    }], "std::optional<::llvm::SmallVector<int64_t>>", "getSetOf",
      (ins "int64_t":$rank, "int64_t":$worldSize)>,
    InterfaceMethod<[{
      The number of ranks of a set, if all sets have the same number and it is
      known.
    }], "std::optional<int64_t>", "getSetSize", (ins "std::optional<int64_t>":$worldSize)>,
    InterfaceMethod<"Whether each rank of the world is surely in a set.",
      "bool", "hasEveryRank", (ins "std::optional<int64_t>":$worldSize)>,
    InterfaceMethod<"Whether all sets surely have the same number of ranks.",
      "bool", "hasEqualSets", (ins "std::optional<int64_t>":$worldSize)>,
    InterfaceMethod<"Whether the ranks of a world of `worldSize` can be divided so.",
      "::llvm::LogicalResult", "verifyMembers",
      (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError, "int64_t":$worldSize)>
  ];
}

class Collective_Members<string cppName, string keyword>
    : AttrDef<Collective_Dialect, cppName, [DeclareAttrInterfaceMethods<Collective_MembersInterface>]> {
  let mnemonic = keyword;
}

def Collective_RanksAttr : Collective_Members<"Ranks", "ranks"> {
  let summary = "sets that list their ranks";
  let description = [{
    Each list is one set, in the order in which its ranks are numbered. Ranks
    that are not listed are in no set.

    **Constraints**
    - (C1) There is at least one set, and no set is empty.
    - (C2) No rank is negative, and none is listed twice.

    ```mlir
    #collective.ranks<[[0, 1], [2, 3]]>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::DenseI64ArrayAttr", "the sets">:$sets);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Collective_BlocksAttr : Collective_Members<"Blocks", "blocks"> {
  let summary = "sets of neighbouring ranks";
  let description = [{
    With blocks of 4: ranks 0 to 3, 4 to 7, and so on, for any number of ranks
    that 4 divides.

    **Constraints**
    - (C1) `length` is at least one.

    ```mlir
    #collective.blocks<4>
    ```
  }];
  let parameters = (ins "int64_t":$length);
  let assemblyFormat = "`<` $length `>`";
  let genVerifyDecl = 1;
}

def Collective_StridedAttr : Collective_Members<"Strided", "strided"> {
  let summary = "sets of ranks that lie a stride apart";
  let description = [{
    With a stride of 4: the ranks 0, 4, 8, ..., the ranks 1, 5, 9, ..., and so
    on, for any number of ranks that 4 divides. `blocks<4>` and `strided<4>` are
    the rows and columns of one grid: each set of the one has one rank in common
    with each set of the other.

    **Constraints**
    - (C1) `stride` is at least one.

    ```mlir
    #collective.strided<4>
    ```
  }];
  let parameters = (ins "int64_t":$stride);
  let assemblyFormat = "`<` $stride `>`";
  let genVerifyDecl = 1;
}

def Collective_PerNodeAttr : Collective_Members<"PerNode", "per_node"> {
  let summary = "one set for the ranks of each node";
  let description = [{
    A node is a machine, or whatever the launcher calls one: its ranks share
    memory. Which ranks these are is known when the program starts. Ranks of a
    set are in the order of the world.

    ```mlir
    #collective.per_node
    ```
  }];
}

def Collective_AcrossNodesAttr : Collective_Members<"AcrossNodes", "across_nodes"> {
  let summary = "one set for the ranks of each local number";
  let description = [{
    The first ranks of all nodes are one set, the second ranks another, and so
    on; ordered like the nodes' first ranks. Together with `per_node` this is
    what hierarchical algorithms need.

    ```mlir
    #collective.across_nodes
    ```
  }];
}

def Collective_AtRunTimeAttr : Collective_Members<"AtRunTime", "at_run_time"> {
  let summary = "a set that the program makes while it runs";
  let description = [{
    The group exists between `collective.create_group` and
    `collective.destroy_group`.

    ```mlir
    #collective.at_run_time
    ```
  }];
}

#endif // TUTTI_COLLECTIVE_MEMBERS
