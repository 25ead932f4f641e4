// What a program says of itself to passes that come later. Apart from Train.h because few ask.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TRAIN_PROGRAMCLAIMS_H
#define TUTTI_TRAIN_PROGRAMCLAIMS_H

#include "llvm/ADT/StringRef.h"

namespace tutti::train {

/// A unit attribute of a program whose gradients are sums over ranks, as losses that are sums over
/// samples have them. Without it gradients are means.
inline constexpr llvm::StringLiteral kSumsGradients = "train.sums_gradients";

/// The location of an operation that works on a whole batch, of a program whose batch cannot vary.
/// Several ranks would each give it a batch of their own, which is another program than that of one
/// device; so the program is refused when it is specialised for them.
inline constexpr llvm::StringLiteral kFixedBatch = "train.fixed_batch";

} // namespace tutti::train

#endif // TUTTI_TRAIN_PROGRAMCLAIMS_H
