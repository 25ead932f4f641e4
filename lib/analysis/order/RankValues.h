// The values that one rank knows while its program is evaluated.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_LIB_ANALYSIS_ORDER_RANKVALUES_H
#define TUTTI_LIB_ANALYSIS_ORDER_RANKVALUES_H

#include "dialects/collective/Collective.h"
#include "lib/analysis/order/RankSets.h"
#include "llvm/ADT/DenseMap.h"

namespace tutti {

/// Known values as attributes. A value without one is data.
class RankValues {
public:
  RankValues(int64_t rank, RankSets &sets) : rank(rank), sets(sets) {}

  mlir::Attribute get(mlir::Value value) const { return known.lookup(value); }
  /// As a signed number, where it has no more than 64 bits.
  std::optional<int64_t> getInteger(mlir::Value value) const;
  /// As it is, for who knows whether it has a sign.
  std::optional<llvm::APInt> getBits(mlir::Value value) const;
  void set(mlir::Value value, mlir::Attribute attribute);
  void setInteger(mlir::Value value, int64_t integer);
  void forget(mlir::ValueRange values);
  /// Each target becomes what the source with its number is, all at once.
  void assign(mlir::ValueRange targets, mlir::ValueRange sources);

  /// Computes the results of an operation without regions, as far as its operands are known.
  void compute(mlir::Operation *op);

  /// This rank's set of the group; nothing if that is not known.
  std::optional<RankSet> getSet(mlir::Operation *user, mlir::FlatSymbolRefAttr group) const;
  /// A group that is made of these world ranks now; empty for ranks outside it.
  void makeGroup(mlir::StringAttr name, std::optional<llvm::SmallVector<int64_t>> ranks);
  const RankSets &getSets() const { return sets; }

private:
  std::optional<int64_t> answer(mlir::Operation *question) const;

  int64_t rank;
  RankSets &sets;
  llvm::DenseMap<mlir::Value, mlir::Attribute> known;
  llvm::DenseMap<mlir::StringAttr, std::optional<RankSet>> made;
};

} // namespace tutti

#endif // TUTTI_LIB_ANALYSIS_ORDER_RANKVALUES_H
