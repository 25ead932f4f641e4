// Conversions that are there for the wire only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_DIALECTS_COLLECTIVE_WIRE_H
#define TUTTI_DIALECTS_COLLECTIVE_WIRE_H

#include "llvm/ADT/StringRef.h"

namespace tutti::collective {

/// The unit attribute of conversions (`arith.truncf`, `arith.extf`) that are there for the wire
/// only: a narrowing before a collective and the widening after it. Where nothing is communicated
/// the pair is dropped, although the narrow value had lost bits.
inline constexpr llvm::StringLiteral kWire = "collective.wire";

} // namespace tutti::collective

#endif // TUTTI_DIALECTS_COLLECTIVE_WIRE_H
