// The collective dialect and the enumerations of its operations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_COLLECTIVE
#define TUTTI_COLLECTIVE

include "mlir/IR/DialectBase.td"
include "mlir/IR/EnumAttr.td"

def Collective_Dialect : Dialect {
  let name = "collective";
  let cppNamespace = "::tutti::collective";
  let summary = "Groups of ranks and the data they exchange";
  let description = [{
    A *rank* is one of the processes that run the same program; all of them
    together are the *world*. A *group* is a set of ranks that communicate, or a
    family of such sets that have no rank in common; the members of a set issue
    the same collectives on it in the same order.

    A collective is variadic: one operation is one *bucket*, and each of its
    inputs is communicated on its own terms, as if there were one operation per
    input. It comes in two forms.

    - **On tensors** it has value semantics: results are new values and there
      is no memory effect, so that CSE and DCE apply. It is never speculatable:
      executing it on one rank and not on another would wait for ever.
    - **On memrefs** it reads its inputs and writes its destinations (`into`),
      which may be the same buffers. It also writes the network, so that the
      order of collectives is kept.

    A rank that is in no set of a group takes no part in collectives on it. On
    memrefs its destinations stay as they are. On tensors its result is its own
    input for `all_reduce`, `reduce` and `broadcast`, the tensor that receives
    (`into`) where there is one, and zeros elsewhere.

    This dialect knows neither training nor any compute dialect.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
  let hasConstantMaterializer = 1;
  let hasCanonicalizer = 1;
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

def Collective_Reduction : I32EnumAttr<"ReductionKind", "how values of several ranks become one", [
    I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"mean", 1>, I32EnumAttrCase<"min", 2>,
    I32EnumAttrCase<"max", 3>, I32EnumAttrCase<"prod", 4>]> {
  let cppNamespace = "::tutti::collective";
}

#endif // TUTTI_COLLECTIVE
