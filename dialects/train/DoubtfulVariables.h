// How an import says that it cannot tell what a variable is. Apart from Train.h because few ask.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TRAIN_DOUBTFULVARIABLES_H
#define TUTTI_TRAIN_DOUBTFULVARIABLES_H

#include "llvm/ADT/StringRef.h"

namespace tutti::train {

/// On a module: a dictionary from the name of a trainable variable to what makes it look like one
/// that is not. A recipe has to say what becomes of it.
inline constexpr llvm::StringLiteral kDoubtful = "train.doubtful";

/// On a module: a dictionary from the name of a trainable table to the number of its only row of
/// zeros, as padding has one. A recipe has to say whether it is trained.
inline constexpr llvm::StringLiteral kZeroRows = "train.zero_rows";

} // namespace tutti::train

#endif // TUTTI_TRAIN_DOUBTFULVARIABLES_H
