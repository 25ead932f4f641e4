// The plan of the servers' program: what they hold, and what they expect of each worker.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_PROGRAM_PLAN_SERVERPLAN_H
#define TUTTI_LIB_PROGRAM_PLAN_SERVERPLAN_H

#include "lib/program/plan/Plan.h"

namespace tutti::program {

/// A table, with all on which workers and servers must agree.
struct TablePlan {
  int64_t number = 0; ///< by which requests name it
  std::string name, type;
  std::vector<int64_t> shape;       ///< rows first, unless it is whole
  bool isWhole = false;             ///< one row, which travels as a whole
  std::vector<std::string> states;  ///< that the optimizer keeps of each row, in order
  std::vector<std::string> scalars; ///< element types of what a push brings beside rows
  std::string wire;                 ///< as what rows and gradients travel
  std::string reduction;            ///< how the gradients of workers become one
  int64_t neighbours = 1; ///< workers that have the same samples, and share what they push
  std::string mode;       ///< "in step", "asynchronous", "asynchronous after 20 steps, staleness 4"
  std::string placement;  ///< which rows a server has: "range" or "hash"
  std::string update;     ///< hex sha256 of the function that updates rows
};

/// The tables of a program on tensors, in order. Empty if there are none.
std::vector<TablePlan> extractServerPlan(mlir::ModuleOp module);

/// One line that has it all, so that equal lines are equal tables.
std::string describe(const TablePlan &table);

/// docs/plan.md describes the keys.
llvm::json::Value toJson(const TablePlan &table);

/// For people: a heading and one line a table. Prints nothing without tables.
void printServerPlan(llvm::ArrayRef<TablePlan> tables, llvm::raw_ostream &out);

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_PLAN_SERVERPLAN_H
