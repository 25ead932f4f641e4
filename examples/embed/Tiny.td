// A dialect of four operations: what a linear regression computes, and what its ranks exchange.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tutti/dialects/interfaces/ranks/Communication.td"
include "tutti/dialects/interfaces/Optimizer.td"

def Tiny_Dialect : Dialect {
  let name = "tiny";
  let cppNamespace = "::tiny";
}

class Tiny_Op<string name, list<Trait> traits> : Op<Tiny_Dialect, name, traits>;
def Vector : 1DTensorOf<[F32]>;

def Tiny_GradientOp : Tiny_Op<"gradient", [Pure, AllTypesMatch<["weights", "gradient"]>]> {
  let summary = "the gradient of the mean of (samples * weights - labels) squared";
  let arguments = (ins 2DTensorOf<[F32]>:$samples, Vector:$labels, Vector:$weights);
  let results = (outs Vector:$gradient);
  let assemblyFormat = "operands attr-dict `:` type($samples) `,` type($labels) `,` type($weights)";
}

/// Passes find gradients by the interface; the names of the operands answer its questions.
def Tiny_DescendOp : Tiny_Op<"descend", [
    Pure, OptimizerOpInterface, AllTypesMatch<["variable", "gradient", "next"]>]> {
  let summary = "variable - rate * gradient";
  let arguments = (ins Vector:$variable, Vector:$gradient, 0DTensorOf<[F32]>:$learning_rate);
  let results = (outs Vector:$next);
  let assemblyFormat = "operands attr-dict `:` type($variable) `,` type($learning_rate)";
}

/// A program that declares this gets collectives of this dialect (Factory in Tiny.cpp makes them).
def Tiny_RanksOp : Tiny_Op<"ranks", [Symbol, GroupOpInterface]> {
  let summary = "all ranks, and their number once it is known";
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<I64Attr>:$size);
  let assemblyFormat = "$sym_name ($size^)? attr-dict";
  let extraClassDeclaration = [{
    ::tutti::GroupForm getGroupForm() { return {::tutti::GroupForm::World, 0, getSize()}; }
    void declareSize(int64_t ranks) { setSize(ranks); }
  }];
}

/// That it reads keeps it from being moved to where only some ranks would come.
def Tiny_ExchangeOp : Tiny_Op<"exchange", [
    CommunicationOpInterface, CollectiveOpInterface, BucketOpInterface, MemoryEffects<[MemRead]>]> {
  let summary = "a collective, which its form names: each result is what ranks make of an input";
  let arguments = (ins Tutti_FormAttr:$form, Variadic<Vector>:$inputs);
  let results = (outs Variadic<Vector>:$outputs);
  let assemblyFormat = "$form $inputs attr-dict `:` functional-type($inputs, $outputs)";
}
