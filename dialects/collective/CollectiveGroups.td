// Operations on groups of ranks: declaring, making and asking.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_COLLECTIVE_GROUPS
#define TUTTI_COLLECTIVE_GROUPS

include "dialects/collective/CollectiveClasses.td"

def Collective_GroupOp : Collective_Op<"group", [Symbol]> {
  let summary = "declares a group of ranks";
  let description = [{
    Without `members` the group is the world: all ranks of the job. With
    `members` it is a family of sets of ranks that have none in common, and each
    rank means its own set when it communicates on the group. So one operation
    says what every rank does, and no rank needs a program of its own.

    `size`, when present, is the number of ranks of the world, or of each set: a
    program specialised for a launch knows it, a program that is independent of
    the number of ranks leaves it out. For `per_node` and `across_nodes` it is
    what the program relies on, and is checked when it starts. In a set of one
    rank every collective is the identity and folds away.

    **Constraints**
    - (C1) `size` is at least one.
    - (C2) All groups that are the world have the same `size`, where they have one.
    - (C3) The ranks of the world can be divided as `members` says, where their
      number is known: listed ranks are below it, `length` and `stride` divide it.
    - (C4) `size` is the number of ranks of each set, where `members` tell it.
    - (C5) Every other attribute carries a dialect's prefix.

    ```
    8 ranks   @rows: blocks<4>     [0 1 2 3] [4 5 6 7]
              @cols: strided<4>    [0 4] [1 5] [2 6] [3 7]
    ```
    ```mlir
    collective.group @world
    collective.group @four {size = 4 : i64}
    collective.group @pairs members(#collective.ranks<[[0, 1], [2, 3]]>)
    collective.group @rows members(#collective.blocks<4>)
    collective.group @cols members(#collective.strided<4>)
    collective.group @node members(#collective.per_node)
    collective.group @cross members(#collective.across_nodes)
    collective.group @later members(#collective.at_run_time)
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<Collective_MembersInterface>:$members,
                       OptionalAttr<I64Attr>:$size);
  let assemblyFormat = "$sym_name (`members` `(` $members^ `)`)? attr-dict";
  let hasVerifier = 1;
  let builders = [
    /// The world.
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::IntegerAttr":$size), [{
      build($_builder, $_state, name, MembersAttrInterface(), size);
    }]>
  ];
  let extraClassDeclaration = [{
    /// The number of ranks of the job, if a group of the same symbol table tells it.
    std::optional<int64_t> getWorldSize();
    /// Whether every rank is in one and the same set.
    bool isWholeWorld();
    /// Whether each rank of the world is surely in a set.
    bool hasEveryRank();
    /// Whether all sets surely have the same number of ranks.
    bool hasEqualSets();
    /// The number of ranks of a set, if all sets have the same number and it is known.
    std::optional<int64_t> getSetSize();
    /// The world ranks, in order, of the set that `rank` is in; empty if it is in none. Nothing
    /// if that, or the size of the world, is not known.
    std::optional<::llvm::SmallVector<int64_t>> getSetOf(int64_t rank);
  }];
}

/// Makes or ends a group. Orders all communication.
class Collective_LifetimeOp<string mnemonic> : Collective_Op<mnemonic, [
    CollectiveOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    MemoryEffects<[MemWrite<Collective_Network>, MemWrite<Collective_GroupTable>]>]>;

def Collective_CreateGroupOp : Collective_LifetimeOp<"create_group"> {
  let summary = "makes a group of ranks that are computed";
  let description = [{
    The operands are world ranks, in the order in which they are numbered within
    the group. All of them execute this operation with the same operands; sets
    that have no rank in common may be made at once, each rank giving its own
    set. A rank that is not among its operands may execute it, too, and is in no
    set.

    **Constraints**
    - (C1) `group` names a `collective.group`.
    - (C2) Its members are `at_run_time`.
    - (C3) There is at least one rank, and as many as the group's `size`, where it
      has one.
    - (C4) No rank that is constant is negative, beyond the world where its size is
      known, or given twice.

    ```mlir
    collective.create_group @later of %a, %b : index, index
    ```
  }];
  let arguments = (ins Variadic<Index>:$ranks, FlatSymbolRefAttr:$group);
  let assemblyFormat = "$group `of` $ranks attr-dict `:` type($ranks)";
}

def Collective_DestroyGroupOp : Collective_LifetimeOp<"destroy_group"> {
  let summary = "ends a group that was made while the program runs";
  let description = [{
    Every member executes it, after its last communication on the group. The
    group can be made again.

    **Constraints**
    - (C1) `group` names a `collective.group`.
    - (C2) Its members are `at_run_time`.

    ```mlir
    collective.destroy_group @later
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$group);
  let assemblyFormat = "$group attr-dict";
}

//===----------------------------------------------------------------------===//
// Questions, answered on each rank without communication
//===----------------------------------------------------------------------===//

class Collective_QueryOp<string mnemonic, list<Trait> traits> : Collective_Op<mnemonic,
    !listconcat(traits, [DeclareOpInterfaceMethods<UniformityOpInterface>,
                         DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>])> {
  let results = (outs Index:$result);
  let hasFolder = 1;
}

/// A question about groups by their names. Nothing is wrong with asking for one that does not exist.
defvar asksForGroups = [DeclareOpInterfaceMethods<SymbolUserOpInterface>, AlwaysSpeculatable,
                        MemoryEffects<[MemRead<Collective_GroupTable>]>];

class Collective_GroupQueryOp<string mnemonic> : Collective_QueryOp<mnemonic, asksForGroups> {
  let arguments = (ins FlatSymbolRefAttr:$group);
  let assemblyFormat = "`on` $group attr-dict `:` type($result)";
}

class Collective_LocalQueryOp<string mnemonic> : Collective_QueryOp<mnemonic, [Pure]> {
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Collective_RankOp : Collective_GroupQueryOp<"rank"> {
  let summary = "the number of this rank within its set of a group";
  let description = [{
    Ranks are numbered from 0 to size - 1; the result is -1 on a rank that is in
    no set. It is varying: the one value that is different on every rank of a
    set. Folds to 0 where every rank is in a set of one.

    **Constraints**
    - (C1) `group` names a `collective.group`.

    ```mlir
    %rank = collective.rank on @world : index
    ```
  }];
}

def Collective_SizeOp : Collective_GroupQueryOp<"size"> {
  let summary = "the number of ranks in the set of this rank";
  let description = [{
    0 on a rank that is in no set. Uniform where every rank is in a set and all
    sets are equally large, and then folds to a constant as soon as that number
    is known.

    **Constraints**
    - (C1) `group` names a `collective.group`.

    ```mlir
    %size = collective.size on @world : index
    ```
  }];
}

def Collective_LocalRankOp : Collective_LocalQueryOp<"local_rank"> {
  let summary = "the number of this rank among the ranks of its node";
  let description = [{
    Varying. Folds to 0 in a world of one rank.

    ```mlir
    %rank = collective.local_rank : index
    ```
  }];
}

def Collective_LocalSizeOp : Collective_LocalQueryOp<"local_size"> {
  let summary = "the number of ranks of the node of this rank";
  let description = [{
    Varying, because nodes may have different numbers of ranks. Folds to 1 in a
    world of one rank.

    ```mlir
    %size = collective.local_size : index
    ```
  }];
}

def Collective_TranslateRankOp
    : Collective_QueryOp<"translate_rank", asksForGroups> {
  let summary = "the number that a rank of one group has in another";
  let description = [{
    Takes the rank that has number `rank` in this rank's set of group `from`, and
    gives its number in this rank's set of group `to`. The result is -1 if there
    is no such rank in `from`, or if it is not in this rank's set of `to`. Folds
    where the answer is known and the same on every rank.

    **Constraints**
    - (C1) `from` and `to` name a `collective.group`.

    ```
    4 ranks, @pairs of [0 1] [2 3]; on rank 3:
      translate 2 from @world to @pairs = 0    translate 1 from @pairs to @world = 3
      translate 1 from @world to @pairs = -1
    ```
    ```mlir
    %q = collective.translate_rank %r from @world to @pairs : index
    ```
  }];
  let arguments = (ins Index:$rank, FlatSymbolRefAttr:$from, FlatSymbolRefAttr:$to);
  let assemblyFormat = "$rank `from` $from `to` $to attr-dict `:` type($result)";
}

#endif // TUTTI_COLLECTIVE_GROUPS
