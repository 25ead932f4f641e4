// Masks lookups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/PaddingRows.h"

#include "dialects/onnx/Onnx.h"
#include "dialects/train/DoubtfulVariables.h"
#include "lib/options/NameGlobs.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::gradient;

/// What is looked up, or zeros where the index is `row`.
static void maskLookup(onnx::GatherOp lookup, int64_t row) {
  OpBuilder builder(lookup->getContext());
  builder.setInsertionPointAfter(lookup);
  Location location = lookup.getLoc();
  auto scalar = [&](Type element, TypedAttr number) -> Value {
    auto type = RankedTensorType::get({}, element);
    return onnx::ConstantOp::create(builder, location,
                                    DenseElementsAttr::get(type, Attribute(number)));
  };
  Value indices = lookup.getIndices(), rows = lookup.getOutput();
  auto numbers = cast<RankedTensorType>(indices.getType());
  Type number = numbers.getElementType(), element = getElementTypeOrSelf(rows.getType());
  Value isPadding = onnx::EqualOp::create(builder, location, indices,
                                          scalar(number, builder.getIntegerAttr(number, row)));
  Value ofRow = onnx::UnsqueezeOp::create(builder, location, isPadding,
                                          builder.getDenseI64ArrayAttr(numbers.getRank()));
  Value masked = onnx::WhereOp::create(builder, location, ofRow,
                                       scalar(element, FloatAttr::get(element, 0.0)), rows);
  rows.replaceAllUsesExcept(masked, masked.getDefiningOp());
}

/// False if there is no lookup.
static bool maskLookups(Value table, int64_t row) {
  bool any = false;
  for (Operation *user : llvm::to_vector(table.getUsers())) {
    auto lookup = dyn_cast<onnx::GatherOp>(user);
    if (!lookup || lookup.getData() != table || lookup.getGatheredAxis() != 0)
      continue;
    maskLookup(lookup, row);
    any = true;
  }
  return any;
}

LogicalResult tutti::gradient::keepPaddingRows(ForwardFunction forward, ArrayRef<unsigned> trained,
                                               const Recipe &recipe) {
  auto zeroRows =
      forward.op()->getParentOfType<ModuleOp>()->getAttrOfType<DictionaryAttr>(train::kZeroRows);
  auto complain = [&](const Twine &problem) -> LogicalResult {
    return forward.op().emitError("recipe: ") << problem;
  };
  SmallVector<StringRef> all, tables;
  for (unsigned index = 0; index < forward.countVariables(); ++index) {
    all.push_back(forward.variable(index).getName());
    if (zeroRows && zeroRows.contains(all.back()))
      tables.push_back(all.back());
  }
  if (!recipe.padding.empty() && tables.empty())
    return complain("padding: there is no table that has one row of zeros and is looked up");
  auto padding = options::NameGlobs::create("padding", "table with a row of zeros", recipe.padding,
                                            tables, complain);
  SmallVector<std::string> chosen;
  llvm::copy_if(recipe.trainable, std::back_inserter(chosen),
                [](StringRef glob) { return glob != Recipe::trainableByDefault; });
  auto trainable = options::NameGlobs::create("trainable", "variable", chosen, all, complain);
  if (failed(padding) || failed(trainable))
    return failure();
  for (unsigned index : trained) {
    auto row = zeroRows ? zeroRows.getAs<IntegerAttr>(all[index]) : IntegerAttr();
    if (!row || trainable->matches(all[index]))
      continue;
    if (!padding->matches(all[index]))
      return complain("row " + Twine(row.getInt()) + " of the table '" + all[index] +
                      "' is zero, as PyTorch begins that of a padding_idx, which the file does not "
                      "say; padding=" +
                      all[index] + " keeps it, trainable=default," + all[index] +
                      " trains it as all others (docs/from-pytorch.md)");
    if (!maskLookups(forward.op().getArgument(index), row.getInt()))
      return complain("padding: the table '" + all[index] + "' is used, but not looked up");
  }
  return success();
}
