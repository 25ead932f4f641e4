// A program that runs step after step: that of one device, or of a rank.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_VALIDATION_STEPRUN_H
#define TUTTI_PASSES_VALIDATION_STEPRUN_H

#include "passes/validation/Programs.h"
#include "passes/validation/Servers.h"

namespace tutti::validation {

/// Calls `visit` with the number and the role of each result of `step` that has one of `kind`.
template <typename Attribute>
void visitResults(mlir::func::FuncOp step, llvm::StringRef kind,
                  llvm::function_ref<void(unsigned, Attribute)> visit) {
  for (unsigned i = 0, count = step.getNumResults(); i < count; ++i)
    if (auto role = step.getResultAttrOfType<Attribute>(i, kind))
      visit(i, role);
}

/// Puts block `index` of `parts`, cut along the one dimension in which it is smaller, into `whole`:
/// of each of `outer` equal ranges of that dimension one.
void putBlock(const interpreter::Tensor &block, int64_t index, int64_t parts, int64_t outer,
              interpreter::Tensor &whole);

/// What one run of @step gave.
struct StepResult {
  Values variables, metrics;
};

class StepRun {
public:
  StepRun(ReadyProgram &program, interpreter::RankPlace place)
      : program(program), place(std::move(place)) {}

  /// Sets the variables to what they are before the first step: `whole` those of one device.
  mlir::LogicalResult begin(const Scenario &scenario, const Values *whole);

  /// Runs a step, on the tables of `servers`; called on the thread of this rank.
  mlir::LogicalResult runStep(const Scenario &scenario, interpreter::Ranks &ranks, Servers &servers,
                              int64_t step, bool isSpoilt, int64_t samplesPerStep);
  /// Runs @evaluate on the samples of the step that ended, or on all of the batch where its numbers
  /// are of whole batches; the results in order.
  mlir::FailureOr<std::vector<interpreter::TensorRef>> evaluate(const Scenario &scenario,
                                                                interpreter::Ranks &ranks,
                                                                Servers &servers, int64_t step,
                                                                int64_t samplesPerStep);
  /// The variables are again what they were before the last step, and the next one is traced.
  void goBack();

  ReadyProgram &program;
  interpreter::RankPlace place;
  StepResult last;
  Values before;                              ///< the variables before the last step
  int64_t variation = 0;                      ///< batches of another variation are others
  std::vector<interpreter::TraceEntry> trace; ///< of the step after `goBack`

private:
  /// What a function gets in this step, by the roles of its arguments.
  mlir::FailureOr<std::vector<interpreter::TensorRef>> argumentsOf(mlir::func::FuncOp function,
                                                                   const Scenario &scenario,
                                                                   int64_t step, bool isSpoilt,
                                                                   int64_t samplesPerStep);

  bool isTraced = false;
};

} // namespace tutti::validation

#endif // TUTTI_PASSES_VALIDATION_STEPRUN_H
