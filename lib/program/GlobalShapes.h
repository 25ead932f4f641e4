// Types inferred for other operands; how long a value is when the batch is the global one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_LIB_PROGRAM_GLOBALSHAPES_H
#define TUTTI_LIB_PROGRAM_GLOBALSHAPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace tutti::program {

/// What `op` says of the types of its results where its operands have the types `operands`. Fails,
/// and emits nothing, where they do not fit together or the operation cannot say.
mlir::LogicalResult inferResultTypes(mlir::Operation *op, mlir::TypeRange operands,
                                     llvm::SmallVectorImpl<mlir::Type> &types);

/// Infers shapes as if each input held the whole global batch of its dataset. Changes no program.
class GlobalShapes {
public:
  /// Dimension 0 of `value`, a tensor; none if it is not known.
  std::optional<int64_t> lengthOf(mlir::Value value);

private:
  mlir::RankedTensorType typeOf(mlir::Value value);
  mlir::Type infer(mlir::OpResult value);

  llvm::DenseMap<mlir::Value, mlir::RankedTensorType> known;
};

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_GLOBALSHAPES_H
