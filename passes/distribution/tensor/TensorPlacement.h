// How the values of a step lie on neighbouring ranks, once some of its variables are cut.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_DISTRIBUTION_TENSOR_TENSORPLACEMENT_H
#define TUTTI_PASSES_DISTRIBUTION_TENSOR_TENSORPLACEMENT_H

#include "lib/layout/SumCut.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

namespace tutti::distribution {

/// Arguments of a step by number, and the dimension along which each is cut.
using CutArguments = std::map<unsigned, int64_t>;

/// The place from which `value`, if it shall be cut along `dimension`, can be cut: an argument and
/// its dimension, through operations of one tensor such as transposes. None if there is none.
std::optional<std::pair<mlir::BlockArgument, int64_t>> findCutArgument(mlir::Value value,
                                                                       int64_t dimension);

/// A forward analysis of the block of `step`, whose variables `cut` are in `parts` blocks.
/// Variables that are used in parts join `cut`. Products with a summand are written as product and
/// addition where they are cut along what they sum over, and sums of summands are added before what
/// is whole.
class TensorPlacement : public PlacedValues {
public:
  TensorPlacement(mlir::func::FuncOp step, int64_t parts, CutArguments cut)
      : step(step), parts(parts), cut(std::move(cut)) {}

  /// Places all values, as often as variables join. Fails, with an error, where a step communicates
  /// in a way that is not known.
  llvm::LogicalResult place();

  Layout getLayout(mlir::Value value) const override { return layouts.lookup(value); }
  const Transfer *getTransfer(mlir::Operation *op) const override;

  const CutArguments &getCut() const { return cut; }
  int64_t getParts() const { return parts; }

  /// Values in parts that something takes whole: each with the first that does.
  struct Gather {
    mlir::Value value;
    mlir::Operation *user;
  };
  llvm::SmallVector<Gather> findGathers();

private:
  llvm::LogicalResult placeOnce();
  llvm::LogicalResult placeOp(mlir::Operation *&op);
  Transfer findTransfer(mlir::Operation *op, llvm::ArrayRef<Layout> given);
  Transfer exchange(mlir::Operation *op, llvm::ArrayRef<Layout> given) const;
  Transfer measure(mlir::Operation *op, llvm::ArrayRef<Layout> given) const;
  mlir::Operation *splitProduct(mlir::Operation *op);
  mlir::Operation *addSummandsFirst(mlir::Operation *op);
  void join(mlir::Operation *op, const Transfer &transfer);
  llvm::SmallVector<Layout> getLayouts(mlir::ValueRange values) const;

  mlir::func::FuncOp step;
  int64_t parts;
  CutArguments cut;
  bool isWider = false; ///< a variable joined
  llvm::DenseMap<mlir::Value, Layout> layouts;
  llvm::DenseMap<mlir::Operation *, Transfer> transfers;
};

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_TENSOR_TENSORPLACEMENT_H
