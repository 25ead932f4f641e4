// Rules of gather and scatter: tables whose rows samples ask for, and add to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/stablehlo/Families.h"
#include "lib/stablehlo/Ops.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::stablehlo;

namespace {
/// What gather and scatter call differently and mean alike: operand 0 is a table, operand 1 has
/// indices into it, and there is a window of it for each index.
class Lookup {
public:
  static Lookup ofGather(Operation *op) {
    StringRef name = "dimension_numbers";
    return {getListIn(op, name, "offset_dims"),
            getListIn(op, name, "collapsed_slice_dims"),
            getListIn(op, name, "operand_batching_dims"),
            getListIn(op, name, "start_indices_batching_dims"),
            getListIn(op, name, "start_index_map"),
            getIntegerIn(op, name, "index_vector_dim").value_or(0)};
  }
  static Lookup ofScatter(Operation *op) {
    StringRef name = "scatter_dimension_numbers";
    return {getListIn(op, name, "update_window_dims"),
            getListIn(op, name, "inserted_window_dims"),
            getListIn(op, name, "input_batching_dims"),
            getListIn(op, name, "scatter_indices_batching_dims"),
            getListIn(op, name, "scatter_dims_to_operand_dims"),
            getIntegerIn(op, name, "index_vector_dim").value_or(0)};
  }

  /// Windows are tensor 2; `tables` are those shaped as the table. `byIndex` is the kind of a
  /// dimension of indices alone.
  bool share(SharedFactors &factors, ArrayRef<unsigned> tables, FactorKind byIndex) const {
    if (tableBatching.size() != indicesBatching.size())
      return false;
    shareIndices(factors, tables, byIndex);
    shareWindows(factors, tables);
    return true;
  }

  SmallVector<int64_t> windowDims;      ///< of the windows: those within one window
  SmallVector<int64_t> droppedDims;     ///< of the table: of size one in a window, left out
  SmallVector<int64_t> tableBatching;   ///< of the table: the index beside it says which
  SmallVector<int64_t> indicesBatching; ///< of the indices, in the same order
  SmallVector<int64_t> indexed;         ///< of the table: what an index is of
  int64_t vectorDim = -1;               ///< of the indices: the numbers of one index

private:
  /// Each window belongs to an index.
  void shareIndices(SharedFactors &factors, ArrayRef<unsigned> tables, FactorKind byIndex) const {
    int64_t window = 0;
    for (int64_t at = 0, rank = factors.getType(1).getRank(); at < rank; ++at) {
      if (at == vectorDim)
        continue;
      while (llvm::is_contained(windowDims, window))
        ++window;
      SmallVector<Place> places = {{1, at}, {2, window++}};
      const int64_t *beside = llvm::find(indicesBatching, at);
      bool isBatching = beside != indicesBatching.end();
      for (unsigned table : isBatching ? tables : ArrayRef<unsigned>())
        places.push_back({table, tableBatching[beside - indicesBatching.begin()]});
      factors.share(isBatching ? FactorKind::Pass : byIndex, places);
    }
  }

  /// Within windows are dimensions of the table; a part has its own of those that no index is of.
  void shareWindows(SharedFactors &factors, ArrayRef<unsigned> tables) const {
    const int64_t *window = windowDims.begin();
    for (int64_t at = 0, rank = factors.getType(0).getRank(); at < rank; ++at) {
      if (llvm::is_contained(droppedDims, at) || llvm::is_contained(tableBatching, at) ||
          window == windowDims.end())
        continue;
      SmallVector<Place> places = {{2, *window++}};
      for (unsigned table : tables)
        places.push_back({table, at});
      if (!llvm::is_contained(indexed, at))
        factors.share(FactorKind::Pass, places);
    }
  }
};
} // namespace

bool stablehlo::shareGather(Operation *op, SharedFactors &factors) {
  return op->getNumOperands() == 2 && Lookup::ofGather(op).share(factors, {0}, FactorKind::Pass);
}

/// Rows that several samples write are sums if they are added up; else the last one would stay.
bool stablehlo::shareScatter(Operation *op, SharedFactors &factors) {
  bool addsUp = getReduction(op->getRegion(0)) == "add";
  return op->getNumOperands() == 3 &&
         Lookup::ofScatter(op).share(factors, {0, factors.getResult()},
                                     addsUp ? FactorKind::Sum : FactorKind::Whole);
}
