// A dialect of three operations, enough to lay a plane through points. Its optimizer and its dialect declare Tutti's interfaces.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TINY_TD
#define TINY_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tutti/dialects/interfaces/Optimizer.td"

def Tiny_Dialect : Dialect {
  let name = "tiny";
  let cppNamespace = "::tiny";
  let summary = "linear regression";
}

def Vector : 1DTensorOf<[F32]>; // [features], or [samples]
def Samples : 2DTensorOf<[F32]>; // [samples, features]
def Scalar : 0DTensorOf<[F32]>;

class Tiny_Op<string name, list<Trait> traits = []> : Op<Tiny_Dialect, name, !listconcat([Pure], traits)> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Tiny_PredictOp : Tiny_Op<"predict"> {
  let summary = "samples times weights";
  let arguments = (ins Samples:$samples, Vector:$weights);
  let results = (outs Vector:$prediction);
}

def Tiny_GradientOp : Tiny_Op<"gradient"> {
  let summary = "the gradient, with respect to weights, of the mean of the squares of what predictions miss";
  let arguments = (ins Samples:$samples, Vector:$miss);
  let results = (outs Vector:$weights);
}

def Tiny_DescendOp
    : Tiny_Op<"descend", [DeclareOpInterfaceMethods<OptimizerOpInterface>,
                          AllTypesMatch<["variable", "gradient", "next"]>]> {
  let summary = "variable - rate * gradient";
  let arguments = (ins Vector:$variable, Vector:$gradient, Scalar:$learning_rate);
  let results = (outs Vector:$next);
}

#endif // TINY_TD
