// The servers of a program's tables, which update rows after each step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_VALIDATION_SERVERS_H
#define TUTTI_PASSES_VALIDATION_SERVERS_H

#include "passes/validation/Programs.h"
#include "passes/validation/Scenario.h"

#include "dialects/ps/Ps.h"

namespace tutti::validation {

using Values = llvm::StringMap<interpreter::TensorRef>;

/// What servers do, however many there are: which of them holds a row changes no number.
class Servers {
public:
  /// Of the tables of `program`, which is specialised for its ranks and outlives this. Fails, with
  /// an error, where an update cannot be lowered or a table is asynchronous.
  mlir::LogicalResult prepare(mlir::ModuleOp program);

  /// Sets rows and states to what they are before the first step: those of `whole`, where it has
  /// them, else drawn.
  void begin(const Scenario &scenario, const Values *whole);

  /// Updates each row of which a rank gave a gradient, once all have ended the step. Fails, with an
  /// error, where one of `ranks` did not push to each table once.
  mlir::LogicalResult finishStep(int64_t ranks);
  /// Rows and states are again what they were before the last step.
  void goBack();

  bool areNone() const { return declared.empty(); }
  bool hold(llvm::StringRef variable) const { return placeOf.contains(variable); }
  /// Adds all variables that servers hold, states of optimizers among them, to `values`.
  void addTo(Values &values) const;
  /// Calls `visit` with the name of each of them, and where its table stands.
  void visit(llvm::function_ref<void(llvm::StringRef, mlir::Location)> visit) const;

  interpreter::Tables tables; ///< in the order of the program

private:
  /// The program that servers run on some rows of tables that are alike.
  struct Update {
    mlir::OwningOpRef<mlir::ModuleOp> module;
    std::unique_ptr<interpreter::PreparedModule> prepared;
    int64_t rows = 0; ///< at once
  };
  struct Sums;

  mlir::FailureOr<Update *> updateOf(mlir::ModuleOp program, ps::TableOp table);
  mlir::LogicalResult addPushes(unsigned number, int64_t ranks, Sums &sums);
  mlir::LogicalResult update(unsigned number, const Sums &sums);

  std::vector<ps::TableOp> declared;
  std::vector<Update *> updates; ///< by table
  std::vector<std::vector<interpreter::Tensor>> states, statesBefore;
  std::vector<interpreter::Tensor> rowsBefore;
  llvm::StringMap<std::unique_ptr<Update>> known; ///< by the text of the function
  llvm::StringMap<unsigned> placeOf;              ///< the table of a variable
};

} // namespace tutti::validation

#endif // TUTTI_PASSES_VALIDATION_SERVERS_H
