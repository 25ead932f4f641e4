// The onnx dialect, its element types and the classes its operations share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_DIALECT_TD
#define TUTTI_ONNX_DIALECT_TD

include "dialects/interfaces/BatchStatistics.td"
include "dialects/interfaces/Differentiable.td"
include "dialects/interfaces/Draws.td"
include "dialects/interfaces/sharding/ShardingLine.td"
include "dialects/interfaces/ranks/Uniformity.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Onnx_Dialect : Dialect {
  let name = "onnx";
  let cppNamespace = "::tutti::onnx";
  let summary = "The operators of ONNX that a training step is made of.";
  let description = [{
    Operators, operands, results and attributes are named as in the ONNX standard, in the form of operator
    set 17 (domain ai.onnx) or of ONNX Runtime's training operators (domain com.microsoft). Three things differ:

    - Operands that only say shapes (`shape` of Reshape, `axes` of Squeeze, Unsqueeze and ReduceSum) are
      attributes here, as in the first operator sets: a compiled program needs them constant.
    - Enumerations of types (`to` of Cast, `dtype` of the random operators) are MLIR types.
    - An optional result is always there; where it is not needed it stays unused.

    Tensors are ranked. A dimension is static or `?`; two dimensions `?` that meet are taken to be equal, and a
    `?` that meets a static dimension other than 1 is taken to be that dimension. Result types are inferred
    from operands and attributes (`InferTypeOpInterface`), so a program can be re-inferred after its batch
    dimension becomes static. Any operator that is not defined here is an `onnx.custom`.
  }];
  let hasConstantMaterializer = 1;
}

def Onnx_Float : AnyTypeOf<[F16, BF16, F32, F64]>;
def Onnx_Number : AnyTypeOf<[Onnx_Float, I8, I16, I32, I64, UI8, UI16, UI32, UI64]>;

def Onnx_Tensor : RankedTensorOf<[AnyType]>;
def Onnx_FloatTensor : RankedTensorOf<[Onnx_Float]>;
def Onnx_NumberTensor : RankedTensorOf<[Onnx_Number]>;
def Onnx_BoolTensor : RankedTensorOf<[I1]>;
def Onnx_IndexTensor : RankedTensorOf<[I32, I64]>;
def Onnx_FloatVector : 1DTensorOf<[Onnx_Float]>;

// Any operation of the dialect: inferred result types, one printed form, and a rule of sharding.
class Onnx_InferredOp<string name, list<Trait> traits>
    : Op<Onnx_Dialect, name, traits # [InferTypeOpAdaptor, ShardingRuleOpInterface]> {
  // What splitting its tensors means: a line as ShardingLine.td says.
  string sharding = "";
  list<list<string>> linear = [];
  list<string> shapes = [];
  string shardingNote = "";
  bit shardingByAttributes = 0;
  bit linearByAttributes = 0;
  // What an operation declares besides its generated accessors.
  code declarations = "";
  let extraClassDeclaration = [{
    /// Types are compatible when element types are equal and no two static dimensions differ.
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange actual) {
      return areCompatible(inferred, actual);
    }
  }] # Sharding_Line<sharding, linear, shapes, shardingNote, shardingByAttributes, linearByAttributes>
        .declarations # declarations;
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

// A deterministic operation.
class Onnx_Op<string name, list<Trait> traits = []> : Onnx_InferredOp<name, traits # [Pure]>;

// A deterministic operation with a gradient.
class Onnx_DifferentiableOp<string name, list<Trait> traits = []>
    : Onnx_Op<name, traits # [DeclareOpInterfaceMethods<DifferentiableOpInterface>]>;

// Attributes of operations that slide a window over the spatial dimensions.
class Onnx_Window {
  dag padding = (ins DefaultValuedStrAttr<StrAttr, "NOTSET">:$auto_pad,
                     OptionalAttr<DenseI64ArrayAttr>:$pads,
                     OptionalAttr<DenseI64ArrayAttr>:$strides);
  dag dilation = (ins OptionalAttr<DenseI64ArrayAttr>:$dilations);
  code declarations = [{
    /// The window with every default resolved, one entry per spatial dimension.
    Window getWindow();
  }];
}
def Onnx_Window : Onnx_Window;

#endif
