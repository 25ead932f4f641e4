// Attributes of the train dialect: the roles of arguments and results, and how a dataset is sharded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TRAIN_ATTRIBUTES_TD
#define TUTTI_TRAIN_ATTRIBUTES_TD

include "dialects/train/TrainDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Train_VariableClass : I32EnumAttr<"VariableClass", "what a variable is to training", [
    I32EnumAttrCase<"Trainable", 0, "trainable">,
    I32EnumAttrCase<"State", 1, "state">,
    I32EnumAttrCase<"Other", 2, "other">]> {
  let cppNamespace = "::tutti::train";
}

def Train_VariablePlacement : I32EnumAttr<"VariablePlacement", "which part of a variable a rank holds", [
    I32EnumAttrCase<"Replicate", 0, "replicate">,
    I32EnumAttrCase<"Shard", 1, "shard">,
    I32EnumAttrCase<"PerRank", 2, "per_rank">]> {
  let cppNamespace = "::tutti::train";
}

def Train_RandomStream : I32EnumAttr<"RandomStream", "which ranks draw the same random numbers", [
    I32EnumAttrCase<"Replicate", 0, "replicate">,
    I32EnumAttrCase<"PerRank", 1, "per_rank">]> {
  let cppNamespace = "::tutti::train";
}

def Train_ShardMode : I32EnumAttr<"ShardMode", "which samples of a global batch a rank takes", [
    I32EnumAttrCase<"Strided", 0, "strided">,
    I32EnumAttrCase<"Contiguous", 1, "contiguous">]> {
  let cppNamespace = "::tutti::train";
}

def Train_BatchPolicy : I32EnumAttr<"BatchPolicy",
    "what to do when the ranks do not divide the global batch", [
    I32EnumAttrCase<"Error", 0, "error">,
    I32EnumAttrCase<"Drop", 1, "drop">,
    I32EnumAttrCase<"Pad", 2, "pad">,
    I32EnumAttrCase<"Weighted", 3, "weighted">]> {
  let cppNamespace = "::tutti::train";
}

class Train_Attr<string name, string attributeMnemonic> : AttrDef<Train_Dialect, name> {
  let mnemonic = attributeMnemonic;
}

def Train_VariableAttr : Train_Attr<"Variable", "variable"> {
  let summary = "an argument or result that is state kept between steps";
  let description = [{
    The name is the model's own. `trainable` variables have gradients, `state` belongs to the optimizer,
    `other` is the rest (running statistics, counters).

    The placement says what the ranks hold, and is `replicate` where it is not written:
    - `replicate`: every rank the same value;
    - `shard<SHAPE>`: rank r of N part r of one value of that shape, which is flattened in row-major
      order, filled up with zeros to the next multiple of N, and cut into N equal parts. A checkpoint holds
      the value as a whole, so that it fits any number of ranks;
    - `per_rank`: every rank a value of its own.

    **Constraints**
    - (C1) only a sharded variable has a `whole` shape, and its sizes are not negative.

    Example: `#train.variable<"fc.weight", trainable>`, `#train.variable<"fc.weight.momentum", state, shard<64x10>>`,
    `#train.variable<"fc.weight.residual", state, per_rank>`
  }];
  let parameters = (ins StringRefParameter<"the model's own name">:$name,
                        EnumParameter<Train_VariableClass>:$variableClass,
                        DefaultValuedParameter<"::tutti::train::VariablePlacement",
                                               "::tutti::train::VariablePlacement::Replicate">:$placement,
                        OptionalArrayRefParameter<"int64_t", "the shape that is divided">:$whole);
  let assemblyFormat = "`<` $name `,` $variableClass `` custom<Placement>($placement, $whole) `>`";
  let genVerifyDecl = 1;
  let builders = [
    /// A replicated variable.
    AttrBuilder<(ins "::llvm::StringRef":$name, "::tutti::train::VariableClass":$variableClass), [{
      return $_get($_ctxt, name, variableClass, VariablePlacement::Replicate, ::llvm::ArrayRef<int64_t>());
    }]>
  ];
  let extraClassDeclaration = [{
    bool isReplicated() const { return getPlacement() == VariablePlacement::Replicate; }
    /// This variable, of which each rank holds a part of a value of shape `whole`.
    VariableAttr getSharded(::llvm::ArrayRef<int64_t> whole) const;
    /// This variable, of which each rank holds a value of its own.
    VariableAttr getPerRank() const;
  }];
}

