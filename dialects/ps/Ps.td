// The ps dialect: variables that live on parameter servers, and what workers exchange with them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PS_TD
#define TUTTI_PS_TD

include "dialects/interfaces/TypeRefinement.td"
include "dialects/interfaces/ranks/Uniformity.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Ps_Dialect : Dialect {
  let name = "ps";
  let cppNamespace = "::tutti::ps";
  let summary = "Parameter servers: tables that servers hold, and what workers exchange with them";
  let description = [{
    A table too large for a worker is held by servers, each of which has some of its rows. A worker pulls the rows that its
    samples touch, computes with them, and pushes their gradients; the servers run the optimizer. `ps.table` declares
    a table and names the function that updates its rows, which is no part of what workers run: it is the program of the servers.
    A variable that steps need as a whole is a table too: one row, which one server holds.

    A program with tables is a training program of `train` in everything else. Variables that are not tables are the
    workers' own, and are reduced by collectives.

    **When a push is seen.** In a step that workers do together, all pulls of all workers see the tables as they were
    before the step. For each table the servers wait for one push of each worker. Gradients of one row are added up
    starting from 0, of each worker in the order of its list, and of the workers in the order of their ranks; with `mean` the
    sum is divided by the number of workers, or of groups of `neighbours`. Then each row of which there is a gradient is updated, once. The next step sees it.

    A table that is `asynchronous` has no common steps: a pull sees the table as it is, and each push updates it at once, by the
    gradient of that worker alone. With `staleness = k` a worker that pulls in its step t waits until all others have pushed in
    their steps before t - k. With `warm_up = k` the first k steps are common steps, as those of other tables.

    So pulls read the tables and pushes write them, as effects on the resource `Tables`: neither moves across a push.
  }];
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Ps_Placement : I32EnumAttr<"Placement", "which server holds a row", [
    I32EnumAttrCase<"Range", 0, "range">,
    I32EnumAttrCase<"Hash", 1, "hash">]> {
  let cppNamespace = "::tutti::ps";
}

def Ps_Reduction : I32EnumAttr<"Reduction", "how the gradients of workers become one", [
    I32EnumAttrCase<"Mean", 0, "mean">,
    I32EnumAttrCase<"Sum", 1, "sum">]> {
  let cppNamespace = "::tutti::ps";
}

def Ps_Distribution : I32EnumAttr<"Distribution", "a distribution of random numbers", [
    I32EnumAttrCase<"Uniform", 0, "uniform">,
    I32EnumAttrCase<"Normal", 1, "normal">]> {
  let cppNamespace = "::tutti::ps";
}

class Ps_Attr<string name, string attributeMnemonic> : AttrDef<Ps_Dialect, name> {
  let mnemonic = attributeMnemonic;
}

def Ps_RandomAttr : Ps_Attr<"Random", "random"> {
  let summary = "rows that are drawn when they are first used";
  let description = [{
    The numbers of a row depend on the seed of the run, the name of the table and the index of the row, and on nothing
    else: not on who uses it first, nor on how many servers there are. `uniform` draws from `first` to `second`,
    `normal` with mean `first` and standard deviation `second`.

    **Constraints**
    - (C1) of `uniform` the first number is not above the second; of `normal` the second is not negative.

    Example: `#ps.random<normal, 0.000000e+00 : f64, 1.000000e-02 : f64>`
  }];
  let parameters = (ins EnumParameter<Ps_Distribution>:$distribution, "::mlir::FloatAttr":$first, "::mlir::FloatAttr":$second);
  let assemblyFormat = "`<` $distribution `,` $first `,` $second `>`";
  let genVerifyDecl = 1;
}

def Ps_Extent : I32EnumAttr<"Extent", "of what a state has a number", [
    I32EnumAttrCase<"Element", 0, "element">,
    I32EnumAttrCase<"Row", 1, "row">]> {
  let cppNamespace = "::tutti::ps";
}

def Ps_StateAttr : Ps_Attr<"State", "state"> {
  let summary = "a state that the optimizer keeps of each row, and its first value";
  let description = [{
    As many numbers as a row has elements, or one with `per row`.

    Example: `#ps.state<"user.weight.sum", 0.000000e+00 : f64>`
  }];
  let parameters = (ins StringRefParameter<"the variable's name">:$name, "::mlir::FloatAttr":$value,
                        DefaultValuedParameter<"::tutti::ps::Extent", "::tutti::ps::Extent::Element">:$extent);
  let assemblyFormat = "`<` $name `,` $value (`per` $extent^)? `>`";
}

def Ps_StateArrayAttr : TypedArrayAttrBase<Ps_StateAttr, "states of an optimizer">;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

