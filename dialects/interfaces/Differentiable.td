// The interface of operations that know their own gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_DIFFERENTIABLE_TD
#define TUTTI_INTERFACES_DIFFERENTIABLE_TD

include "mlir/IR/OpBase.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::tutti";
  let description = [{
    An operation through which reverse-mode differentiation can pass: it turns the gradients of its results
    into the gradients of its operands.
  }];
  let methods = [InterfaceMethod<[{
      Builds the gradients of the operands at the builder's point. `resultGradients` has one value per result,
      null where no gradient flows into that result. `wanted` has one bit per operand. On success
      `operandGradients` has one entry per operand: null where none was wanted, or where it is zero
      everywhere; each other entry has its operand's type. On failure the operation has emitted the error.
    }],
    "::llvm::LogicalResult", "buildGradient",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$resultGradients,
         "const ::llvm::SmallBitVector &":$wanted,
         "::llvm::SmallVectorImpl<::mlir::Value> &":$operandGradients)>];
}

#endif
