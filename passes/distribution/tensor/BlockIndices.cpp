// Recognises the indices of a block that a lookup in parts, or a gradient in parts, was given.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/distribution/tensor/Vocabulary.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;

namespace {
/// Reads what Writer::blockIndices writes.
class IndexMatcher {
public:
  std::optional<BlockIndices> match(Value places) {
    auto isRow = operands<onnx::WhereOp>(places, 3);
    if (isRow.empty())
      return std::nullopt;
    found.indices = isRow[2];
    auto own = operands<onnx::WhereOp>(isRow[1], 3);
    auto place = own.empty() ? own : operands<onnx::SubOp>(own[1], 2);
    std::optional<int64_t> size = own.empty() ? std::nullopt : number(own[2]);
    if (place.empty() || !size || *size < 1)
      return std::nullopt;
    found.rows = *size;
    found.own = {isRow[1].getDefiningOp(), own[1].getDefiningOp(), places.getDefiningOp()};
    auto piece = place[1].getDefiningOp<train::PieceOp>();
    if (!piece || !isStarts(piece) || !isWithin(own[0], own[1], found.rows, /*isOwn=*/true) ||
        !isWithin(isRow[0], place[0], end, false) || !isRowOfTable(place[0]))
      return std::nullopt;
    found.rank = piece.getIndex();
    found.count = piece.getCount();
    found.own.push_back(piece);
    return found;
  }

private:
  template <typename Op> SmallVector<Value> operands(Value value, size_t count) {
    auto op = value.getDefiningOp<Op>();
    return op && op->getNumOperands() == count ? SmallVector<Value>(op->getOperands())
                                               : SmallVector<Value>();
  }
  static std::optional<int64_t> number(Value value) {
    DenseIntElementsAttr all;
    return matchPattern(value, m_Constant(&all)) && all.getType().getRank() == 0
               ? std::optional(all.getSplatValue<APInt>().getSExtValue())
               : std::nullopt;
  }
  /// The first rows of all blocks.
  bool isStarts(train::PieceOp piece) {
    DenseIntElementsAttr all;
    if (piece.getAxis() != 0 || !matchPattern(piece.getWhole(), m_Constant(&all)) ||
        all.getType().getRank() != 1)
      return false;
    end = 0;
    for (const APInt &start : all.getValues<APInt>())
      if (start.getSExtValue() == end)
        end += found.rows;
      else
        return false;
    return true;
  }
  /// Whether `truth` is 0 <= value < limit.
  bool isWithin(Value truth, Value value, int64_t limit, bool isOwn) {
    auto both = operands<onnx::AndOp>(truth, 2);
    if (both.empty())
      return false;
    auto first = operands<onnx::GreaterOrEqualOp>(both[0], 2);
    auto second = operands<onnx::LessOp>(both[1], 2);
    bool isSame = !first.empty() && !second.empty() && first[0] == value && second[0] == value &&
                  number(first[1]) == 0 && number(second[1]) == limit;
    if (isOwn)
      for (Value part : {truth, both[0], both[1]})
        found.own.push_back(part.getDefiningOp());
    return isSame;
  }
  /// An index counts from the end where it is negative.
  bool isRowOfTable(Value row) {
    auto choice = operands<onnx::WhereOp>(row, 3);
    auto isNegative = choice.empty() ? choice : operands<onnx::LessOp>(choice[0], 2);
    auto fromEnd = choice.empty() ? choice : operands<onnx::AddOp>(choice[1], 2);
    return !isNegative.empty() && !fromEnd.empty() && choice[2] == found.indices &&
           isNegative[0] == found.indices && number(isNegative[1]) == 0 &&
           fromEnd[0] == found.indices && number(fromEnd[1]) == end;
  }

  BlockIndices found;
  int64_t end = 0;
};
} // namespace

std::optional<BlockIndices> tutti::distribution::matchBlockIndices(Value places) {
  return IndexMatcher().match(places);
}
