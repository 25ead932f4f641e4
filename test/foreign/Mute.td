// A dialect whose collectives answer all questions, and which makes none: it has no factory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_FOREIGN_MUTE
#define TUTTI_TEST_FOREIGN_MUTE

include "dialects/interfaces/ranks/Communication.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Mute_Dialect : Dialect {
  let name = "mute";
  let cppNamespace = "::tutti::test";
}

/// All ranks.
def Mute_EveryoneOp : Op<Mute_Dialect, "everyone", [Symbol, GroupOpInterface]> {
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$ranks);
  let assemblyFormat = "$sym_name $ranks attr-dict";
  let extraClassDeclaration = [{
    ::tutti::GroupForm getGroupForm() { return {::tutti::GroupForm::World, 0, int64_t(getRanks())}; }
    void declareSize(int64_t ranks) { setRanks(ranks); }
  }];
}

def Mute_SumOp : Op<Mute_Dialect, "sum", [
    Pure, BucketOpInterface, CollectiveOpInterface, CommunicationOpInterface]> {
  let arguments = (ins AnyRankedTensor:$given, FlatSymbolRefAttr:$group);
  let results = (outs AnyRankedTensor:$taken);
  let assemblyFormat = "$given `of` $group attr-dict `:` type($given) `->` type($taken)";
  let extraClassDeclaration = [{
    ::tutti::CommunicationForm getForm() {
      return {::tutti::CommunicationKind::AllReduce, getGroupAttr(), ::tutti::Reduction::Sum};
    }
  }];
}

#endif
