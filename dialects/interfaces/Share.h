// What each rank holds of a value: all of it, a summand, a part, or something of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_SHARE_H
#define TUTTI_INTERFACES_SHARE_H

#include "mlir/IR/OpDefinition.h"

namespace tutti {

enum class Share { Replicated, Partial, Part, Own };

/// "Replicate", "Partial(sum)", "Shard", "Own": the words of the field.
llvm::StringRef spellShare(Share share);

} // namespace tutti

#include "dialects/interfaces/Share.h.inc"

#endif
