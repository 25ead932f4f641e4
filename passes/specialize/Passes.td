// Passes that fix the number of ranks and the local batch of a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_SPECIALIZE_PASSES
#define TUTTI_SPECIALIZE_PASSES

include "mlir/Pass/PassBase.td"

def VaryBatchPass : Pass<"train-vary-batch", "::mlir::ModuleOp"> {
  let summary = "Let a batch vary that the model fixes";
  let description = [{
    Exporters write the batch of their example into the file: `x: [4, 3, 224, 224]`. This pass makes the dimension of
    the samples of every input dynamic, and every dimension that follows from it: those that grow when all types are
    inferred for a larger batch, the sizes that a Reshape states (the one that takes in the batch becomes -1), and constants that hold
    equal entries for each sample where operands are broadcast (one sample stays). A dataset without a global batch
    gets the one of the file.

    Where something does not follow, the program stays as it is, and a warning names the operation: one rank can train
    it with the batch of the file, more ranks cannot.
  }];
  let dependentDialects = ["::tutti::onnx::OnnxDialect", "::tutti::train::TrainDialect"];
  let options = [Option<"quiet", "quiet", "bool", "false", "no warning where the batch stays: a later pass gives it">];
}

def AtLaunchPass : Pass<"distribute-at-launch", "::mlir::ModuleOp"> {
  let summary = "Put passes off until the number of ranks is known";
  let description = [{
    Writes `passes` after those that the attribute `train.at_launch` of the module names already.
    `specialize-world` runs them, in this order, when the program is specialised for several ranks, and
    forgets them on one. A name that is no pass, or options that it does not have, are an error here.

    A program brings this attribute from wherever it was made, so only passes that rewrite programs and write no
    file may wait: `canonicalize`, `cse`, `symbol-dce`, the `collective-` passes but `collective-emit-plan`, and those of
    distribution that need the number of ranks. Others are an error, which lists those that may.
  }];
  let dependentDialects = ["::tutti::train::TrainDialect"];
  let options = [
    ListOption<"passes", "passes", "std::string", "Passes with their options, one each">
  ];
}

def AtBatchPass : Pass<"distribute-at-batch", "::mlir::ModuleOp"> {
  let summary = "Put passes off until it is known how many samples a rank takes";
  let description = [{
    Writes `passes` after those that the attribute `train.at_batch` of the module names already. `train-specialize-batch` runs them,
    in this order, once all shapes are static. Which passes may wait, and what is an error, is as for `distribute-at-launch`, for
    which this one may wait itself.
  }];
  let dependentDialects = ["::tutti::train::TrainDialect"];
  let options = [
    ListOption<"passes", "passes", "std::string", "Passes with their options, one each">
  ];
}

def SpecializeWorldPass : Pass<"specialize-world", "::mlir::ModuleOp"> {
  let summary = "Fix the number of ranks";
  let description = [{
    Declares the size of the groups and the `ranks` of sharded datasets, checks that the global batch
    fits (or that a policy says what to do), and folds what follows: `collective.size`, batch weights
    and, on one rank, every collective, group and shard. A distributed program specialised for one rank
    is the single-device program, text for text. Touches nothing that distribution did not add.

    Last, on several ranks, it runs the passes that `train.at_launch` names: those that need their number.

    Fails when `ranks` is missing, when a program for several ranks is not distributed, when it is
    specialised for another number already, or when the global batch does not fit.
  }];
  // Those of the passes put off; nothing may be loaded once they run.
  let dependentDialects = ["::tutti::collective::CollectiveDialect", "::tutti::train::TrainDialect",
                           "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
  let options = [Option<"ranks", "ranks", "int64_t", "0", "Number of ranks; must be given">];
  let statistics = [Statistic<"foldedOps", "operations-folded", "Operations that folded away">];
}

def SpecializeBatchPass : Pass<"train-specialize-batch", "::mlir::ModuleOp"> {
  let summary = "Make the batch dimensions static";
  let description = [{
    Derives the number of samples that a rank takes in a step from the `train.dataset` (its global batch, shard,
    policy and ranks), makes it the dimension of the samples of every input that reads this dataset, infers all other
    types again, and replaces `train.batch_weight` by its value. Afterwards every shape is static; a dimension that is not is an
    error that names the op and the dimension.

    Last, it runs the passes that `train.at_batch` names.
  }];
  let options = [
    Option<"rankClass", "rank-class", "std::string", "\"ceil\"",
           "with policy `weighted` the ranks take two sizes of batch: `ceil` is the larger, `floor` the smaller">,
    Option<"localBatch", "local-batch", "int64_t", "0",
           "take this batch instead of the derived one (0: derive it)">
  ];
  // Those of the passes put off; nothing may be loaded once they run.
  let dependentDialects = ["::tutti::collective::CollectiveDialect", "::tutti::train::TrainDialect",
                           "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SpecializeServerPass : Pass<"specialize-server", "::mlir::ModuleOp"> {
  let summary = "The program that servers run on rows of one table";
  let description = [{
    Of a program with tables, what is left is the update of `table`, in the form of a training program. The rows, the
    optimizer's states and the gradients are inputs, one row of them a sample; the new rows and states are outputs. Scalars that a push
    brings are variables, `scalar.0`, `scalar.1`, ..., which the step gives back as they are: the host writes them. A step is
    computed of `rows` rows at once, of a whole table of its only one.
  }];
  let dependentDialects = ["::tutti::train::TrainDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
  let options = [
    Option<"table", "table", "std::string", "", "The name of the table">,
    Option<"rows", "rows", "int64_t", "256", "How many rows a step updates">
  ];
}

#endif // TUTTI_SPECIALIZE_PASSES
