// How an operation tells what share of a value each rank holds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_SHARE_TD
#define TUTTI_INTERFACES_SHARE_TD

include "mlir/IR/OpBase.td"

def ShareOpInterface : OpInterface<"ShareOpInterface"> {
  let cppNamespace = "::tutti";
  let description = [{
    Where ranks do not hold equal values (`UniformityOpInterface`), they may hold shares of one: the value that one
    device would have, or that all ranks have after communication.

    | share | what the ranks hold | what makes the value of it |
    | --- | --- | --- |
    | `Replicated` | the value, equal bits | nothing |
    | `Partial` | summands of it | an all_reduce by sum |
    | `Part` | parts of it, in rank order along a dimension | an all_gather |
    | `Own` | values of their own, of which nothing is known | a broadcast of one |

    An operation needs this interface only where the default is too weak: collectives and questions answer by their
    forms; what works element by element makes parts of parts, and what is linear in its summands, summands. A
    product that contracts the dimension along which its operands are parted makes summands, and no default knows it.
  }];
  let methods = [
    InterfaceMethod<[{
        The share of result `index`, given those of the operands in order. Asked only where the result is not equal
        on every rank anyway.
      }],
      "::tutti::Share", "getResultShare", (ins "unsigned":$index, "::llvm::ArrayRef<::tutti::Share>":$operands)>
  ];
}

#endif
