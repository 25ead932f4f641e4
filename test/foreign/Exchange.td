// A dialect of another house: it communicates with operations that no pass of ours has heard of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_FOREIGN_EXCHANGE
#define TUTTI_TEST_FOREIGN_EXCHANGE

include "dialects/interfaces/ranks/Communication.td"
include "dialects/interfaces/ComputeCost.td"
include "dialects/interfaces/TypeRefinement.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Exchange_Dialect : Dialect {
  let name = "exchange";
  let cppNamespace = "::tutti::test";
  let useDefaultTypePrinterParser = 1;
}

class Exchange_Op<string mnemonic, list<Trait> traits = []> : Op<Exchange_Dialect, mnemonic, traits>;
/// An effect of its own: what ours mean, it does not know.
def Exchange_Wire : Resource<"::tutti::test::WireResource">;
/// What is executed as often as the program says.
def Exchange_UsesWire : MemoryEffects<[MemWrite<Exchange_Wire>]>;

def Exchange_TicketType : TypeDef<Exchange_Dialect, "Ticket"> {
  let mnemonic = "ticket";
  let summary = "what is under way";
}

/// Who takes part. `members` is an attribute of the dialect collective, absent for all ranks.
def Exchange_RingOp : Exchange_Op<"ring", [Symbol, DeclareOpInterfaceMethods<GroupOpInterface, [
    "getDivision", "isOfWholeWorld", "holdsEveryRank", "isOfEqualSets", "getSizeOfSets", "getMembersWith"]>]> {
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<AnyAttr>:$members, OptionalAttr<I64Attr>:$ranks);
  let assemblyFormat = "$sym_name (`divided` $members^)? (`ranks` $ranks^)? attr-dict";
}

/// Every kind of collective is this one operation.
def Exchange_ShareOp : Exchange_Op<"share", [
    BucketOpInterface, CollectiveOpInterface, DeclareOpInterfaceMethods<CommunicationOpInterface>,
    DeclareOpInterfaceMethods<TypeRefinementOpInterface>, MemoryEffects<[MemRead<Exchange_Wire>]>]> {
  let arguments = (ins I64Attr:$kind, OptionalAttr<I64Attr>:$by, I64Attr:$axis, I64Attr:$root,
                       FlatSymbolRefAttr:$ring, Variadic<AnyRankedTensor>:$given);
  let results = (outs Variadic<AnyRankedTensor>:$taken);
  let assemblyFormat = "custom<Form>($kind, $by, $axis, $root) `(` $given `)` `around` $ring attr-dict `:` "
      "functional-type($given, $taken)";
}

class Exchange_BareOp<string mnemonic, list<Trait> traits> : Exchange_Op<mnemonic, !listconcat(traits, [
    CollectiveOpInterface, DeclareOpInterfaceMethods<CommunicationOpInterface>])> {
  let arguments = (ins Variadic<Index>:$ranks, FlatSymbolRefAttr:$ring);
  let assemblyFormat = "$ring (`of` $ranks^)? attr-dict";
}
def Exchange_MeetOp : Exchange_BareOp<"meet", [Exchange_UsesWire]>;
def Exchange_OpenOp : Exchange_BareOp<"open", [Exchange_UsesWire]>;
def Exchange_CloseOp : Exchange_BareOp<"close", [Exchange_UsesWire]>;

class Exchange_MessageOp<string mnemonic, list<Trait> traits> : Exchange_Op<mnemonic, !listconcat(traits, [
    PointToPointOpInterface, DeclareOpInterfaceMethods<CommunicationOpInterface, ["getPayload"]>, Exchange_UsesWire])> {
  let arguments = (ins Variadic<AnyRankedTensor>:$given, Index:$partner, I64Attr:$number, FlatSymbolRefAttr:$ring);
  let results = (outs Variadic<AnyRankedTensor>:$taken);
  let assemblyFormat = "`(` $given `)` $partner `number` $number `around` $ring attr-dict `:` functional-type($given, $taken)";
  let extraClassDeclaration = [{
    ::mlir::FlatSymbolRefAttr getGroupAttr() { return getRingAttr(); }
    ::mlir::TypedValue<::mlir::IndexType> getPeer() { return getPartner(); }
    uint64_t getTag() { return getNumber(); }
  }];
}
def Exchange_TellOp : Exchange_MessageOp<"tell", []>;
def Exchange_HearOp : Exchange_MessageOp<"hear", []>;

def Exchange_PostOp : Exchange_Op<"post", [
    SingleBlockImplicitTerminator<"HandOp">, NoRegionArguments, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<CommunicationStartOpInterface>]> {
  let results = (outs Exchange_TicketType:$ticket);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict `:` type($ticket)";
}
def Exchange_HandOp : Exchange_Op<"hand", [Pure, Terminator, ReturnLike, HasParent<"PostOp">]> {
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins)>];
}
def Exchange_FetchOp : Exchange_Op<"fetch", [
    DeclareOpInterfaceMethods<CommunicationDoneOpInterface>, DeclareOpInterfaceMethods<TypeRefinementOpInterface>,
    Exchange_UsesWire]> {
  let arguments = (ins Exchange_TicketType:$ticket);
  let results = (outs Variadic<AnyRankedTensor>:$taken);
  let assemblyFormat = "$ticket attr-dict `:` type($ticket) `->` `(` type($taken) `)`";
}

/// Every question is this one operation.
def Exchange_AskOp : Exchange_Op<"ask", [
    DeclareOpInterfaceMethods<RankQueryOpInterface>, AlwaysSpeculatable, MemoryEffects<[MemRead<Exchange_Wire>]>]> {
  let arguments = (ins I64Attr:$asked, OptionalAttr<FlatSymbolRefAttr>:$ring, OptionalAttr<FlatSymbolRefAttr>:$other,
                       Optional<Index>:$rank);
  let results = (outs Index:$answer);
  let assemblyFormat = "custom<Question>($asked) ($rank^)? (`around` $ring^)? (`and` $other^)? attr-dict";
}

class Exchange_RowChangeOp<string mnemonic> : Exchange_Op<mnemonic, [Pure]> {
  let arguments = (ins AnyRankedTensor:$from);
  let results = (outs AnyRankedTensor:$to);
  let assemblyFormat = "$from attr-dict `:` type($from) `->` type($to)";
}
def Exchange_RowOp : Exchange_RowChangeOp<"row">;
def Exchange_UnrowOp : Exchange_RowChangeOp<"unrow">;

/// Computes, and says how much.
def Exchange_WorkOp : Exchange_Op<"work", [Pure, DeclareOpInterfaceMethods<ComputeCostOpInterface>]> {
  let arguments = (ins AnyRankedTensor:$from, F64Attr:$steps, F64Attr:$touched);
  let results = (outs AnyRankedTensor:$to);
  let assemblyFormat = "$from `steps` $steps `touched` $touched attr-dict `:` type($from) `->` type($to)";
}

#endif
