// The pass of interleave=N.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_DISTRIBUTION_INTERLEAVE
#define TUTTI_DISTRIBUTION_INTERLEAVE

include "passes/distribution/PassClasses.td"

def InterleavePass : DistributionLaunchPass<"distribute-interleave"> {
  let summary = "Let one micro-batch compute while another communicates";
  let description = [{
    Computes `micro-batches` turns of each loop over micro-batches together, if the turns communicate, as they do where neighbours
    share a model (`distribute-tensor`). The work of a turn is cut where it needs the outcome of communication. The first
    segments of all these turns come first, one turn after the other, then the second segments, and so on: while the outcome of one
    turn's segment is on its way, `collective-overlap` lets the others compute (Domino, Wang et al. 2024, splits a batch so).

    Each turn computes what it computed before, and gradients are added up in the same order: values stay the same bit for bit.
    What so many micro-batches keep for their backward pass is in memory at the same time.

    A loop stays as it is, with a remark, where nothing in it communicates or where something in it may only run in its place.
    Fails where `micro-batches` does not divide the turns of a loop.

    ```mlir
    scf.for %i = %c0 to %c4 step %c1 {
      %x = train.micro_batch %i of 4 in %batch
      %y = "product"(%x)
      %z = collective.all_reduce sum %y on @tp
      "norm"(%z)
    }
      ↓ micro-batches=2
    scf.for %i = %c0 to %c4 step %c2 {
      %x = train.micro_batch %i of 4 in %batch {train.turn = 0 : i64}
      %y = "product"(%x)
      %z = collective.all_reduce sum %y on @tp
      %j = arith.addi %i, %c1
      %x2 = train.micro_batch %j of 4 in %batch {train.turn = 1 : i64}
      %y2 = "product"(%x2)
      %z2 = collective.all_reduce sum %y2 on @tp
      "norm"(%z)
      "norm"(%z2)
    }
    ```
  }];
  let dependentDialects = ["::tutti::train::TrainDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let options = [
    Option<"microBatches", "micro-batches", "int64_t", "1", "Micro-batches that are computed together">
  ];
  let statistics = [
    Statistic<"interleaved", "loops-interleaved", "Loops whose turns are computed together">,
    Statistic<"segments", "segments", "Segments of their turns, between communication">
  ];
}

#endif // TUTTI_DISTRIBUTION_INTERLEAVE
