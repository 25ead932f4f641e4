// What passes ask of operations that communicate, whatever their dialect: what they exchange, who takes part, and what
// is started and awaited apart.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_COMMUNICATION_TD
#define TUTTI_INTERFACES_COMMUNICATION_TD

include "mlir/IR/OpBase.td"

def CommunicationOpInterface : OpInterface<"CommunicationOpInterface"> {
  let cppNamespace = "::tutti";
  let description = [{
    An operation that communicates, as a *form*: its kind (`AllReduce`, `Send`, ...), its group, and what belongs to
    the kind: how values are combined, along which axis, which rank is the root. Kinds mean what the operations of
    these names of the dialect `collective` mean. Two operations of equal forms and equal inputs give equal results,
    of whatever dialects they are.

    How many inputs there are, and which result belongs to which, tells `BucketOpInterface`; who is at the other
    side of a message, `PointToPointOpInterface`. Passes make new operations by the `CommunicationDialectInterface` of the dialect, a factory.

    ```mlir
    // form: all_reduce, sum, @world; payload: %a
    %r = collective.all_reduce sum %a on @world : tensor<4xf32>
    ```
  }];
  let methods = [
    InterfaceMethod<"The kind, the group, and what belongs to the kind.",
                    "::tutti::CommunicationForm", "getForm">,
    InterfaceMethod<[{
        The values whose elements travel, as a plan counts them: what this rank gives, or, of a receive, what it gets.
        Empty for what only waits, and for operations on groups. By default the inputs of a bucket, and nothing of
        other operations.
      }],
      "::llvm::SmallVector<::mlir::Value>", "getPayload", (ins), [{}],
      [{ return ::tutti::byform::getPayload($_op.getOperation()); }]>
  ];
}

def CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::tutti";
  let description = [{
    An operation in which all ranks of a group take part: if one rank executes
    it, every rank of the group must.
  }];
  let methods = [
    InterfaceMethod<"The symbol of the group that takes part; by default that of the form.",
      "::mlir::FlatSymbolRefAttr", "getGroupAttr", (ins), [{}],
      [{ return ::tutti::byform::getGroup($_op.getOperation()); }]>
  ];
}

def BucketOpInterface : OpInterface<"BucketOpInterface", [CollectiveOpInterface]> {
  let cppNamespace = "::tutti";
  let description = [{
    A collective that moves data. Input `i` becomes output `i` (tensors) or is
    written to destination `i` (memrefs). An operation on tensors whose operands are all inputs writes no method.
  }];
  let methods = [
    InterfaceMethod<"The values this rank gives; by default all operands.", "::mlir::OperandRange", "getInputs", (ins), [{}],
      [{ return $_op->getOperands(); }]>,
    InterfaceMethod<"The buffers this rank receives into; empty on tensors, and by default.",
      "::mlir::OperandRange", "getDestinations", (ins), [{}], [{ return $_op->getOperands().take_front(0); }]>,
    InterfaceMethod<"The values this rank receives; empty on memrefs. By default all results.",
      "::mlir::ResultRange", "getOutputs", (ins), [{}], [{ return $_op->getResults(); }]>
  ];
}

def PointToPointOpInterface : OpInterface<"PointToPointOpInterface"> {
  let cppNamespace = "::tutti";
  let description = [{
    One side of a message between two ranks of a group: it is complete when the
    other rank has executed the other side, with the same tag.
  }];
  let methods = [
    InterfaceMethod<"The symbol of the group within which ranks are numbered.",
      "::mlir::FlatSymbolRefAttr", "getGroupAttr">,
    InterfaceMethod<"The rank of the other side, an integer.", "::mlir::Value", "getPeer">,
    InterfaceMethod<"What tells messages between the same ranks apart, where it is known.",
      "uint64_t", "getTag">,
    InterfaceMethod<"Whether the tag is known before the program runs.", "bool", "isTagKnown", (ins), [{}],
      [{ return true; }]>
  ];
}

def CommunicationStartOpInterface : OpInterface<"CommunicationStartOpInterface"> {
  let cppNamespace = "::tutti";
  let description = [{
    The first half of a pair: starts communication and goes on. What it starts stands in its one region, in the order
    in which it runs, and the region ends with the values that are promised; or it has no region, is itself the
    communication, and its other results are promised. It gives a *future*, one value, to exactly one
    `CommunicationDoneOpInterface`.

    ```mlir
    %f = collective.async {
      %r = collective.all_reduce sum %a on @world : tensor<4xf32>
      collective.yield %r : tensor<4xf32>
    } : !collective.future<tensor<4xf32>>
    ```
  }];
  let methods = [
    InterfaceMethod<"The value that stands for what is under way.", "::mlir::Value", "getFutureValue">,
    InterfaceMethod<"What the other half gives as its result `index`, as the started operations name it.",
                    "::mlir::Value", "getPromised", (ins "unsigned":$index)>,
    InterfaceMethod<"The name of the operation that is the other half, for diagnostics.",
                    "::llvm::StringRef", "getDoneName">
  ];
}

