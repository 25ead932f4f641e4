// A variable that servers can hold: who reads its rows, and what updates them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_SERVERS_SERVEDTABLE_H
#define TUTTI_PASSES_DISTRIBUTION_SERVERS_SERVEDTABLE_H

#include "dialects/interfaces/Lookup.h"
#include "dialects/interfaces/Optimizer.h"
#include "dialects/ps/Ps.h"
#include "lib/diagnostics/Refusal.h"
#include "lib/program/Program.h"

#include "llvm/ADT/MapVector.h"

namespace tutti::distribution {

/// A program, and where its functions have their variables; true until arguments or results change.
class ServedProgram {
public:
  explicit ServedProgram(program::Program program) : program(program) {
    for (auto function : program.module.getOps<mlir::func::FuncOp>())
      places.insert({function, program::VariablePlaces(function)});
  }

  const program::VariablePlaces &placesOf(mlir::func::FuncOp function) const {
    return places.find(function)->second;
  }
  /// What its functions take as `role`, in the order of the functions.
  llvm::SmallVector<mlir::BlockArgument> getArguments(train::VariableAttr role) const {
    llvm::SmallVector<mlir::BlockArgument> arguments;
    for (auto &[function, found] : places)
      if (mlir::BlockArgument held = found.getArgument(role))
        arguments.push_back(held);
    return arguments;
  }

  program::Program program;

private:
  llvm::MapVector<mlir::Operation *, program::VariablePlaces> places;
};

/// A table: nothing but rows of it is read, its gradient is a list of rows, and its optimizer works
/// row by row. Or a whole variable: all of it is read, and its optimizer alone takes its gradient.
class ServedTable {
public:
  enum class Form { Rows, Whole };
  /// How servers hold it.
  struct Options {
    bool isHashed = false, isMean = true, isAsynchronous = false;
    std::optional<int64_t> staleness;
    int64_t warmUp = 0;        ///< steps that are common first, of an asynchronous table
    mlir::Type wire;           ///< of rows on their way; null: their own
    bool isPrefetched = false; ///< where the rows of a step are known from its batch alone
    ps::RandomAttr initial;    ///< what rows begin as; null: what the program says
  };

  /// The variable that @step takes as `table`; the error is the reason why it is no such variable.
  /// Nothing is reported.
  static llvm::Expected<ServedTable> find(const ServedProgram &program, mlir::BlockArgument table,
                                          Form form);

  bool isWhole() const { return form == Form::Whole; }
  /// Whether its gradient is clipped by the norm of all gradients.
  bool isClipped() const;
  /// Whether the program says as a constant how it begins.
  bool hasInitial() const { return bool(initial); }
  /// Whether something reads rows of it.
  bool isLookedUp() const { return !lookups.empty(); }

  train::VariableAttr getRole() const { return role; }
  mlir::RankedTensorType getType() const;
  int64_t getBytes() const;
  /// The same with the optimizer's states.
  int64_t getHeldBytes() const;
  OptimizerOpInterface getOptimizer() const { return optimizer; }
  /// Its own role, and those of its optimizer's states in order.
  llvm::ArrayRef<train::VariableAttr> getRoles() const { return roles; }

  /// Why @step's lookups are not known from its batch alone.
  Refusal whyNotPrefetched(mlir::func::FuncOp step) const;

  /// Lets servers hold it: a `ps.table`, the function that updates it, pulls in place of lookups in
  /// all functions of the program, a push in place of the optimizer. What @initialize, @step and
  /// @evaluate hand on of it is no longer used.
  void serve(const ServedProgram &program, const Options &options) const;

private:
  llvm::Error collectReaders(const ServedProgram &program);
  llvm::Error collectGradient();
  llvm::Error collectLists(mlir::Value gradient);
  llvm::Error collectStates(const ServedProgram &program);
  llvm::Error collectInitial(const ServedProgram &program);
  mlir::func::FuncOp outlineUpdate(mlir::StringAttr name, ps::TableOp served) const;
  mlir::RankedTensorType getPerRowType() const;
  void pull(const ServedProgram &program, mlir::FlatSymbolRefAttr table) const;
  void pushRows(mlir::FlatSymbolRefAttr table) const;
  void pushWhole(mlir::FlatSymbolRefAttr table) const;

  Form form = Form::Rows;
  train::VariableAttr role;
  mlir::BlockArgument table;                    ///< of @step
  llvm::SmallVector<LookupOpInterface> lookups; ///< of rows, in all functions
  OptimizerOpInterface optimizer;
  mlir::Value gradient;                          ///< before it is scaled
  llvm::SmallVector<train::ScaleOp> scales;      ///< of the gradient, from the lists on
  llvm::SmallVector<train::ScatterRowsOp> lists; ///< the terms of a gradient of rows
  llvm::SmallVector<mlir::Value> scalars;        ///< what the update takes beside rows
  llvm::SmallVector<train::VariableAttr> roles;
  mlir::ElementsAttr initial;
  llvm::SmallVector<mlir::Attribute> states; ///< as ps.table has them
};

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_SERVERS_SERVEDTABLE_H
