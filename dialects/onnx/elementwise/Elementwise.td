// The rows of the table of elementwise operators: what one row is made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_ELEMENTWISE_TD
#define TUTTI_ONNX_ELEMENTWISE_TD

include "dialects/onnx/OnnxDialect.td"

// The operation has `compute`, one element of the result as a formula.
def Onnx_Formula : NativeOpTrait<"Formula"> { let cppNamespace = "::tutti::onnx"; }

// An operator each element of whose result is a formula of one element of each operand, with numpy broadcasting. The
// formula is an expression in C++ (see Expression.h) that names operands, results and attributes as the standard
// does. Type inference, lowering and cost follow from it.
class Onnx_Elementwise<string name, dag operands, dag result, dag parameters = (ins), list<Trait> traits = []>
    : Onnx_InferredOp<name, [Pure, Onnx_Formula] # traits> {
  let arguments = !con(operands, parameters);
  let results = result;
  let sharding = !foldl("a..", !range(1, !size(operands)), text, i, text # ", a..") # " -> a..";
  // Operands that the formula may name: all, unless one of them may be missing or stand for many; those are `in[i]`.
  list<string> scalars = !foreach(i, !range(!size(operands)), !getdagname(operands, i));
  // Attributes that the formula names: numbers.
  list<string> numbers = [];
  code formula = "";
  // Operands from this one on have one element type.
  int firstTyped = 0;
  // The element type of the result: that of the operands, or bool.
  bit isTruth = 0;

  code numbersCode = !foldl("", numbers, text, number, text # "    [[maybe_unused]] double " # number # " = get" #
                            !toupper(!substr(number, 0, 1)) # !substr(number, 1) # "().convertToDouble();\n");
  let declarations = [{
    /// One element of the result, of one element of each operand.
    template <typename Number> Number compute([[maybe_unused]] ::llvm::ArrayRef<Number> in) {
}] # !foldl("", !range(!size(scalars)), text, i,
            text # "    [[maybe_unused]] Number " # scalars[i] # " = in[" # i # "];\n") # numbersCode # [{
      return }] # formula # [{;
    }
  }];

  code inferenceCode = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location, Adaptor adaptor,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return inferElementwise({getOperationName(), location, types}, adaptor.getOperands(), }] #
                        firstTyped # ", " # !if(isTruth, "true", "false") # [{);
    }
  }];
  code gradientCode = "";
  let extraClassDefinition = inferenceCode # gradientCode;
}

// One with a gradient. `slopes[i]` is the gradient of operand i, an expression of operands, result and `dY`, where Y is
// the name of the result; it is empty where the gradient is zero everywhere.
class Onnx_DifferentiableElementwise<string name, dag operands, dag result, dag parameters = (ins),
                                     list<Trait> traits = []>
    : Onnx_Elementwise<name, operands, result, parameters,
                       [DeclareOpInterfaceMethods<DifferentiableOpInterface>] # traits> {
  list<string> slopes = [];
  // Whether the gradient is a function of its own (TUTTI_ONNX_GRADIENT), for what is no formula.
  bit hasOwnGradient = 0;
  string resultName = !getdagname(result, 0);
  let gradientCode = !if(hasOwnGradient, "", [{
    ::llvm::LogicalResult $cppClass::buildGradient(
        ::mlir::OpBuilder &builder, ::mlir::ValueRange resultGradients, const ::llvm::SmallBitVector &wanted,
        ::llvm::SmallVectorImpl<::mlir::Value> &operandGradients) {
      GradientBuilder g(*this, builder, resultGradients, wanted, operandGradients);
      using Number = ::tutti::Expression<GradientBuilder>;
      [[maybe_unused]] Number }] # resultName # [{(g, getResult()), d}] # resultName # "(g, g.into());\n" #
      !foldl("", !range(!size(scalars)), text, i,
             text # "    [[maybe_unused]] Number " # scalars[i] # "(g, getOperation()->getOperand(" # i # "));\n") # numbersCode #
      !foldl("", !range(!size(slopes)), text, i,
             text # !if(!empty(slopes[i]), "",
                        "    if (g.wants(" # i # ")) {\n      g.give(" # i # ", (" # slopes[i] # ").value());\n    }\n")) # [{
      return ::mlir::success();
    }
  }]);
}

// The text of a row: what it computes, and how it is written.
class Onnx_Text<string name, string text, string operands, string types, string result, string constraints = ""> {
  string description = "\n    " # text # "\n" #
    !if(!empty(constraints), "", "\n    **Constraints**\n" # constraints) # "\n    Example:\n    ```mlir\n" #
    "    %r = onnx." # name # " " # operands # " : (" # types # ") -> " # result # "\n    ```\n  ";
}

// Y = formula(X), floats.
class Onnx_Unary<string name, string text, string operand = "X", string result = "Y", dag parameters = (ins)>
    : Onnx_DifferentiableElementwise<name, !dag(ins, [Onnx_FloatTensor], [operand]),
                                     !dag(outs, [Onnx_FloatTensor], [result]), parameters> {
  let description = Onnx_Text<name, text, "%x", "tensor<?x10xf32>", "tensor<?x10xf32>">.description;
}

// Y = formula(X), floats or integers.
class Onnx_NumberUnary<string name, string text, string operand = "X", string result = "Y">
    : Onnx_DifferentiableElementwise<name, !dag(ins, [Onnx_NumberTensor], [operand]),
                                     !dag(outs, [Onnx_NumberTensor], [result])> {
  let description = Onnx_Text<name, text, "%x", "tensor<?x10xf32>", "tensor<?x10xf32>">.description;
}

class Onnx_Broadcasting<string operands> {
  string constraints = "    - (C1) the shapes broadcast to one shape.\n" #
                       "    - (C2) " # operands # " have one element type, which is the result's.\n";
}

// C = formula(A, B), floats or integers.
class Onnx_Binary<string name, string text, dag parameters = (ins), list<Trait> traits = []>
    : Onnx_DifferentiableElementwise<name, (ins Onnx_NumberTensor:$A, Onnx_NumberTensor:$B),
                                     (outs Onnx_NumberTensor:$C), parameters, traits> {
  let description = Onnx_Text<name, text, "%a, %b", "tensor<?x10xf32>, tensor<10xf32>", "tensor<?x10xf32>",
                              Onnx_Broadcasting<"A and B">.constraints>.description;
}

// A function of any number of operands.
class Onnx_Variadic<string name, string text, string result, Type type>
    : Onnx_DifferentiableElementwise<name, (ins Variadic<type>:$data_0), !dag(outs, [type], [result])> {
  let description = Onnx_Text<name, text, "%a, %b, %c", "tensor<?x4xf32>, tensor<4xf32>, tensor<f32>", "tensor<?x4xf32>",
                              Onnx_Broadcasting<"all operands">.constraints #
                              "    - (C3) there is at least one operand.\n">.description;
  let scalars = [];
  let hasOwnGradient = 1;
}

// C = whether A and B are related.
class Onnx_Relation<string name, string text, Type type, string example = "f32", list<Trait> traits = []>
    : Onnx_Elementwise<name, !dag(ins, [type, type], ["A", "B"]), (outs Onnx_BoolTensor:$C), (ins), traits> {
  let description = Onnx_Text<name, text, "%a, %b", "tensor<?x10x" # example # ">, tensor<10x" # example # ">",
                              "tensor<?x10xi1>",
                              "    - (C1) the shapes broadcast to one shape.\n" #
                              "    - (C2) A and B have one element type.\n">.description;
  let isTruth = 1;
}

#endif
