// What lints ask of operations whose meaning depends on how many samples they see.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_SAMPLECOUNT_TD
#define TUTTI_INTERFACES_SAMPLECOUNT_TD

include "mlir/IR/OpBase.td"

def SampleCountOpInterface : OpInterface<"SampleCountOpInterface"> {
  let cppNamespace = "::tutti";
  let description = [{
    An operation that divides by what it counts in its samples, or that draws the same random values wherever
    it runs. Both are right on one device and often not meant on many, where each rank sees a part of the batch.
    Dialects attach it from outside: only lints ask.
  }];
  let methods = [
    InterfaceMethod<[{
        What the operation counts and divides by, as a phrase ("the weights of its labels"), where that may differ
        between equally large parts of a batch; empty if it does not.
      }],
      "::llvm::StringRef", "getDividingCount", (ins), [{}], [{ return ""; }]>,
    InterfaceMethod<"The value that a quotient is divided by; null for what is no quotient.",
                    "::mlir::Value", "getDivisor", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<"Whether random values follow from a seed of the operation's own.",
                    "bool", "hasFixedSeed", (ins), [{}], [{ return false; }]>
  ];
}

#endif