def Train_InputAttr : Train_Attr<"Input", "input"> {
  let summary = "an argument bound to an array of a dataset";
  let description = [{
    `axis` is the dimension along which the samples of a batch lie, 0 where it is not written. Ranks divide the batch
    along it. In the data set each sample is a row whatever the axis: the runtime puts row i at place i of the axis.

    **Constraints**
    - (C1) `axis` is not negative.

    Example: `#train.input<"label", @data>`, `#train.input<"tokens", @data, axis = 1>`
  }];
  let parameters = (ins StringRefParameter<"name of the array">:$name,
                        "::mlir::FlatSymbolRefAttr":$dataset,
                        DefaultValuedParameter<"int64_t", "0", "the dimension of the samples">:$axis);
  let assemblyFormat = "`<` $name `,` $dataset (`,` `axis` `=` $axis^)? `>`";
  let genVerifyDecl = 1;
  let builders = [
    /// Samples lie along dimension 0.
    AttrBuilder<(ins "::llvm::StringRef":$name, "::mlir::FlatSymbolRefAttr":$dataset), [{
      return $_get($_ctxt, name, dataset, /*axis=*/0);
    }]>
  ];
}

def Train_HyperparameterAttr : Train_Attr<"Hyperparameter", "hyperparameter"> {
  let summary = "a scalar argument that is set for each run, and its default";
  let description = [{Example: `#train.hyperparameter<"learning_rate", 1.000000e-01 : f64>`}];
  let parameters = (ins StringRefParameter<"name">:$name, "::mlir::FloatAttr":$value);
  let assemblyFormat = "`<` $name `,` $value `>`";
}

def Train_RandomAttr : Train_Attr<"Random", "random"> {
  let summary = "a source of random numbers";
  let description = [{
    Of an operation of any dialect that draws, or of an argument that is a seed, a key or drawn numbers:
    - `per_rank`: each rank draws from a stream of its own, and what is computed from it differs between ranks;
    - `replicate`: all ranks draw the same of equal operands, as from one seed that all are given.

    An operation that answers for itself (`UniformityOpInterface`) is believed where it says that ranks differ.

    Example: `#train.random<per_rank>`
  }];
  let parameters = (ins EnumParameter<Train_RandomStream>:$stream);
  let assemblyFormat = "`<` $stream `>`";
  let extraClassDeclaration = [{
    bool isPerRank() const { return getStream() == RandomStream::PerRank; }
  }];
}

def Train_ShardAttr : Train_Attr<"Shard", "shard"> {
  let summary = "how a dataset is divided among the ranks of a group";
  let description = [{
    Each global batch is divided among the ranks of `group`: rank r of N takes its samples r, r + N, ...
    (`strided`) or one block (`contiguous`). `policy` says what happens when N does not divide the global
    batch: it is an `error`, the remainder is dropped (`drop`), samples are repeated until N divides it
    (`pad`), or the ranks get unequal parts and their contributions are `weighted` by them. `ranks` is N once
    the program is specialised, 0 before.

    Example: `#train.shard<strided, error, @world, ranks = 4>`
  }];
  let parameters = (ins EnumParameter<Train_ShardMode>:$mode, EnumParameter<Train_BatchPolicy>:$policy,
                        "::mlir::FlatSymbolRefAttr":$group, DefaultValuedParameter<"int64_t", "0">:$ranks);
  let assemblyFormat = "`<` $mode `,` $policy `,` $group (`,` `ranks` `=` $ranks^)? `>`";
}

#endif
