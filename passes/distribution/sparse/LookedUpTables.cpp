// Finds lookups through sums, scales and the loop over micro-batches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/sparse/SparseReduction.h"

#include "dialects/train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tutti;

namespace {

/// What is added up in a gradient.
class Terms {
public:
  explicit Terms(Value gradient) {
    open.insert(gradient);
    for (size_t next = 0; next < open.size(); ++next)
      visit(open[next]); // finds more
  }

  SmallVector<train::ScatterRowsOp> lookups;
  bool isAccumulated = false; ///< over micro-batches
  bool hasOthers = false;     ///< what is no lookup

private:
  void visit(Value value) {
    Operation *op = value.getDefiningOp();
    if (auto scatter = dyn_cast_or_null<train::ScatterRowsOp>(op))
      return addLookup(scatter);
    if (auto scale = dyn_cast_or_null<train::ScaleOp>(op))
      return void(open.insert(scale.getInput()));
    if (auto sum = dyn_cast_or_null<arith::AddFOp>(op))
      return open.insert(sum->operand_begin(), sum->operand_end());
    if (auto loop = dyn_cast_or_null<scf::ForOp>(op))
      return addLoop(loop, cast<OpResult>(value).getResultNumber());
    bool isCarried = !op && isa<scf::ForOp>(value.getParentBlock()->getParentOp());
    hasOthers |= !isCarried && !matchPattern(value, m_AnyZeroFloat());
  }

  /// Merged rows are those of all ranks: what takes them is reduced already.
  void addLookup(train::ScatterRowsOp scatter) {
    if (!scatter.getRows().getDefiningOp<train::MergeRowsOp>())
      lookups.push_back(scatter);
  }

  void addLoop(scf::ForOp loop, unsigned result) {
    isAccumulated = true;
    open.insert(loop.getYieldedValues()[result]);
  }

  llvm::SetVector<Value> open;
};

/// "node "a" looks" or "nodes "a" and "b" look".
std::string spellLookups(ArrayRef<train::ScatterRowsOp> lookups) {
  llvm::SetVector<StringRef> names;
  for (train::ScatterRowsOp lookup : lookups)
    if (auto named = lookup.getLoc()->findInstanceOf<NameLoc>())
      names.insert(named.getName());
  if (names.empty())
    return "something looks";
  std::string text = names.size() == 1 ? "node " : "nodes ";
  for (auto [i, name] : llvm::enumerate(names))
    text += (i == 0 ? "\"" : i + 1 == names.size() ? " and \"" : ", \"") + name.str() + "\"";
  return text + (names.size() == 1 ? " looks" : " look");
}

} // namespace

Refusal tutti::distribution::whyNoList(Value gradient) {
  Terms terms(gradient);
  if (terms.lookups.empty())
    return {};
  std::string who = spellLookups(terms.lookups) + " it up, and ";
  if (terms.isAccumulated)
    return who + "the rows of micro-batches are added up in a table";
  if (terms.lookups.size() > 1)
    return who + "the sum of several lists of rows is a table";
  return terms.hasOthers ? Refusal(who + "something else has a gradient of it too") : Refusal();
}
