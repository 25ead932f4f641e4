// The pass of chunks=N.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_DISTRIBUTION_CHUNKS
#define TUTTI_DISTRIBUTION_CHUNKS

include "passes/distribution/PassClasses.td"

def ChunksPass : DistributionLaunchPass<"distribute-chunks"> {
  let summary = "Let neighbours exchange one chunk of a value while they compute another";
  let description = [{
    Computes and exchanges in `chunks` chunks what neighbours that share a model add up, scatter or gather (`distribute-tensor`), if
    it comes of a product. What leads to an exchange is computed in chunks, by the rules of sharding of the operations, up to where
    a chunk depends on more than a chunk: the keys and values of an attention are joined, its queries are not. A chunk of what one
    exchange gives is a chunk of what the next one takes, so that a whole layer follows: while a chunk is on its way,
    `collective-overlap` lets the other one be computed (decomposition of collectives and products: Wang et al. 2023). Where other
    operations take such a value, as the backward pass does, chunks are joined for them; losses of chunks are added up.

    A value is cut along its first dimension that `chunks` divide and that is not the last: samples if there are enough, else
    tokens. If that is the dimension in which an exchange cuts or joins the values of neighbours, each chunk has a piece of what
    each neighbour has.

    Every element is computed of the same operands, and summands of neighbours are added in the same order. A product of fewer
    rows may add up its own summands in another order, as another batch size does.

    Where ranks take batches of two sizes (`batch-policy=weighted`), nothing is cut: they would not exchange alike. An exchange of
    fewer than `min-bytes` stays whole, as does one of which nothing that is computed in chunks is a product; a
    remark says so. Does nothing, with a warning, to a program without such exchanges.

    ```mlir
    %y = onnx.MatMul %x, %w
    %z = collective.all_reduce sum %y on @tp
      ↓ chunks=2
    %x0 = tensor.extract_slice %x[0, 0] [4, 8] [1, 1]
    %y0 = onnx.MatMul %x0, %w
    %z0 = collective.all_reduce sum %y0 on @tp
    %x1 = tensor.extract_slice %x[4, 0] [4, 8] [1, 1]
    %y1 = onnx.MatMul %x1, %w
    %z1 = collective.all_reduce sum %y1 on @tp
    %z = tensor.concat dim(0) %z0, %z1
    ```
  }];
  let dependentDialects = ["::tutti::train::TrainDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"chunks", "chunks", "int64_t", "1", "Chunks of each value">,
    Option<"minBytes", "min-bytes", "int64_t", "32768", "Bytes below which an exchange stays whole">
  ];
  let statistics = [
    Statistic<"exchanged", "exchanges-in-chunks", "Exchanges that are made in chunks">,
    Statistic<"computed", "operations-in-chunks", "Operations that are computed in chunks">
  ];
}

#endif // TUTTI_DISTRIBUTION_CHUNKS
