// The operations between what a value is to the samples of a batch and what its user needs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_DISTRIBUTION_SAMPLES_LAYOUTCHANGES_H
#define TUTTI_PASSES_DISTRIBUTION_SAMPLES_LAYOUTCHANGES_H

#include "lib/diagnostics/Refusal.h"
#include "lib/layout/Layout.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallVector.h"

namespace tutti::distribution {

/// Why a value cannot be had in another layout.
Refusal whyNotIn(mlir::Value value, const Layout &from, const Layout &to);

/// Whether ranks exchange samples, and not only sums, on the way.
inline bool movesSamples(const Layout &from, const Layout &to) {
  return from != to && (from.isShard() || to.isShard()) &&
         !(from.isShard() && to.isShard() && from.withScale(0) == to.withScale(0));
}

/// Whether `op` is what joins the samples of ranks, or cuts what is joined.
bool movesSamples(mlir::Operation *op);

/// Makes values in other layouts, each once, directly after what they are made of. All of it is the
/// identity on one device.
class LayoutChanges {
public:
  /// `value`, which lies as `from` says, as `to`. whyNotIn refuses nothing.
  mlir::Value get(mlir::Value value, const Layout &from, const Layout &to);

private:
  mlir::Value build(mlir::OpBuilder &builder, mlir::Value value, Layout from, const Layout &to);

  struct Known {
    Layout layout;
    mlir::Value value;
  };
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Known, 2>> known;
};

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_SAMPLES_LAYOUTCHANGES_H
