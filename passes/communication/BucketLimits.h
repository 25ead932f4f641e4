// Where one bucket ends and the next begins: the ways in which a user can say so.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_COMMUNICATION_BUCKETLIMITS_H
#define TUTTI_PASSES_COMMUNICATION_BUCKETLIMITS_H

#include "passes/communication/BucketRuns.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>
#include <string>

namespace tutti::communication {

/// Emits an error at the program.
using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// What the user asked for; fields that were not given have these values.
struct BucketRequest {
  std::string mode = "fixed";         ///< fixed, auto or none
  std::string by;                     ///< "id", or empty
  int64_t bytes = -1;                 ///< limit of each bucket
  int64_t firstBytes = -1;            ///< limit of the first one
  int64_t count = -1;                 ///< members of each bucket
  llvm::SmallVector<int64_t> indices; ///< the last member of each bucket
  llvm::SmallVector<double> percent;  ///< the share of each bucket in all bytes
};

/// What `options`, a text as collective-fuse takes it, asks for. Fails, and says why through
/// `complain`, if that pass has no such options.
mlir::FailureOr<BucketRequest>
parseBucketRequest(llvm::StringRef options,
                   llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)> complain);

/// Gives each member of a run the number of its bucket, or nothing to leave it alone. `isMain` is
/// true of the run with the most bytes of the program: the gradients. An error was emitted.
using BucketCutter = std::function<mlir::FailureOr<llvm::SmallVector<std::optional<int64_t>>>(
    const BucketRun &run, bool isMain, EmitError emitError)>;

/// The members of a run that are cut into one bucket, in their order.
using Bucket = llvm::SmallVector<const BucketMember *>;

/// The buckets of `run`, in the order of their first members, as `numbers` of a cutter say; what
/// has no number is in none.
llvm::SmallVector<Bucket> bucketsOf(const BucketRun &run,
                                    llvm::ArrayRef<std::optional<int64_t>> numbers);

/// After what communication of `bucket` can begin; null: at the start of its block.
mlir::Operation *getLastProducer(const Bucket &bucket);

/// The cutter for `request`. Errors name options that contradict each other or themselves. The mode
/// `auto` is where a cost model takes over: there is none in this library yet, which is an error.
mlir::FailureOr<BucketCutter> makeBucketCutter(const BucketRequest &request, EmitError emitError);

} // namespace tutti::communication

#endif // TUTTI_PASSES_COMMUNICATION_BUCKETLIMITS_H
