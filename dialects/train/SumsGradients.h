// How a program says that its gradients are sums over ranks. Apart from Train.h because few ask.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TRAIN_SUMSGRADIENTS_H
#define TUTTI_TRAIN_SUMSGRADIENTS_H

#include "llvm/ADT/StringRef.h"

namespace tutti::train {

/// A unit attribute of a program whose gradients are sums over ranks, as losses that are sums over
/// samples have them. Without it gradients are means.
inline constexpr llvm::StringLiteral kSumsGradients = "train.sums_gradients";

} // namespace tutti::train

#endif // TUTTI_TRAIN_SUMSGRADIENTS_H
