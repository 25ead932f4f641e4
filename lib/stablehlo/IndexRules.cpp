// Rules for gather and scatter: tables whose rows samples ask for, and add to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/stablehlo/Ops.h"
#include "lib/stablehlo/Rules.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tutti::stablehlo;

namespace {
/// What gather and scatter call differently and mean alike: a table, indices into it, and windows
/// of it, one for each index.
struct Lookup {
  SmallVector<int64_t> windowDims;      ///< of the windows: those within one window
  SmallVector<int64_t> droppedDims;     ///< of the table: of size one in a window, left out
  SmallVector<int64_t> tableBatching;   ///< of the table: the index beside it says which
  SmallVector<int64_t> indicesBatching; ///< of the indices, in the same order
  SmallVector<int64_t> indexed;         ///< of the table: what an index is of
  int64_t vectorDim = -1;               ///< of the indices: the numbers of one index

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

  bool isPaired() const { return tableBatching.size() == indicesBatching.size(); }

  /// The dimension of the windows that is `axis` of the indices.
  int64_t toWindows(int64_t axis) const {
    int64_t place = axis - (axis > vectorDim);
    for (int64_t at = 0;; ++at)
      if (!llvm::is_contained(windowDims, at) && place-- == 0)
        return at;
  }
  /// The dimension of the indices that is `axis` of the windows, which is within no window.
  int64_t toIndices(int64_t axis) const {
    int64_t place = 0;
    for (int64_t at = 0; at < axis; ++at)
      place += !llvm::is_contained(windowDims, at);
    return place + (place >= vectorDim);
  }
  /// The dimension of the windows that is `axis` of the table, of which windows have all; -1 if
  /// they leave it out.
  int64_t toWithinWindows(int64_t axis) const {
    if (llvm::is_contained(droppedDims, axis) || llvm::is_contained(tableBatching, axis))
      return -1;
    int64_t place = 0;
    for (int64_t at = 0; at < axis; ++at)
      place += !llvm::is_contained(droppedDims, at) && !llvm::is_contained(tableBatching, at);
    return place < static_cast<int64_t>(windowDims.size()) ? windowDims[place] : -1;
  }
  /// The dimension of the indices beside `axis` of the table; -1 if there is none.
  int64_t besideTable(int64_t axis) const {
    const auto *found = llvm::find(tableBatching, axis);
    return found == tableBatching.end() ? -1 : indicesBatching[found - tableBatching.begin()];
  }
  /// The dimension of the table beside `axis` of the indices; -1 if there is none.
  int64_t besideIndices(int64_t axis) const {
    const auto *found = llvm::find(indicesBatching, axis);
    return found == indicesBatching.end() ? -1 : tableBatching[found - indicesBatching.begin()];
  }
};

/// How table, indices and windows lie together.
struct Places {
  Form table, indices, windows;
};
} // namespace

static const char *const kUnpaired = "has batching dimensions without one on the other side";
static const char *const kOtherSamples =
    "may take rows of other samples: of a table that holds samples, dimension 0 must be a batching "
    "dimension or whole in every window";

/// How the three lie where the samples are along `axis` of the indices.
static Places placeByIndices(const Lookup &lookup, int64_t axis) {
  int64_t table = lookup.besideIndices(axis);
  return {table < 0 ? Form::whole() : Form::part(table), Form::part(axis),
          Form::part(lookup.toWindows(axis))};
}

/// How they lie where the samples are along `axis` of the table; nothing if windows mix them.
static std::optional<Places> placeByTable(const Lookup &lookup, int64_t axis) {
  if (int64_t beside = lookup.besideTable(axis); beside >= 0)
    return placeByIndices(lookup, beside);
  int64_t within = lookup.toWithinWindows(axis);
  if (within < 0 || llvm::is_contained(lookup.indexed, axis))
    return std::nullopt;
  return Places{Form::part(axis), Form::whole(), Form::part(within)};
}

/// A whole may become a part; a part must be the one that is wanted.
static bool fits(const Form &form, const Form &wanted) { return form.isWhole() || form == wanted; }

std::optional<Rule> tutti::stablehlo::findGatherRule(Question &question) {
  Lookup lookup = Lookup::ofGather(question.op);
  if (!lookup.isPaired())
    return question.refuse(kUnpaired);
  std::optional<Places> places;
  if (question.forms[1].isPart())
    places = placeByIndices(lookup, question.forms[1].axis);
  else
    places = placeByTable(lookup, question.forms[0].axis);
  if (question.forms[1].isPart() && question.forms[1].axis == lookup.vectorDim)
    return question.refuse("has indices whose numbers lie on different ranks");
  if (!places || !fits(question.forms[0], places->table) ||
      !fits(question.forms[1], places->indices))
    return question.refuse(kOtherSamples);
  question.forms = {places->table, places->indices};
  return question.give(places->windows);
}

/// By the windows that are scattered, where the indices say nothing.
static std::optional<Places> placeByWindows(const Lookup &lookup, RankedTensorType table,
                                            int64_t axis) {
  if (!llvm::is_contained(lookup.windowDims, axis))
    return placeByIndices(lookup, lookup.toIndices(axis));
  for (int64_t at = 0; at < table.getRank(); ++at)
    if (lookup.toWithinWindows(at) == axis)
      return placeByTable(lookup, at);
  return std::nullopt;
}

std::optional<Rule> tutti::stablehlo::findScatterRule(Question &question) {
  if (question.op->getNumOperands() != 3)
    return question.refuse("scatters several tensors at once");
  Lookup lookup = Lookup::ofScatter(question.op);
  if (!lookup.isPaired())
    return question.refuse(kUnpaired);
  auto &forms = question.forms;
  std::optional<Places> places;
  if (forms[1].isPart() && forms[1].axis != lookup.vectorDim)
    places = placeByIndices(lookup, forms[1].axis);
  else if (forms[2].isPart())
    places = placeByWindows(lookup, question.getType(0), forms[2].axis);
  else
    places = placeByTable(lookup, forms[0].axis);
  if (!places || !fits(forms[0], places->table) || !fits(forms[1], places->indices) ||
      !fits(forms[2], places->windows))
    return question.refuse(kOtherSamples);
  forms = {places->table, places->indices, places->windows};
  if (places->table.isPart())
    return question.give(places->table);
  if (getReduction(question.op->getRegion(0)) != "add")
    return question.refuse("writes rows for several samples with something else than add: ranks "
                           "would have to agree which of them stays");
  if (!isZero(question.op->getOperand(0)))
    return question.refuse("adds to a table that is not zero");
  return question.give(Form::partial("add"));
}