def CommunicationDoneOpInterface : OpInterface<"CommunicationDoneOpInterface"> {
  let cppNamespace = "::tutti";
  let description = [{
    The second half of a pair: waits for what was started, and gives its values. It is executed though nobody uses
    them: what is started is awaited.

    ```mlir
    %r = collective.await %f : !collective.future<tensor<4xf32>>
    ```
  }];
  let methods = [
    InterfaceMethod<"The future; null where what is awaited carries a number instead of a value.",
                    "::mlir::Value", "getAwaitedFuture">,
    InterfaceMethod<"The number that what is awaited carries (`collective.future`), if it carries one.",
                    "std::optional<int64_t>", "getAwaitedNumber", (ins), [{}], [{ return std::nullopt; }]>
  ];
}

def GroupOpInterface : OpInterface<"GroupOpInterface"> {
  let cppNamespace = "::tutti";
  let description = [{
    A symbol that says who takes part: all ranks, or a family of sets of ranks that have no rank in common. A rank
    communicates with the others of its set.

    ```mlir
    collective.group @world                              // form: World
    collective.group @rows members(#collective.blocks<4>) // form: Blocks, of 4
    ```

    The form alone answers the other questions where a group says nothing itself, and answers no more than is sure: of
    groups that list their ranks, or are known to themselves alone, it knows little.
  }];
  let methods = [
    InterfaceMethod<"How the ranks are divided.", "::tutti::GroupForm", "getGroupForm">,
    InterfaceMethod<[{
        Equal for groups of one dialect that divide the ranks in the same way; null for the world without members.
      }], "::mlir::Attribute", "getDivision", (ins), [{}],
      [{ return ::tutti::byform::getDivision($_op.getOperation()); }]>,
    InterfaceMethod<"Declares the number of ranks of the world, on a group of the form World.",
                    "void", "declareSize", (ins "int64_t":$ranks)>,
    InterfaceMethod<"Whether every rank is in one and the same set.", "bool", "isOfWholeWorld", (ins), [{}],
                    [{ return ::tutti::byform::isOfWholeWorld($_op.getOperation()); }]>,
    InterfaceMethod<"Whether each rank of the world is surely in a set.", "bool", "holdsEveryRank", (ins), [{}],
                    [{ return ::tutti::byform::holdsEveryRank($_op.getOperation()); }]>,
    InterfaceMethod<"Whether all sets surely have the same number of ranks.", "bool", "isOfEqualSets", (ins), [{}],
                    [{ return ::tutti::byform::isOfEqualSets($_op.getOperation()); }]>,
    InterfaceMethod<"The number of ranks of a set, if all sets have the same number and it is known.",
                    "std::optional<int64_t>", "getSizeOfSets", (ins), [{}],
                    [{ return ::tutti::byform::getSizeOfSets($_op.getOperation()); }]>,
    InterfaceMethod<[{
        The world ranks, in order, of the set that `rank` is in, in a world of `worldSize` ranks. Empty if it is in
        none; nothing if that is known only when the program runs.
      }], "std::optional<::llvm::SmallVector<int64_t>>", "getMembersWith",
      (ins "int64_t":$rank, "int64_t":$worldSize), [{}],
      [{ return ::tutti::byform::getMembersWith($_op.getOperation(), rank, worldSize); }]>
  ];
}

def RankQueryOpInterface : OpInterface<"RankQueryOpInterface"> {
  let cppNamespace = "::tutti";
  let description = [{
    An operation whose one result, an index, answers a question about groups, without communication: which rank this
    is, or how many there are. Its one operand, if it has one, is the rank that is translated from group to group.

    ```mlir
    %r = collective.rank on @world : index // question: Rank, @world
    ```
  }];
  let methods = [
    InterfaceMethod<"What is asked, and of which groups.", "::tutti::RankQuestion", "getQuestion">
  ];
}

//===----------------------------------------------------------------------===//
// Forms as attributes
//===----------------------------------------------------------------------===//

/// A form as an attribute, for operations that may be of any kind: `{group = @world, kind = "all_reduce", reduction =
/// "mean"}`, with `axis` and `root` where they are not 0. An operation that names it `form` need not write `getForm`.
def Tutti_FormAttr : Attr<CPred<"::tutti::readForm($_self).has_value()">,
    "a form of communication, such as {group = @world, kind = \"all_reduce\", reduction = \"mean\"}"> {
  let storageType = "::mlir::DictionaryAttr";
  let returnType = "::tutti::CommunicationForm";
  let convertFromStorage = "*::tutti::readForm($_self)";
  let constBuilderCall = "::tutti::writeForm($_builder.getContext(), $0)";
}

#endif
