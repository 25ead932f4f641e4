// What other frameworks call a key.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_OPTIONS_OTHERNAMES_H
#define TUTTI_LIB_OPTIONS_OTHERNAMES_H

#include "lib/options/KeyText.h"

namespace tutti::options {

/// Gives keys that stand there under another framework's name ours, unless `known` has the name
/// itself: lr becomes learning-rate where `known` has that.
void takeOtherNames(llvm::SmallVectorImpl<GivenKey> &given, llvm::ArrayRef<llvm::StringRef> known);

/// The names that takeOtherNames takes for `key`: "lr" of learning-rate.
llvm::SmallVector<llvm::StringRef> otherNames(llvm::StringRef key);

} // namespace tutti::options

#endif // TUTTI_LIB_OPTIONS_OTHERNAMES_H
