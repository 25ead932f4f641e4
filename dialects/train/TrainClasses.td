// What the operations of the train dialect are made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TRAIN_CLASSES_TD
#define TUTTI_TRAIN_CLASSES_TD

include "dialects/interfaces/Pointwise.td"
include "dialects/interfaces/sharding/ShardingLine.td"
include "dialects/interfaces/TypeRefinement.td"
include "dialects/train/TrainDialect.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Train_Op<string mnemonic, list<Trait> traits = []>
    : Op<Train_Dialect, mnemonic, traits # [ShardingRuleOpInterface]> {
  // What splitting its tensors means: a line as ShardingLine.td says; empty where nothing is split.
  string sharding = "";
  list<list<string>> linear = [];
  list<string> shapes = [];
  string shardingNote = "";
  bit shardingByAttributes = 0;
  // What an operation declares besides its generated accessors.
  code declarations = "";
  let extraClassDeclaration =
    Sharding_Line<sharding, linear, shapes, shardingNote, shardingByAttributes, 0>.declarations # declarations;
}

// Result types follow from the operands. Whether the types that an operation has fit, its own verifier checks: it says
// which constraint does not hold.
def Train_InferTypes : InferTypeOpAdaptorBase<[{
  static bool isCompatibleReturnTypes(::mlir::TypeRange, ::mlir::TypeRange) { return true; }
}]>;
def Train_RefineTypes : DeclareOpInterfaceMethods<TypeRefinementOpInterface>;

def Train_FloatTensor : RankedTensorOf<[F16, BF16, F32, F64]>;
def Train_FloatScalar : 0DTensorOf<[F16, BF16, F32, F64]>;
def Train_NumberTensor : RankedTensorOf<[F16, BF16, F32, F64, I32, I64]>;
def Train_IntegerScalar : 0DTensorOf<[I64]>;

#endif
