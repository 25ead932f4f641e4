// Which arguments of an exported step are state, and which results return it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_STABLEHLO_STATEARGUMENTS_H
#define TUTTI_PASSES_STABLEHLO_STATEARGUMENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

#include <map>
#include <string>

namespace tutti::stablehlo {

inline constexpr llvm::StringLiteral kAlias = "tf.aliasing_output";
inline constexpr llvm::StringLiteral kDonor = "jax.buffer_donor";

/// Results of state by argument, in the order of arguments.
using StateArguments = std::map<unsigned, unsigned>;

/// Finds the state of `function` by its marks and by `given`, entries ARGUMENT:RESULT. Fails, with
/// an error that names the argument, where marks contradict one another or leave a choice.
mlir::FailureOr<StateArguments> findStateArguments(mlir::func::FuncOp function,
                                                   llvm::ArrayRef<std::string> given);

/// `values` and all that they are computed from.
llvm::DenseSet<mlir::Value> findSources(mlir::ValueRange values);

} // namespace tutti::stablehlo

#endif // TUTTI_PASSES_STABLEHLO_STATEARGUMENTS_H
