// How an operation tells whether its results are equal on every rank.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_INTERFACES_UNIFORMITY
#define TUTTI_INTERFACES_UNIFORMITY

include "mlir/IR/OpBase.td"

def UniformityOpInterface : OpInterface<"UniformityOpInterface"> {
  let cppNamespace = "::tutti";
  let description = [{
    Says, for each result, whether the ranks hold the same value after this
    operation ran on all of them.

    An operation needs this interface only where the default is wrong. The
    default is: of a dialect that is known to be deterministic (those of MLIR
    that are, and those with a `UniformityDialectInterface`), an operation
    without memory effects is as uniform as its operands and the values its
    regions capture. An operation with memory effects, or whose effects are
    unknown, is varying, and so is whatever is not constant of a dialect of
    which nothing is known.

    The answer is about the result as a value: `Uniform` promises equal bits on
    every rank, whatever the operands are; `Varying` promises nothing.
  }];
  let methods = [
    InterfaceMethod<"The uniformity of result `index`.",
      "::tutti::Uniformity", "getResultUniformity", (ins "unsigned":$index)>,
    InterfaceMethod<[{
      Whether an operand can change result `index`, where the answer is
      `AsOperands`. By default every operand changes every result.
    }],
      "bool", "doesResultDependOn", (ins "unsigned":$index, "unsigned":$operand), [{}],
      [{ return true; }]>
  ];
}

#endif // TUTTI_INTERFACES_UNIFORMITY