def Ps_Tables : Resource<"::tutti::ps::TablesResource">;
def Ps_FloatTensor : RankedTensorOf<[AnyFloat]>;
def Ps_Indices : RankedTensorOf<[I32, I64]>;
def Ps_RowList : 1DTensorOf<[I32, I64]>;

class Ps_Op<string mnemonic, list<Trait> traits = []> : Op<Ps_Dialect, mnemonic, traits>;

def Ps_TableOp : Ps_Op<"table", [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a variable whose rows are held by servers";
  let description = [{
    The variable of the symbol's name and of type `type`; dimension 0 counts its rows. With `whole` the variable is one row,
    which is pulled and pushed as a whole. A row is at first what `initial` says: its entry of that constant, or random numbers. `states` are the optimizer's, each of the table's type, or of one
    number for each row, and held beside its rows.

    `update` names the function that the servers run on the rows of which a step has gradients. It takes the rows, their
    states in order, their gradients, and what else a push brings, all of them scalars; it gives the new rows and
    states. Each row must depend on its own operands alone: servers run it on any number of rows at once.

    `placement` says which of S servers holds row i of R: with `range` server s has the rows from s * R / S to
    (s + 1) * R / S (integer division); with `hash` the one that a hash of i chooses. Whole variables are spread by their
    bytes. `reduction` says how the gradients of several workers become one; `asynchronous`, `staleness` and `warm_up` when a push is
    seen, see the dialect. With `wire` rows that are pulled and gradients that are pushed are rounded to that type, to nearest
    even, on their way; servers keep and update rows of the table's own type.

    With `prefetch` workers tell the servers while they compute a step which rows the next one pulls. What a pull gives is
    the same: rows that change in between come with it.

    With `neighbours = n` each n workers whose numbers follow each other have the same samples and share what they push: the
    gradient of a row comes from one of them, whichever it is. So a mean over workers divides by their number over n.

    **Constraints**
    - (C1) the type is static, of at least one dimension unless the table is `whole`.
    - (C2) an `initial` of elements has the table's type.
    - (C3) `update` is a function of the module: rows, states and gradients are `tensor<?xROWxT>`, states of one number per row
      `tensor<?xT>`, the other arguments have rank 0, and its results are new rows and states. Of a `whole` table ROW is its
      shape, and no state is per row.
    - (C4) `staleness` and `warm_up` are of an asynchronous table, and not negative.
    - (C5) `wire` is bf16 or f16, of a table of f32 that is not `whole`.
    - (C6) `prefetch` is of a table that is not `whole`.
    - (C7) every other attribute carries a dialect's prefix.
    - (C8) `neighbours` is 2 or more, of a table that is neither `whole` nor `asynchronous`.

    Example:
    ```mlir
    ps.table @user.weight : tensor<1000x16xf32> {
      initial = #ps.random<normal, 0.0 : f64, 0.01 : f64>, states = [#ps.state<"user.weight.sum", 0.0 : f64>],
      update = @user.weight.update}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Ps_FloatTensor>:$type, AnyAttr:$initial,
                       DefaultValuedAttr<Ps_StateArrayAttr, "{}">:$states, FlatSymbolRefAttr:$update,
                       DefaultValuedAttr<Ps_Placement, "::tutti::ps::Placement::Range">:$placement,
                       DefaultValuedAttr<Ps_Reduction, "::tutti::ps::Reduction::Mean">:$reduction,
                       UnitAttr:$whole, UnitAttr:$asynchronous, OptionalAttr<I64Attr>:$staleness, OptionalAttr<I64Attr>:$warm_up,
                       OptionalAttr<TypeAttr>:$wire, UnitAttr:$prefetch, OptionalAttr<I64Attr>:$neighbours);
  let assemblyFormat = [{
    $sym_name (`whole` $whole^)? ($placement^)? ($reduction^)?
    (`asynchronous` $asynchronous^ (`staleness` `=` $staleness^)? (`warm_up` `=` $warm_up^)?)? (`wire` `=` $wire^)?
    (`prefetch` $prefetch^)? (`neighbours` `=` $neighbours^)? `:` $type attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The type of `rows` rows.
    ::mlir::RankedTensorType getRowsType(int64_t rows = ::mlir::ShapedType::kDynamic);
    /// The type of `rows` rows of state number `state`.
    ::mlir::RankedTensorType getStateType(unsigned state, int64_t rows = ::mlir::ShapedType::kDynamic);
    /// How many workers have the same samples.
    int64_t countNeighbours() { return getNeighbours() ? int64_t(*getNeighbours()) : 1; }
    int64_t getNumRows() { return getWhole() ? 1 : getType().getDimSize(0); }
    ::llvm::ArrayRef<int64_t> getRowShape() { return getType().getShape().drop_front(getWhole() ? 0 : 1); }
  }];
}

def Ps_PullRowsOp : Ps_Op<"pull_rows",
    [MemoryEffects<[MemRead<Ps_Tables>]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
     DeclareOpInterfaceMethods<TypeRefinementOpInterface>,
     DeclareOpInterfaceMethods<UniformityOpInterface, ["getResultUniformity"]>]> {
  let summary = "some rows of a table";
  let description = [{
    For each index its row: the result has the shape of `indices`, followed by that of a row. An index counts from 0, or
    from the end if it is negative; one that is out of range stops the run with an error that names the node. A row that is
    asked for several times travels once.

    **Constraints**
    - (C1) the result has the shape of the indices and then of a row, and the element type of the table, which is not `whole`.

    Example:
    ```mlir
    %r = ps.pull_rows @user.weight at %i : tensor<?x3xi64> -> tensor<?x3x16xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$table, Ps_Indices:$indices);
  let results = (outs Ps_FloatTensor:$rows);
  let assemblyFormat = "$table `at` $indices attr-dict `:` type($indices) `->` type($rows)";
}

def Ps_PrefetchRowsOp : Ps_Op<"prefetch_rows",
    [MemoryEffects<[MemWrite<Ps_Tables>]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "tells which rows of a table the next step will pull";
  let description = [{
    What a `ps.pull_rows` of the next step will ask for. It stands in `@prefetch`, which the host calls with the batch of that
    step, and changes no row.

    **Constraints**
    - (C1) the table is not `whole`.

    Example:
    ```mlir
    ps.prefetch_rows @user.weight at %i : tensor<8x3xi64>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$table, Ps_Indices:$indices);
  let assemblyFormat = "$table `at` $indices attr-dict `:` type($indices)";
}

def Ps_PushRowsOp : Ps_Op<"push_rows",
    [MemoryEffects<[MemWrite<Ps_Tables>]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "gives the gradients of some rows to the servers";
  let description = [{
    Entry i of `gradients` is a part of the gradient of row `indices[i]`; of several entries of one row the sum is
    taken. The indices are those of a `train.merge_rows`: not negative, and the number of rows of the table marks an
    entry that is not used. `scalars` are what the table's update takes beside rows: rates and counters. They
    must be equal on all workers.

    A worker pushes to each table once in a step, also where it has no gradient.

    **Constraints**
    - (C1) there is one index for each entry of `gradients`, which are rows of the table.
    - (C2) `scalars` have the types that the table's update takes.

    Example:
    ```mlir
    ps.push_rows @user.weight at %i, %g with %rate : tensor<40xi64>, tensor<40x16xf32>, tensor<f32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$table, Ps_RowList:$indices, Ps_FloatTensor:$gradients,
                       Variadic<AnyRankedTensor>:$scalars);
  let assemblyFormat = [{
    $table `at` $indices `,` $gradients (`with` $scalars^)? attr-dict
    `:` type($indices) `,` type($gradients) (`,` type($scalars)^)?
  }];
}

def Ps_PullOp : Ps_Op<"pull",
    [MemoryEffects<[MemRead<Ps_Tables>]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
     DeclareOpInterfaceMethods<UniformityOpInterface, ["getResultUniformity"]>]> {
  let summary = "a whole variable of the servers";
  let description = [{
    The variable as it is on its server.

    **Constraints**
    - (C1) the table is `whole` and of the result's type.

    Example:
    ```mlir
    %w = ps.pull @fc.weight : tensor<10x16xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$table);
  let results = (outs Ps_FloatTensor:$value);
  let assemblyFormat = "$table attr-dict `:` type($value)";
}

def Ps_PushOp : Ps_Op<"push",
    [MemoryEffects<[MemWrite<Ps_Tables>]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "gives the gradient of a whole variable to its server";
  let description = [{
    As `ps.push_rows` of a table's only row.

    **Constraints**
    - (C1) the table is `whole` and of the gradient's type.
    - (C2) `scalars` have the types that the table's update takes.

    Example:
    ```mlir
    ps.push @fc.weight, %g with %rate : tensor<10x16xf32>, tensor<f32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$table, Ps_FloatTensor:$gradient, Variadic<AnyRankedTensor>:$scalars);
  let assemblyFormat = "$table `,` $gradient (`with` $scalars^)? attr-dict `:` type($gradient) (`,` type($scalars)^)?";
}

#endif
