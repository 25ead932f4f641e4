// What @evaluate gives on ranks beside what it gives on one device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_VALIDATION_EVALUATION_H
#define TUTTI_PASSES_VALIDATION_EVALUATION_H

#include "passes/validation/Comparison.h"
#include "passes/validation/StepRun.h"

namespace tutti::validation {

/// One side: the runs that evaluated together, and by run what each result was.
struct Evaluated {
  std::vector<StepRun *> runs;
  std::vector<std::vector<interpreter::TensorRef>> results;

  /// Evaluates a batch on the variables as they are after the last step. The samples are those of a
  /// step, or all of them on each run where the numbers are of whole batches.
  static mlir::FailureOr<Evaluated> of(std::vector<StepRun *> runs, const Scenario &scenario,
                                       Servers &servers, int64_t step, int64_t samplesPerStep);
};

/// Compares each result of @evaluate: values of samples with those of the same samples, numbers of
/// batches once they are combined. Fails, with an error, where one differs; else how many there
/// are.
mlir::FailureOr<int64_t> compareEvaluations(const Evaluated &device, const Evaluated &ranks,
                                            int64_t step, KnownFactors factors);

} // namespace tutti::validation

#endif // TUTTI_PASSES_VALIDATION_EVALUATION_H
