// The program of one device beside that of one number of ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_VALIDATION_VALIDATOR_H
#define TUTTI_PASSES_VALIDATION_VALIDATOR_H

#include "passes/validation/StepRun.h"
#include "passes/validation/Validate.h"

namespace tutti::validation {

/// The comparison for one number of ranks.
class Validator {
public:
  Validator(mlir::ModuleOp program, mlir::ModuleOp reference, const ValidationOptions &options,
            int64_t count)
      : program(program), reference(reference), options(options), count(count),
        sharing(chooseSharing(program, count)) {}

  /// Fails, with the passes' own errors, where the program cannot be made for these ranks.
  mlir::LogicalResult prepare();
  mlir::LogicalResult compare();

  const Sharing &getSharing() const { return sharing; }
  int64_t compared = 0;
  int64_t evaluated = 0; ///< of the results of @evaluate
  int64_t hollow = 0;    ///< of these, what became no number on one device, too

private:
  std::vector<int64_t> samplesOfDevice(llvm::ArrayRef<StepRun *> givers);
  void beginServers(const Scenario &scenario);
  mlir::LogicalResult compareRun(bool isSpoilt);
  mlir::LogicalResult compareRanks(bool isSpoilt);
  mlir::LogicalResult stepDevice(const Scenario &scenario, int64_t step, bool isSpoilt);
  mlir::LogicalResult stepRanks(const Scenario &scenario, int64_t step,
                                llvm::function_ref<bool(int64_t rank)> isSpoilt);
  mlir::LogicalResult stepBoth(const Scenario &scenario, int64_t step, bool isSpoilt);
  mlir::LogicalResult compareVariables(int64_t step);
  mlir::LogicalResult compareMetrics(int64_t step);
  mlir::LogicalResult compareEvaluation(const Scenario &scenario, int64_t step);
  interpreter::TensorRef assemble(llvm::StringRef name, int64_t rank,
                                  const interpreter::Tensor &whole);
  mlir::LogicalResult report(mlir::Location location, llvm::StringRef kind, llvm::StringRef name,
                             int64_t rank, int64_t step, const std::string &difference);
  /// Says where the difference begins, if that is found.
  void explain(mlir::InFlightDiagnostic &error, int64_t step);
  std::vector<std::pair<int64_t, std::string>> knownFactors();
  mlir::Location locationOf(mlir::func::FuncOp step, llvm::StringRef kind, llvm::StringRef name);

  mlir::ModuleOp program, reference;
  const ValidationOptions &options;
  int64_t count;
  Sharing sharing;
  bool wasSpoilt = false;   ///< the batch that runs
  bool trainsAlone = false; ///< ranks have variables of their own, and average them
  std::unique_ptr<ReadyProgram> device;
  std::vector<std::unique_ptr<ReadyProgram>> ofRanks; ///< one or two classes
  Servers deviceServers, servers;                     ///< of the tables that either has
  std::vector<StepRun> one,
      all; ///< one device (for each rank, where they train alone), and the ranks
};

} // namespace tutti::validation

#endif // TUTTI_PASSES_VALIDATION_VALIDATOR_H
