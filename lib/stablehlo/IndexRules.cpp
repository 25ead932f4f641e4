// Rules of gather and scatter: tables whose rows samples ask for, and add to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/stablehlo/Families.h"
#include "lib/stablehlo/Ops.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::stablehlo;

namespace {
/// What gather and scatter call differently and mean alike: operand 0 is a table, another one has
/// indices into it, and there is a window of it for each index. Scatters of several tensors have as
/// many tables and windows, all shaped alike.
class Lookup {
public:
  static Lookup ofGather(Operation *op) {
    StringRef name = "dimension_numbers";
    return {getListIn(op, name, "offset_dims"), getListIn(op, name, "collapsed_slice_dims"),
            getListIn(op, name, "operand_batching_dims"),
            getListIn(op, name, "start_indices_batching_dims"),
            getIntegerIn(op, name, "index_vector_dim").value_or(0)};
  }
  static Lookup ofScatter(Operation *op) {
    StringRef name = "scatter_dimension_numbers";
    return {getListIn(op, name, "update_window_dims"), getListIn(op, name, "inserted_window_dims"),
            getListIn(op, name, "input_batching_dims"),
            getListIn(op, name, "scatter_indices_batching_dims"),
            getIntegerIn(op, name, "index_vector_dim").value_or(0)};
  }

  /// The tensors that are shaped as the table, and those that have the windows.
  struct Tensors {
    SmallVector<unsigned> tables, windows;
    unsigned indices;
  };

  /// `byIndex` is the kind of a dimension of indices alone.
  bool share(SharedFactors &factors, const Tensors &tensors, FactorKind byIndex) const {
    if (tableBatching.size() != indicesBatching.size())
      return false;
    shareIndices(factors, tensors, byIndex);
    shareWindows(factors, tensors);
    return true;
  }

  SmallVector<int64_t> windowDims;      ///< of the windows: those within one window
  SmallVector<int64_t> droppedDims;     ///< of the table: of size one in a window, left out
  SmallVector<int64_t> tableBatching;   ///< of the table: the index beside it says which
  SmallVector<int64_t> indicesBatching; ///< of the indices, in the same order
  int64_t vectorDim = -1;               ///< of the indices: the numbers of one index

private:
  /// Each window belongs to an index.
  void shareIndices(SharedFactors &factors, const Tensors &tensors, FactorKind byIndex) const {
    int64_t window = 0;
    for (int64_t at = 0, rank = factors.getType(tensors.indices).getRank(); at < rank; ++at) {
      if (at == vectorDim)
        continue;
      while (llvm::is_contained(windowDims, window))
        ++window;
      SmallVector<Place> places = {{tensors.indices, at}};
      addPlaces(places, tensors.windows, window++);
      const int64_t *beside = llvm::find(indicesBatching, at);
      bool isBatching = beside != indicesBatching.end();
      if (isBatching)
        addPlaces(places, tensors.tables, tableBatching[beside - indicesBatching.begin()]);
      factors.share(isBatching ? FactorKind::Pass : byIndex, places);
    }
  }

  /// Within windows are dimensions of the table; a part has its own of those of which a window has
  /// all. An index into such a dimension can only be 0, in a part as in the whole.
  void shareWindows(SharedFactors &factors, const Tensors &tensors) const {
    const int64_t *window = windowDims.begin();
    for (int64_t at = 0, rank = factors.getType(0).getRank(); at < rank; ++at) {
      if (llvm::is_contained(droppedDims, at) || llvm::is_contained(tableBatching, at) ||
          window == windowDims.end())
        continue;
      SmallVector<Place> places;
      addPlaces(places, tensors.windows, *window++);
      addPlaces(places, tensors.tables, at);
      factors.share(FactorKind::Pass, places);
    }
  }

  static void addPlaces(SmallVector<Place> &places, ArrayRef<unsigned> tensors, int64_t dimension) {
    for (unsigned tensor : tensors)
      places.push_back({tensor, dimension});
  }
};
} // namespace

bool stablehlo::shareGather(Operation *op, SharedFactors &factors) {
  return op->getNumOperands() == 2 &&
         Lookup::ofGather(op).share(factors, {{0}, {factors.getResult()}, 1}, FactorKind::Pass);
}

/// Rows that several samples write are sums if they are added up; else the last one would stay.
bool stablehlo::shareScatter(Operation *op, SharedFactors &factors) {
  unsigned count = op->getNumResults();
  if (op->getNumOperands() != 2 * count + 1)
    return false;
  Lookup::Tensors tensors{{}, {}, count};
  for (unsigned i = 0; i < count; ++i) {
    tensors.tables.append({i, factors.getResult(i)});
    tensors.windows.push_back(count + 1 + i);
  }
  bool addsUp = getReduction(op->getRegion(0), count) == "add";
  return Lookup::ofScatter(op).share(factors, tensors,
                                     addsUp ? FactorKind::Sum : FactorKind::Whole);
}
