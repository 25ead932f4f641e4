// The plan of the servers' program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/plan/ServerPlan.h"

#include "dialects/ps/Ps.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;

/// Of the text of `update`, without places in files.
static std::string digestOf(Operation *update) {
  std::string text;
  llvm::raw_string_ostream out(text);
  update->print(out, OpPrintingFlags().useLocalScope());
  return hashText(text);
}

static std::string modeOf(ps::TableOp table) {
  if (!table.getAsynchronous())
    return "in step";
  std::string mode = "asynchronous";
  if (table.getWarmUp())
    mode += " after " + std::to_string(*table.getWarmUp()) + " steps";
  if (table.getStaleness())
    mode += ", staleness " + std::to_string(*table.getStaleness());
  return mode;
}

static TablePlan planOf(ps::TableOp table, int64_t number) {
  TablePlan plan;
  plan.number = number;
  plan.name = table.getSymName();
  plan.type = spellType(table.getType().getElementType());
  plan.shape.assign(table.getType().getShape().begin(), table.getType().getShape().end());
  plan.isWhole = table.getWhole();
  for (auto state : table.getStates().getAsRange<ps::StateAttr>())
    plan.states.push_back(state.getName().str());
  plan.wire = table.getWire() ? spellType(*table.getWire()).str() : plan.type;
  plan.reduction = ps::stringifyReduction(table.getReduction());
  plan.neighbours = table.countNeighbours();
  plan.mode = modeOf(table);
  plan.placement = ps::stringifyPlacement(table.getPlacement());
  auto update =
      SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(table, table.getUpdateAttr());
  if (!update) // the table's verifier says so
    return plan;
  size_t held = plan.states.size() + 2; // the rows, their states, and their gradients
  for (Type scalar :
       update.getArgumentTypes().drop_front(std::min(held, size_t(update.getNumArguments()))))
    plan.scalars.push_back(spellType(getElementTypeOrSelf(scalar)).str());
  plan.update = digestOf(update);
  return plan;
}

std::vector<TablePlan> tutti::program::extractServerPlan(ModuleOp module) {
  std::vector<TablePlan> plan;
  for (auto table : module.getOps<ps::TableOp>())
    plan.push_back(planOf(table, plan.size()));
  return plan;
}

static std::string listed(const std::vector<std::string> &names) {
  return names.empty() ? "none" : llvm::join(names, ", ");
}

static std::string rowsOf(const TablePlan &table) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << table.type << " [";
  llvm::interleaveComma(table.shape, out);
  out << "]" << (table.isWhole ? " whole" : "");
  return text;
}

/// Whose gradients become one.
static std::string workersOf(const TablePlan &table) {
  return table.neighbours == 1 ? "workers"
                               : "groups of " + std::to_string(table.neighbours) + " workers";
}

std::string tutti::program::describe(const TablePlan &table) {
  return llvm::formatv("{0}: {1}, states {2}, scalars {3}, travels as {4}, {5} of {8}, {6}, by "
                       "{7}, update {9}",
                       table.name, rowsOf(table), listed(table.states), listed(table.scalars),
                       table.wire, table.reduction, table.mode, table.placement, workersOf(table),
                       StringRef(table.update).take_front(16));
}

llvm::json::Value tutti::program::toJson(const TablePlan &table) {
  using llvm::json::Array;
  return llvm::json::Object{
      {"number", table.number},          {"table", table.name},    {"type", table.type},
      {"shape", Array(table.shape)},     {"whole", table.isWhole}, {"states", Array(table.states)},
      {"scalars", Array(table.scalars)}, {"wire", table.wire},     {"reduction", table.reduction},
      {"neighbours", table.neighbours},  {"mode", table.mode},     {"placement", table.placement},
      {"update", table.update}};
}

void tutti::program::printServerPlan(llvm::ArrayRef<TablePlan> tables, llvm::raw_ostream &out) {
  if (tables.empty())
    return;
  out << "\nservers: what each of them expects of every worker, once a step and table\n";
  for (const TablePlan &table : tables)
    out << llvm::formatv("{0,3}  {1}\n", table.number, describe(table));
}
