// Where cuts and lists lie after a tensor changes its shape.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/ranks/RankLayouts.h"

using namespace mlir;
using namespace tutti;

/// Where the elements of dimension `dim` of a tensor lie after dimensions are collapsed, and how
/// many of them one of it became; nothing where they are no longer in one block.
static std::optional<std::pair<int64_t, int64_t>> collapse(tensor::CollapseShapeOp op,
                                                           int64_t dim) {
  for (auto [to, group] : llvm::enumerate(op.getReassociationIndices())) {
    if (!llvm::is_contained(group, dim))
      continue;
    int64_t length = 1;
    for (int64_t from : group) {
      int64_t size = op.getSrcType().getDimSize(from);
      if ((from < dim && size != 1) || (from > dim && ShapedType::isDynamic(size)))
        return std::nullopt;
      length *= from > dim ? size : 1;
    }
    return std::pair(int64_t(to), length);
  }
  return std::nullopt;
}

/// The same after they are expanded: the outermost of the new ones, and by how much it is shorter.
static std::optional<std::pair<int64_t, int64_t>> expand(tensor::ExpandShapeOp op, int64_t dim) {
  std::optional<std::pair<int64_t, int64_t>> found;
  for (int64_t to : op.getReassociationIndices()[dim]) {
    int64_t size = op.getResultType().getDimSize(to);
    if (!found && size == 1)
      continue;
    if (found && ShapedType::isDynamic(size))
      return std::nullopt;
    if (found)
      found->second *= size;
    else
      found = {to, 1};
  }
  return found;
}

/// Changes the dimensions of cuts and of a list as `op` does; what does not fit is not known.
static void reshape(Place &place, Operation *op) {
  auto move = [&](int64_t dim) -> std::optional<std::pair<int64_t, int64_t>> {
    if (auto collapsed = dyn_cast<tensor::CollapseShapeOp>(op))
      return collapse(collapsed, dim);
    return expand(cast<tensor::ExpandShapeOp>(op), dim);
  };
  for (Cut &cut : place.cuts)
    if (auto moved = move(cut.dim))
      cut.dim = moved->first;
    else
      place.kind = Place::Unclear;
  if (!place.list)
    return;
  auto moved = move(place.list->dim);
  bool isLonger = isa<tensor::CollapseShapeOp>(op);
  int64_t &length = place.list->length;
  if (!moved || (!isLonger && length % moved->second != 0))
    return place.list.reset();
  place.list->dim = moved->first;
  if (!ShapedType::isDynamic(length))
    length = isLonger ? length * moved->second : length / moved->second;
}

/// A row of a part is a part of the row only where nothing was filled in and the part is of the
/// first dimension.
static void changeRow(Place &place, Operation *op) {
  auto from = cast<ShapedType>(op->getOperand(0).getType());
  auto to = cast<ShapedType>(op->getResult(0).getType());
  bool isWhole =
      from.hasStaticShape() && to.hasStaticShape() && from.getNumElements() == to.getNumElements();
  bool isFirst = llvm::all_of(place.cuts, [](const Cut &cut) { return cut.dim == 0; });
  if (place.kind == Place::Shard && !(isWhole && isFirst))
    place.kind = Place::Unclear;
  bool keepsRows = from.getRank() == 1 && to.getRank() > 0 && isWhole;
  if (place.list && from.getRank() != 1 && keepsRows)
    place.list.reset();
  else if (place.list && !(isWhole && place.list->dim == 0))
    place.list.reset();
  else if (place.list && from != to) { // in elements, or in rows of them
    int64_t &length = place.list->length;
    int64_t row = to.getRank() == 1
                      ? from.getNumElements() / std::max<int64_t>(from.getDimSize(0), 1)
                      : to.getNumElements() / std::max<int64_t>(to.getDimSize(0), 1);
    if (ShapedType::isDynamic(length) || row == 0 || (to.getRank() != 1 && length % row != 0))
      return place.list.reset();
    length = to.getRank() == 1 ? length * row : length / row;
  }
}

bool RankLayouts::placePassing(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return false;
  Place place = getPlace(op->getOperand(0));
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
    reshape(place, op);
  else if (changesRow(op))
    changeRow(place, op);
  else if (isa<tensor::SplatOp>(op))
    place.isEven = place.kind == Place::Replicate;
  else if (!isa<tensor::CastOp>(op))
    return false;
  setPlace(op->getResult(0), std::move(place));
  return true;
}
