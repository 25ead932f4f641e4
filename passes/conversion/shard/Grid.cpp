// Arithmetic of grids: strides, sets of ranks along axes, and the way back from sets to axes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/conversion/shard/Grid.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::conversion;
using shard::GridAxis;

int64_t Grid::getSize() const {
  int64_t size = 1;
  for (int64_t length : shape)
    size *= length;
  return size;
}

int64_t Grid::getSize(Axes axes) const {
  int64_t size = 1;
  for (GridAxis axis : axes)
    size *= shape[axis];
  return size;
}

int64_t Grid::getStride(GridAxis axis) const {
  int64_t stride = 1;
  for (int64_t length : ArrayRef(shape).drop_front(axis + 1))
    stride *= length;
  return stride;
}

/// The ranks that `first` becomes by steps along `axes`, the last of which runs fastest.
static SmallVector<int64_t> getSetFrom(const Grid &grid, Grid::Axes axes, int64_t first) {
  SmallVector<int64_t> set = {first};
  for (GridAxis axis : axes) {
    SmallVector<int64_t> longer;
    for (int64_t rank : set)
      for (int64_t step = 0; step < grid.getShape()[axis]; ++step)
        longer.push_back(rank + step * grid.getStride(axis));
    set = std::move(longer);
  }
  return set;
}

Grid::Sets Grid::getSets(Axes axes) const {
  Sets sets;
  for (int64_t rank = 0; rank < getSize(); ++rank) {
    bool isFirst = llvm::all_of(
        axes, [&](GridAxis axis) { return rank / getStride(axis) % shape[axis] == 0; });
    if (isFirst)
      sets.push_back(getSetFrom(*this, axes, rank));
  }
  return sets;
}

std::optional<SmallVector<GridAxis>> Grid::findAxes(const Sets &sets) const {
  SmallVector<GridAxis> all = llvm::to_vector(llvm::seq<GridAxis>(0, shape.size()));
  // Every arrangement of every choice of axes; grids have few. The natural order comes first.
  do {
    for (size_t count = 0; count <= all.size(); ++count) {
      ArrayRef<GridAxis> axes = ArrayRef(all).take_front(count);
      if (getSets(axes) == sets)
        return SmallVector<GridAxis>(axes);
    }
  } while (std::next_permutation(all.begin(), all.end()));
  return std::nullopt;
}

int64_t Grid::linearize(ArrayRef<int64_t> indices, Axes axes) const {
  int64_t place = 0;
  for (auto [index, axis] : llvm::zip(indices, axes))
    place = place * shape[axis] + index;
  return place;
}

//===----------------------------------------------------------------------===//
// Sets and members
//===----------------------------------------------------------------------===//

/// The sets that `members` makes; nothing if that is known only at run time.
static std::optional<Grid::Sets> getSets(collective::MembersAttrInterface members, int64_t size) {
  Grid::Sets sets;
  for (int64_t rank = 0; rank < size; ++rank) {
    std::optional<SmallVector<int64_t>> set = members.getSetOf(rank, size);
    if (!set)
      return std::nullopt;
    // At the first of its ranks that we meet.
    if (!set->empty() && *llvm::min_element(*set) == rank)
      sets.push_back(*set);
  }
  return sets;
}

std::optional<Grid::Sets> conversion::getSets(collective::GroupOp group, int64_t size) {
  if (group.getMembers())
    return ::getSets(*group.getMembers(), size);
  return Grid::Sets{llvm::to_vector(llvm::seq<int64_t>(0, size))};
}

collective::MembersAttrInterface conversion::getMembers(MLIRContext *context,
                                                        const Grid::Sets &sets, int64_t size) {
  if (sets.size() == 1 && llvm::equal(sets.front(), llvm::seq<int64_t>(0, size)))
    return {};
  int64_t length = sets.front().size(), stride = size / length;
  collective::MembersAttrInterface blocks = collective::BlocksAttr::get(context, length);
  if (::getSets(blocks, size) == sets)
    return blocks;
  collective::MembersAttrInterface strided = collective::StridedAttr::get(context, stride);
  if (::getSets(strided, size) == sets)
    return strided;
  auto lists = llvm::map_to_vector(
      sets, [&](ArrayRef<int64_t> set) { return DenseI64ArrayAttr::get(context, set); });
  return collective::RanksAttr::get(context, lists);
}
