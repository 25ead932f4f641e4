// How verdicts name operations and values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_VERIFICATION_WORDING_H
#define TUTTI_PASSES_DISTRIBUTION_VERIFICATION_WORDING_H

#include "mlir/IR/Operation.h"

#include <string>

namespace tutti::distribution {

/// 'collective.all_reduce'
inline std::string quoted(mlir::Operation *op) {
  return ("'" + op->getName().getStringRef() + "'").str();
}

/// the gradient of variable "w"; "the gradient" where its variable is not known.
inline std::string nameOfGradient(llvm::StringRef variable) {
  return variable.empty() ? "the gradient"
                          : ("the gradient of variable \"" + variable + "\"").str();
}

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_VERIFICATION_WORDING_H
