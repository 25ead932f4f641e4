// The traits of operations that can be computed on a part of each of their tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_POINTWISE_TD
#define TUTTI_INTERFACES_POINTWISE_TD

include "mlir/IR/OpBase.td"

// Each operand and result is a tensor of one common shape or a scalar tensor, and each element of the results depends
// on that element of the operands, and on the scalars, alone. So part of the results is what the operation computes of
// the same part of the operands: of any elements in any shape, in which zeros may be filled in.
//
// For operations that update variables or change gradients, which the trait `Elementwise` of MLIR does not fit because
// their scalars are tensors.
def PointwiseOp : NativeOpTrait<"Pointwise"> {
  let cppNamespace = "::tutti";
}

// The same of rows, the entries of dimension 0: each row of the results depends on that row of the operands, and on the
// scalars, alone. So some rows of the results are what the operation computes of the same rows of the operands. Tensors may
// differ in what a row is.
def RowwiseOp : NativeOpTrait<"Rowwise"> {
  let cppNamespace = "::tutti";
}

#endif
