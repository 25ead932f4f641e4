// A dialect that has everything, and beside that what lacks one interface each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_FOREIGN_LACKING
#define TUTTI_TEST_FOREIGN_LACKING

include "dialects/interfaces/ranks/Communication.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Lacking_Dialect : Dialect {
  let name = "lacking";
  let cppNamespace = "::tutti::test";
}

class Lacking_Op<string mnemonic, list<Trait> traits> : Op<Lacking_Dialect, mnemonic, traits>;

class Lacking_SymbolOp<string mnemonic, list<Trait> traits> : Lacking_Op<mnemonic, !listconcat([Symbol], traits)> {
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<I64Attr>:$ranks);
  let assemblyFormat = "$sym_name ($ranks^)? attr-dict";
}
def Lacking_AllOp : Lacking_SymbolOp<"all", [GroupOpInterface]> {
  let extraClassDeclaration = [{
    ::tutti::GroupForm getGroupForm() { return {::tutti::GroupForm::World, 0, getRanks()}; }
    void declareSize(int64_t ranks) { setRanks(ranks); }
  }];
}
/// Sets of ranks, of which it says the form and nothing else.
def Lacking_SetsOp : Lacking_Op<"sets", [Symbol, GroupOpInterface]> {
  let arguments = (ins SymbolNameAttr:$sym_name, BoolAttr:$strided, I64Attr:$length);
  let assemblyFormat = "$sym_name `strided` $strided `length` $length attr-dict";
  let extraClassDeclaration = [{
    ::tutti::GroupForm getGroupForm() {
      return {getStrided() ? ::tutti::GroupForm::Strided : ::tutti::GroupForm::Blocks, int64_t(getLength())};
    }
    void declareSize(int64_t) {}
  }];
}
/// No group.
def Lacking_CrowdOp : Lacking_SymbolOp<"crowd", []>;

class Lacking_ExchangeOp<string mnemonic, list<Trait> traits>
    : Lacking_Op<mnemonic, !listconcat([MemoryEffects<[MemRead]>], traits)> {
  let arguments = (ins Tutti_FormAttr:$form, Variadic<AnyRankedTensor>:$inputs);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = "$form $inputs attr-dict `:` functional-type($inputs, $outputs)";
}
def Lacking_WholeOp : Lacking_ExchangeOp<"whole", [CommunicationOpInterface, CollectiveOpInterface, BucketOpInterface]>;
def Lacking_BucketlessOp : Lacking_ExchangeOp<"bucketless", [CommunicationOpInterface, CollectiveOpInterface]>;
def Lacking_JointlessOp : Lacking_ExchangeOp<"jointless", [CommunicationOpInterface]>;
def Lacking_FormlessOp : Lacking_ExchangeOp<"formless", []>;

/// An optimizer that does not say so, of a dialect that does not say that it is deterministic.
def Lacking_UpdateOp : Lacking_Op<"update", [Pure]> {
  let arguments = (ins AnyRankedTensor:$variable, AnyRankedTensor:$gradient);
  let results = (outs AnyRankedTensor:$next);
  let assemblyFormat = "$variable $gradient attr-dict `:` type($variable) `,` type($gradient) `->` type($next)";
}

#endif
