// Compares how operations convert their operands with what Shardy does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/ShardingRules.h"
#include "lib/layout/Transfer.h"
#include "test/lib/layout/ShardyFiles.h"

#include "llvm/ADT/StringExtras.h"

using namespace tutti;
using namespace tutti::test;

namespace {

/// "Replicate", "Shard(0)", and "Shard(0) of 4" of each of 4 ranges.
Layout readLayout(llvm::StringRef text) {
  int64_t dimension = 0, outer = 1;
  if (!text.consume_front("Shard(") || text.consumeInteger(10, dimension))
    return Layout::replicate();
  if (text.consume_front(") of "))
    text.consumeInteger(10, outer);
  return Layout::shard(dimension, 0, outer);
}

std::string spell(const Layout &layout) {
  std::string text = spellLayout(layout);
  return layout.outer == 1 ? text : text + " of " + std::to_string(layout.outer);
}

std::string spell(llvm::ArrayRef<Layout> layouts) {
  auto spellOne = [](const Layout &layout) { return spell(layout); };
  return llvm::join(llvm::map_range(layouts, spellOne), ", ");
}

class ShardyReshards : public ShardyFiles {
protected:
  /// As what `op` takes operands that arguments of `test` are, or constants, on the ranks along
  /// `axis`, and what its results are then.
  static std::string getLayouts(mlir::func::FuncOp test, mlir::Operation *op, mlir::StringAttr axis,
                                int64_t ranks) {
    llvm::SmallVector<Layout> given;
    for (mlir::Value operand : op->getOperands()) {
      auto argument = mlir::dyn_cast<mlir::BlockArgument>(operand);
      auto text = argument ? test.getArgAttrOfType<mlir::StringAttr>(
                                 argument.getArgNumber(), ("shardy." + axis.getValue()).str())
                           : mlir::StringAttr();
      given.push_back(readLayout(text ? text.getValue() : ""));
    }
    auto rule = findShardingRule(op);
    if (failed(rule))
      return "none";
    Transfer found = transfer(op, *rule, given, ranks);
    return spell(found.operands) + " -> " + spell(found.results);
  }
};

/// Along each axis by itself, operands are converted as in Shardy, and the result lies as in Shardy
/// before its own conversion. Otherwise the file says how the two differ, and why.
TEST_F(ShardyReshards, Same) {
  unsigned same = 0, different = 0;
  forEachTest("reshards", [&](mlir::func::FuncOp test) {
    auto axes = test->getAttrOfType<mlir::DictionaryAttr>("shardy.axes");
    test.walk([&](mlir::Operation *op) {
      auto theirs = op->getAttrOfType<mlir::DictionaryAttr>("shardy.layouts");
      if (!theirs)
        return;
      auto ours = op->getAttrOfType<mlir::DictionaryAttr>("tutti.layouts");
      for (mlir::NamedAttribute each : theirs) {
        int64_t ranks = axes.getAs<mlir::IntegerAttr>(each.getName()).getInt();
        auto expected = mlir::cast<mlir::StringAttr>(each.getValue());
        auto named = ours ? ours.getAs<mlir::StringAttr>(each.getName()) : mlir::StringAttr();
        std::string found = getLayouts(test, op, each.getName(), ranks);
        std::string where = test.getName().str() + " along " + each.getName().str();
        EXPECT_EQ(found, (named ? named : expected).str()) << where;
        EXPECT_NE(named, expected) << where;
      }
      EXPECT_EQ(!ours, getText(op, "tutti.because").empty()) << test.getName().str();
      ++(ours ? different : same);
    });
  });
  EXPECT_EQ(same, 61u);
  EXPECT_EQ(different, 64u);
}

} // namespace
