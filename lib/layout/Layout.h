// What a value is across the parts of a batch, or across ranks: one word, and where it applies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_LAYOUT_LAYOUT_H
#define TUTTI_LIB_LAYOUT_LAYOUT_H

#include "dialects/interfaces/ranks/Communication.h"

#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "llvm/ADT/APFloat.h"

#include <string>
#include <utility>

namespace tutti {

/// By how much a part's value is too large, as powers: it is divided by the part's share of the
/// batch (its samples over all samples, 1/N where N parts are equal) to the power `share`, and
/// multiplied by the turns of a loop over micro-batches to the power `turns`.
///
/// In the body of such a loop a part is what one rank takes in one turn. A number of ranks K times
/// too small for it is then {1, -1}: the parts are N K. Outside of loops `turns` is 0.
struct Scale {
  int share = 0, turns = 0;

  Scale(int share = 0, int turns = 0) : share(share), turns(turns) {}
  Scale operator+(const Scale &other) const { return {share + other.share, turns + other.turns}; }
  Scale operator-() const { return {-share, -turns}; }
  bool operator==(const Scale &other) const { return share == other.share && turns == other.turns; }
  bool operator!=(const Scale &other) const { return !(*this == other); }
  bool operator<(const Scale &other) const {
    return std::make_pair(share, turns) < std::make_pair(other.share, other.turns);
  }
};

/// How the value that one device has is spread over the parts of one axis. The words are those of
/// the field (DTensor, Shardy):
/// - Replicate: every part has the value.
/// - Shard(dimension): each part has its piece. The dimension is `outer` * axis * `inner` elements
///   long: samples lie `inner` elements apart, and `outer` times all of them one after the other.
/// - Partial(reduction): each part has a value of its shape, and their reduction is the value.
/// - Own: parts differ in a way that nobody knows.
///
/// The mean over its own samples that each part takes is Partial(sum) of scale 1: weighted by the
/// shares, the means add up to the mean over all samples. Scale says what else the value of a part
/// is multiplied by.
struct Layout {
  enum class Kind { Replicate, Shard, Partial, Own };
  Kind kind = Kind::Replicate;
  int64_t dimension = -1;               ///< of Shard
  int64_t outer = 1, inner = 1;         ///< of Shard
  Reduction reduction = Reduction::Sum; ///< of Partial: Sum, Max or Min
  Scale scale;

  static Layout replicate(Scale scale = {}) {
    Layout layout;
    layout.scale = scale;
    return layout;
  }
  static Layout shard(int64_t dimension, Scale scale = {}, int64_t outer = 1, int64_t inner = 1) {
    return {Kind::Shard, dimension, outer, inner, Reduction::Sum, scale};
  }
  static Layout partial(Reduction reduction, Scale scale = {}) {
    return {Kind::Partial, -1, 1, 1, reduction, scale};
  }
  static Layout own() { return {Kind::Own, -1, 1, 1, Reduction::Sum, {}}; }

  bool isReplicate() const { return kind == Kind::Replicate; }
  bool isShard() const { return kind == Kind::Shard; }
  bool isPartial() const { return kind == Kind::Partial; }
  bool isOwn() const { return kind == Kind::Own; }
  bool isSum() const { return isPartial() && reduction == Reduction::Sum; }
  /// Equal on all parts, and the value itself.
  bool isWhole() const { return isReplicate() && scale == 0; }

  /// Whether it is `other` as well: what all parts have is the mean over them.
  bool isAlso(const Layout &other) const {
    return *this == other || (isReplicate() && other.isSum() && other.scale == scale + 1);
  }

  Layout withScale(Scale wanted) const {
    Layout layout = *this;
    layout.scale = wanted;
    return layout;
  }
  bool operator==(const Layout &other) const {
    return kind == other.kind && dimension == other.dimension && outer == other.outer &&
           inner == other.inner && reduction == other.reduction && scale == other.scale;
  }
  bool operator!=(const Layout &other) const { return !(*this == other); }
};

/// The Shard in which `shard`, of a tensor of the shape `from`, lies once its elements have got the
/// shape `to`, in row-major order: as many elements apart as before. None where the axis is cut
/// into several dimensions. The axis is `length` long, or of open size, as are the dimensions then
/// that hold it. With a length of 1 a dimension of its own is preferred, then one that it is
/// outermost in.
std::optional<Layout> reshapeShard(const Layout &shard, llvm::ArrayRef<int64_t> from,
                                   llvm::ArrayRef<int64_t> to,
                                   int64_t length = mlir::ShapedType::kDynamic);

/// "Replicate", "Shard(0)", "Partial(sum)", "Own"; a scale that is not 0 follows as "x share^-1".
std::string spellLayout(const Layout &layout);

/// Whether `number`, by which a program corrects a scale, is `value` rounded to its type: a third
/// is no third in any.
bool isRounded(const llvm::APFloat &number, double value);

/// What a value is to the samples of a batch: "split", "sum", "mean", "max", "min", "whole", or
/// "mixed" for what is none of these.
llvm::StringRef spellRole(const Layout &layout);

} // namespace tutti

#endif // TUTTI_LIB_LAYOUT_LAYOUT_H
