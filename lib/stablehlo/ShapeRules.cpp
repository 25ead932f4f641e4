// Rules of operations that keep dimensions as they are, and what any operation is linear in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/stablehlo/Families.h"
#include "lib/stablehlo/Ops.h"
#include "lib/stablehlo/Rules.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::stablehlo;

/// Whether an attribute has `expected` at `place`; one that is not there has it everywhere.
static bool has(Operation *op, StringRef name, int64_t place, int64_t expected) {
  SmallVector<int64_t> numbers = getIntegers(op, name);
  return numbers.empty() ||
         (place < static_cast<int64_t>(numbers.size()) && numbers[place] == expected);
}

/// Whether a window takes one entry at a time and leaves all of them where they are.
static bool leavesAlone(Operation *op, int64_t axis) {
  return has(op, "window_dimensions", axis, 1) && has(op, "window_strides", axis, 1) &&
         has(op, "base_dilations", axis, 1) && has(op, "window_dilations", axis, 1) &&
         has(op, "padding", 2 * axis, 0) && has(op, "padding", 2 * axis + 1, 0);
}

bool stablehlo::keepsDimension(Operation *op, int64_t dimension) {
  StringRef kind = getKind(op);
  int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  if (kind == "chlo.top_k")
    return dimension < rank - 1;
  if (kind == "reverse")
    return !llvm::is_contained(getIntegers(op, "dimensions"), dimension);
  if (kind == "concatenate")
    return getInteger(op, "dimension") != dimension;
  if (kind == "sort") {
    int64_t sorted = getInteger(op, "dimension").value_or(-1);
    return dimension != (sorted < 0 ? sorted + rank : sorted);
  }
  if (kind == "pad")
    return has(op, "edge_padding_low", dimension, 0) &&
           has(op, "edge_padding_high", dimension, 0) && has(op, "interior_padding", dimension, 0);
  if (kind == "reduce_window" || kind == "select_and_scatter")
    return leavesAlone(op, dimension);
  if (kind == "cholesky" || kind == "triangular_solve")
    return dimension < rank - 2; // of matrices
  if (kind == "fft")
    return dimension < rank - static_cast<int64_t>(getIntegers(op, "fft_length").size());
  return true;
}

/// Whether the sum of what is converted is what is converted of the sum: no rounding.
static bool isWidening(Operation *op) {
  Type from = cast<RankedTensorType>(op->getOperand(0).getType()).getElementType(),
       to = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  if (isa<FloatType>(from) && isa<FloatType>(to))
    return to.getIntOrFloatBitWidth() >= from.getIntOrFloatBitWidth();
  return isa<IntegerType>(from) && !from.isInteger(1) && isa<IntegerType>(to) &&
         to.getIntOrFloatBitWidth() == from.getIntOrFloatBitWidth();
}

static bool isOfFloats(Operation *op) {
  return isa<FloatType, ComplexType>(
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
}

/// Operations that only move elements of their first operand, or change their sign.
static bool movesFirst(StringRef kind) {
  return llvm::is_contained({"negate", "real", "imag", "transpose", "broadcast_in_dim", "slice",
                             "reverse", "dynamic_slice", "gather"},
                            kind);
}

void stablehlo::addLinearSets(Operation *op, SharedFactors &factors) {
  StringRef kind = getKind(op);
  unsigned operands = op->getNumOperands();
  auto addsUp = [&] { return getReduction(op->getRegion(0), op->getNumResults()) == "add"; };
  if (movesFirst(kind) || (kind == "convert" && isWidening(op)) ||
      (kind == "divide" && isOfFloats(op)))
    factors.addLinear({0});
  else if (kind == "multiply" || kind == "dot" || kind == "dot_general" || kind == "convolution")
    factors.addLinear({0}), factors.addLinear({1});
  else if (kind == "concatenate" || kind == "optimization_barrier" ||
           (kind == "reduce" && addsUp()))
    factors.addLinear(llvm::to_vector(llvm::seq<unsigned>(0, operands)));
  else if (kind == "select")
    factors.addLinear({1, 2});
  else if (kind == "scatter" && addsUp())
    factors.addLinear(llvm::to_vector(llvm::make_filter_range(
        llvm::seq<unsigned>(0, operands), [&](unsigned i) { return i != operands / 2; })));
  else if (llvm::is_contained({"add", "subtract", "pad", "dynamic_update_slice"}, kind) ||
           (kind == "reduce_window" && operands == 2 && addsUp()))
    factors.addLinear({0, 1});
}
