// Holds a distributed program against that of one device: both run in a prime field, where equal
// formulas give equal numbers and others, almost surely, do not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_VALIDATION_VALIDATE_H
#define TUTTI_PASSES_VALIDATION_VALIDATE_H

#include "lib/options/KeyTable.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <functional>
#include <string>

namespace mlir {
class PassManager;
} // namespace mlir

namespace tutti::validation {

struct ValidationOptions {
  /// The numbers of ranks. Empty: 2, 3 and 4, without those for which the program cannot be made.
  llvm::SmallVector<int64_t> ranks;
  int64_t steps = 2;
  /// Which random numbers the programs run on.
  int64_t seed = 1;

  /// The keys of --verify="KEY=VALUE ...", bound to the fields of this object.
  options::KeyTable keys();
};

/// Runs @step of `program` on each of the numbers of ranks and of `reference`, the program of one
/// device, on the same global batches; compares all variables and metrics after each step. Without
/// a reference, that is `program` for one rank, and what numbers do not show is proved as well
/// (distribute-verify-replication). Neither is changed. An error names the first value
/// that differs: its node, rank, step and, where it is one, the factor. Otherwise `outReport` says
/// what was compared, and on which sizes.
mlir::LogicalResult validate(mlir::ModuleOp program, mlir::ModuleOp reference,
                             const ValidationOptions &options, std::string &outReport);

/// The name of an operation by which @evaluate draws noise for samples, which follows from the
/// number of ranks; empty if it draws none.
std::string findDrawOfEvaluation(mlir::ModuleOp module);

/// Adds a pass that does so to the end of `passes`, which has all passes already. The reference is
/// the program as it is before the first pass that distributes it, if there is one. `tell` gets the
/// report.
void addValidation(mlir::PassManager &passes, ValidationOptions options,
                   std::function<void(llvm::StringRef)> tell);

} // namespace tutti::validation

#endif // TUTTI_PASSES_VALIDATION_VALIDATE_H
