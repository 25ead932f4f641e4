// The interface of operations whose result for one sample depends on the whole batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_BATCHSTATISTICS_TD
#define TUTTI_INTERFACES_BATCHSTATISTICS_TD

include "mlir/IR/OpBase.td"

def BatchStatisticsOpInterface : OpInterface<"BatchStatisticsOpInterface"> {
  let cppNamespace = "::tutti";
  let description = [{
    An operation that takes means over the samples it sees (batch normalization and its gradient). When each
    rank sees a part of the batch, the means can be taken over all ranks (*synchronised*), which gives the
    numbers of one device, or over the rank's own samples.
  }];
  let methods = [
    InterfaceMethod<[{
        Makes the operation use statistics of the samples of all ranks. `meanOverRanks` turns means over the
        rank's samples into means over all samples; it may be called several times, in order. Calling
        `synchronizeStatistics` on an operation that is synchronised already changes nothing.
      }],
      "::llvm::LogicalResult", "synchronizeStatistics",
      (ins "::mlir::OpBuilder &":$builder,
           "::llvm::function_ref<::llvm::SmallVector<::mlir::Value>(::mlir::OpBuilder &, ::mlir::Location, ::mlir::ValueRange)>":$meanOverRanks)>,
    InterfaceMethod<"Whether the statistics come from outside already, or nothing depends on them.", "bool", "isSynchronized">,
    InterfaceMethod<[{
        Whether the means are of gradients. A rank with fewer samples has larger gradients of its mean loss, so
        where ranks hold unequal parts of a batch, such means are weighted in another way.
      }],
      "bool", "takesMeansOfGradients", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<"The results that are running statistics kept between steps, if any.",
                    "::llvm::SmallVector<::mlir::OpResult>", "getRunningStatistics">
  ];
}

#endif
