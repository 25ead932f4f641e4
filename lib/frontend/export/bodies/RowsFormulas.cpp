// Lists of rows of tables. An index that marks an unused entry is the number of rows of the table,
// so the table gets one row more, which is cut off again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/export/bodies/FormulaText.h"

#include "dialects/train/Train.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::frontend;

/// `places`: the indices `name`, those that count from the end too, as ScatterND wants them.
static void addPlaces(const Twine &name, int64_t rows, FormulaText &text) {
  text << "i = Cast<to = 7>(" + name + ")";
  text << "places = Unsqueeze(Where(Less(i, 0), i + " + Twine(rows) + ", i), [-1])";
}

/// `extra`: one row of zeros as the rows of `like` are.
static void addExtraRow(const Twine &like, FormulaText &text) {
  text << "row = Slice(Shape(" + like + "), [1], [9223372036854775807], [0])";
  text << "extra = Expand(CastLike(0.0, " + like + "), Concat<axis = 0>([1], row))";
}

static std::string firstRows(int64_t rows) { return "[0], [" + std::to_string(rows) + "], [0])"; }

static LogicalResult write(train::ScatterRowsOp op, FormulaText &text) {
  int64_t rows = tensorType(op.getTable()).getDimSize(0);
  addPlaces("x0", rows, text);
  addExtraRow("x1", text);
  text << "zeros = Expand(extra, Concat<axis = 0>([" + Twine(rows + 1) + "], row))";
  text << "all = ScatterND<reduction = \"add\">(zeros, places, x1)";
  text << "y0 = Slice(all, " + firstRows(rows);
  return success();
}

static LogicalResult write(train::GatherRowsOp, FormulaText &text) {
  addExtraRow("x0", text);
  text << "y0 = Gather<axis = 0>(Concat<axis = 0>(x0, extra), x1)";
  return success();
}

static LogicalResult write(train::ScatterUpdateRowsOp op, FormulaText &text) {
  int64_t rows = tensorType(op.getTable()).getDimSize(0);
  if (ShapedType::isDynamic(rows))
    return refuseExport(op, "the number of rows of the table varies");
  addPlaces("x1", rows, text);
  addExtraRow("x2", text);
  text << "all = ScatterND(Concat<axis = 0>(x2, extra), places, x0)";
  text << "y0 = Slice(all, " + firstRows(rows);
  return success();
}

LogicalResult tutti::frontend::writeRowsFormula(Operation *op, FormulaText &text) {
  if (isa<train::MergeRowsOp>(op))
    return refuseExport(op, "the rows that a batch touches are sorted, each rank its own; "
                            "distribute with sparse=dense");
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<train::ScatterRowsOp, train::GatherRowsOp, train::ScatterUpdateRowsOp>(
          [&](auto known) { return write(known, text); })
      .Default([](Operation *unknown) {
        return refuseExport(unknown, "no operators stand for it; export the program before the "
                                     "pass that made it");
      });
}
