// State by mark, by type, and by what an argument is updated into.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/stablehlo/StateArguments.h"

#include "lib/stablehlo/Ops.h"
#include "lib/stablehlo/Rules.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::stablehlo;

/// `values`, and what is reached from them against the direction of uses, along operands that
/// `follows` says; regions count as operands of what they stand in.
static llvm::DenseSet<Value> reach(ValueRange values,
                                   llvm::function_ref<bool(OpOperand &)> follows) {
  SmallVector<Value> open(values);
  llvm::DenseSet<Value> seen(open.begin(), open.end());
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op)
      continue;
    op->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        if (follows(operand) && seen.insert(operand.get()).second)
          open.push_back(operand.get());
    });
  }
  return seen;
}

llvm::DenseSet<Value> stablehlo::findSources(ValueRange values) {
  return reach(values, [](OpOperand &) { return true; });
}

/// Whether `value` is `argument` with something done to it element by element.
static bool isUpdateOf(Value value, BlockArgument argument) {
  auto isOfTable = [&](OpOperand &operand) {
    StringRef kind = getKind(operand.getOwner());
    bool isTable =
        (kind == "scatter" || kind == "dynamic_update_slice") && operand.getOperandNumber() == 0;
    return operand.get().getType() == argument.getType() && (isElementwise(kind) || isTable);
  };
  return reach(value, isOfTable).contains(argument);
}

namespace {
/// The search, for one function.
class Search {
public:
  explicit Search(func::FuncOp function) : function(function) {}

  LogicalResult add(unsigned argument, unsigned result, const llvm::Twine &source) {
    if (argument >= function.getNumArguments() || result >= function.getNumResults())
      return fail(argument) << source << " names argument " << argument << " and result " << result
                            << ", but @" << function.getName() << " has "
                            << function.getNumArguments() << " and " << function.getNumResults();
    if (function.getArgument(argument).getType() != function.getResultTypes()[result])
      return fail(argument) << source << " makes argument " << argument << " of type "
                            << function.getArgument(argument).getType() << " result " << result
                            << " of type " << function.getResultTypes()[result];
    if (!taken.insert(result).second)
      return fail(argument) << "result " << result << " is the next value of two arguments";
    if (!found.insert({argument, result}).second)
      return fail(argument) << "argument " << argument << " has two next values";
    return success();
  }

  LogicalResult addGiven(StringRef entry) {
    auto [argument, result] = entry.split(':');
    unsigned from = 0, to = 0;
    if (argument.trim().getAsInteger(10, from) || result.trim().getAsInteger(10, to))
      return mlir::emitError(function.getLoc())
             << "variables: expected ARGUMENT:RESULT such as 0:1, got '" << entry << "'";
    return add(from, to, "variables");
  }

  LogicalResult addAliases() {
    for (unsigned index = 0; index < function.getNumArguments(); ++index)
      if (auto alias = function.getArgAttrOfType<IntegerAttr>(index, kAlias))
        if (!found.count(index) && failed(add(index, alias.getInt(), kAlias)))
          return failure();
    return success();
  }

  /// Donors of one type and free results of that type, together.
  LogicalResult addDonors() {
    llvm::MapVector<Type, SmallVector<unsigned>> donors;
    for (unsigned index = 0; index < function.getNumArguments(); ++index)
      if (function.getArgAttr(index, kDonor) && !found.count(index))
        donors[function.getArgument(index).getType()].push_back(index);
    for (auto &[type, arguments] : donors)
      if (failed(match(type, arguments)))
        return failure();
    return success();
  }

  StateArguments take() { return std::move(found); }

private:
  InFlightDiagnostic fail(unsigned argument) {
    bool exists = argument < function.getNumArguments();
    return mlir::emitError(exists ? function.getArgument(argument).getLoc() : function.getLoc());
  }

  Value getReturned(unsigned result) {
    return function.getBody().front().getTerminator()->getOperand(result);
  }

  SmallVector<unsigned> getFree(Type type) {
    SmallVector<unsigned> results;
    for (unsigned index = 0; index < function.getNumResults(); ++index)
      if (function.getResultTypes()[index] == type && !taken.contains(index))
        results.push_back(index);
    return results;
  }

  /// As many of both are matched in order, as JAX flattens what it is given and what it returns,
  /// where each result depends on its argument. Otherwise each donor by what it is updated into.
  LogicalResult match(Type type, ArrayRef<unsigned> arguments) {
    SmallVector<unsigned> results = getFree(type);
    if (results.empty()) // memory that is given away, such as that of a batch
      return success();
    bool isInOrder = arguments.size() == results.size() &&
                     llvm::all_of(llvm::zip(arguments, results), [&](auto pair) {
                       return findSources(getReturned(std::get<1>(pair)))
                           .contains(function.getArgument(std::get<0>(pair)));
                     });
    if (isInOrder) {
      for (auto [argument, result] : llvm::zip_equal(arguments, results))
        if (failed(add(argument, result, kDonor)))
          return failure();
      return success();
    }
    for (unsigned argument : arguments)
      if (failed(matchByUpdate(argument, results)))
        return failure();
    return success();
  }

  LogicalResult matchByUpdate(unsigned argument, ArrayRef<unsigned> results) {
    SmallVector<unsigned> updates;
    for (unsigned result : results)
      if (isUpdateOf(getReturned(result), function.getArgument(argument)))
        updates.push_back(result);
    if (updates.size() == 1)
      return add(argument, updates.front(), kDonor);
    return fail(argument) << "argument " << argument << " is donated, and " << updates.size()
                          << " of the " << results.size() << " results of its type "
                          << function.getArgument(argument).getType()
                          << " are updates of it; say which with variables=" << argument
                          << ":RESULT";
  }

  func::FuncOp function;
  StateArguments found;
  llvm::DenseSet<unsigned> taken;
};
} // namespace

FailureOr<StateArguments> stablehlo::findStateArguments(func::FuncOp function,
                                                        ArrayRef<std::string> given) {
  Search search(function);
  for (const std::string &entry : given)
    if (failed(search.addGiven(entry)))
      return failure();
  if (failed(search.addAliases()) || failed(search.addDonors()))
    return failure();
  return search.take();
}
