// Gradients of lookups that are whole tables all the same.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_LOOKEDUPTABLES_H
#define TUTTI_PASSES_DISTRIBUTION_LOOKEDUPTABLES_H

#include "mlir/IR/Value.h"

#include <string>

namespace tutti::distribution {

/// Why `gradient`, in which rows of lookups are added up, is no list of rows, with the names of the
/// nodes that look them up; empty if no lookup is in it, or one list of rows alone.
std::string whyNoList(mlir::Value gradient);

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_LOOKEDUPTABLES_H
