// A dialect of eight operations: what regressions compute, and what their ranks exchange.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tutti/dialects/interfaces/ranks/Communication.td"
include "tutti/dialects/interfaces/sharding/ShardingLine.td"
include "tutti/dialects/interfaces/Optimizer.td"
include "tutti/dialects/interfaces/Pointwise.td"

def Tiny_Dialect : Dialect {
  let name = "tiny";
  let cppNamespace = "::tiny";
}

class Tiny_Op<string name, list<Trait> traits> : Op<Tiny_Dialect, name, traits>;
def Numbers : RankedTensorOf<[F32]>;
def Vector : 1DTensorOf<[F32]>;
def Matrix : 2DTensorOf<[F32]>;

def Tiny_GradientOp : Tiny_Op<"gradient", [Pure, AllTypesMatch<["weights", "gradient"]>]> {
  let summary = "the gradient of the mean of (samples * weights - labels) squared";
  let arguments = (ins Matrix:$samples, Vector:$labels, Vector:$weights);
  let results = (outs Vector:$gradient);
  let assemblyFormat = "operands attr-dict `:` type($samples) `,` type($labels) `,` type($weights)";
}

/// What splitting its tensors means is a line (docs/layout.md): by that neighbours compute parts of it. Types are
/// inferred again where the batch, or a part, gets its size.
class Tiny_LayerOp<string name, string rule, list<list<string>> linear, list<Trait> traits>
    : Tiny_Op<name, [Pure, ShardingRuleOpInterface] # traits> {
  let assemblyFormat = "operands attr-dict `:` type(operands)";
  let extraClassDeclaration = Sharding_Line<rule, linear, [], "", 0, 0>.declarations;
}

def Tiny_ProductOp : Tiny_LayerOp<"product", "m k+, k n -> m n", [["a"], ["b"]], [InferTypeOpAdaptor]> {
  let summary = "the product of two matrices";
  let arguments = (ins Matrix:$a, Matrix:$b);
  let results = (outs Matrix:$c);
}

def Tiny_TurnOp : Tiny_LayerOp<"turn", "m n -> n m", [["a"]], [InferTypeOpAdaptor]> {
  let summary = "a matrix with rows as columns";
  let arguments = (ins Matrix:$a);
  let results = (outs Matrix:$c);
}

def Tiny_MissOp : Tiny_LayerOp<"miss", "n/ k, n k -> n k", [["guesses", "labels"]],
                               [AllTypesMatch<["guesses", "labels", "gradient"]>]> {
  let summary = "the gradient of the mean over n of (guesses - labels) squared";
  let arguments = (ins Matrix:$guesses, Matrix:$labels);
  let results = (outs Matrix:$gradient);
  let assemblyFormat = "operands attr-dict `:` type($guesses)";
}

/// Passes find gradients by the interface; the names of the operands answer its questions.
def Tiny_DescendOp : Tiny_Op<"descend", [
    Pure, PointwiseOp, OptimizerOpInterface, AllTypesMatch<["variable", "gradient", "next"]>]> {
  let summary = "variable - rate * gradient";
  let arguments = (ins Numbers:$variable, Numbers:$gradient, 0DTensorOf<[F32]>:$learning_rate);
  let results = (outs Numbers:$next);
  let assemblyFormat = "operands attr-dict `:` type($variable) `,` type($learning_rate)";
}

/// A program that declares this gets collectives of this dialect (Factory in Tiny.cpp makes them).
def Tiny_RanksOp : Tiny_Op<"ranks", [Symbol, GroupOpInterface]> {
  let summary = "all ranks, and their number once it is known; or sets of some";
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<I64Attr>:$size, DefaultValuedAttr<I64Attr, "0">:$kind,
                       DefaultValuedAttr<I64Attr, "0">:$length);
  let assemblyFormat = "$sym_name ($size^)? attr-dict";
  let extraClassDeclaration = [{
    ::tutti::GroupForm getGroupForm() { return {::tutti::GroupForm::Kind(getKind()), int64_t(getLength()), getSize()}; }
    void declareSize(int64_t ranks) { setSize(ranks); }
  }];
}

def Tiny_RankOp : Tiny_Op<"rank", [Pure, RankQueryOpInterface]> {
  let summary = "the number of this rank in its set of a group";
  let arguments = (ins FlatSymbolRefAttr:$group);
  let results = (outs Index:$number);
  let assemblyFormat = "$group attr-dict";
  let extraClassDeclaration = [{
    ::tutti::RankQuestion getQuestion() { return {::tutti::RankQuestion::Rank, getGroupAttr(), {}}; }
  }];
}

/// That it reads keeps it from being moved to where only some ranks would come.
def Tiny_ExchangeOp : Tiny_Op<"exchange", [
    CommunicationOpInterface, CollectiveOpInterface, BucketOpInterface, MemoryEffects<[MemRead]>]> {
  let summary = "a collective, which its form names: each result is what ranks make of an input";
  let arguments = (ins Tutti_FormAttr:$form, Variadic<Numbers>:$inputs);
  let results = (outs Variadic<Numbers>:$outputs);
  let assemblyFormat = "$form $inputs attr-dict `:` functional-type($inputs, $outputs)";
}
