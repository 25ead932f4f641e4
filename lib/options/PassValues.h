// What values the options of MLIR's passes take.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_OPTIONS_PASSVALUES_H
#define TUTTI_LIB_OPTIONS_PASSVALUES_H

#include "lib/options/KeyText.h"

namespace llvm::cl {
class Option;
} // namespace llvm::cl

namespace tutti::options {

/// Whether `option` is a list, which may be given piece by piece.
bool isList(const llvm::cl::Option &option);

/// Complains if `option` of a pass does not take `value`: "ranks=x must be a whole number". MLIR
/// would say so on standard error and nowhere else.
llvm::LogicalResult checkPassValue(llvm::cl::Option &option, llvm::StringRef value,
                                   Complain complain);

} // namespace tutti::options

#endif // TUTTI_LIB_OPTIONS_PASSVALUES_H
