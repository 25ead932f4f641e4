// The classes that the operations of the collective dialect are made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_COLLECTIVE_CLASSES
#define TUTTI_COLLECTIVE_CLASSES

include "dialects/collective/CollectiveMembers.td"
include "dialects/interfaces/ranks/Communication.td"
include "dialects/interfaces/TypeRefinement.td"
include "dialects/interfaces/ranks/Uniformity.td"
include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

defvar reducibleTypes = [F16, BF16, F32, F64, I8, UI8, I16, I32, I64];
defvar movableTypes = !listconcat(reducibleTypes, [I1]);

class Collective_Data<list<Type> elements>
    : AnyTypeOf<[RankedTensorOf<elements>, MemRefRankOf<elements, [0, 1, 2, 3, 4, 5, 6, 7, 8]>]>;
def Collective_Reducible : Collective_Data<reducibleTypes>;
def Collective_Movable : Collective_Data<movableTypes>;
/// Numbers of rows, one for each rank or one for each pair of ranks.
def Collective_Counts : Collective_Data<[I64]>;

/// The wire between the ranks.
def Collective_Network : Resource<"::tutti::collective::NetworkResource">;
/// Which ranks each group has at the moment.
def Collective_GroupTable : Resource<"::tutti::collective::GroupTableResource">;

class Collective_Op<string mnemonic, list<Trait> traits = []>
    : Op<Collective_Dialect, mnemonic, traits>;

/// How an operation on tensors becomes one on memrefs.
defvar Collective_Bufferizable = DeclareOpInterfaceMethods<BufferizableOpInterface,
    ["bufferizesToMemoryRead", "bufferizesToMemoryWrite", "bufferizesToAllocation",
     "getAliasingValues", "bufferize"]>;

// The two parts of the syntax that all buckets share.
defvar operands = "$inputs (`into` $destinations^)?";
defvar types = "custom<BucketTypes>(ref($destinations), type($inputs), type($destinations), "
               "type($outputs))";

/// The family: a bucket of inputs, the group, destinations (memrefs) or results (tensors).
class Collective_BucketOp<string mnemonic, Type data, dag parameters, list<Trait> traits = []>
    : Collective_Op<mnemonic, traits # [
    AttrSizedOperandSegments, BucketOpInterface, CollectiveOpInterface,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<UniformityOpInterface, ["doesResultDependOn"]>,
    Collective_Bufferizable]> {
  dag bucket = (ins Variadic<data>:$inputs, Variadic<AnyMemRef>:$destinations,
                    FlatSymbolRefAttr:$group);
  let arguments = !con(parameters, bucket);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let hasVerifier = 1;
  let extraClassDefinition = [{
    bool $cppClass::doesResultDependOn(unsigned result, unsigned operand) {
      return result == operand;
    }
  }];
}

#endif // TUTTI_COLLECTIVE_CLASSES
