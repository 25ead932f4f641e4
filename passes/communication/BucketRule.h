// Which collectives may be one: the one rule, with the reason where it says no.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_COMMUNICATION_BUCKETRULE_H
#define TUTTI_PASSES_COMMUNICATION_BUCKETRULE_H

#include "dialects/collective/Collective.h"
#include "dialects/collective/Wire.h"
#include "lib/diagnostics/Refusal.h"

namespace tutti::communication {

/// The number that a program gives a collective: with by=id those of equal number are fused.
inline constexpr llvm::StringLiteral kBucket = "collective.bucket";

/// Why `op` is in no bucket, whatever the others are.
Refusal whyAlone(collective::BucketOpInterface op);

/// What collectives of one bucket have in common: kind, group, reduction, axis or root, the element
/// type on the wire and the one before it was narrowed, and every mark that the program put on them
/// (a device, say) but kBucket.
mlir::Attribute keyOf(collective::BucketOpInterface op);

/// Kind, reduction, group and type in words: "all_reduce mean of f32 on @world".
std::string describeKey(collective::BucketOpInterface op);

} // namespace tutti::communication

#endif // TUTTI_PASSES_COMMUNICATION_BUCKETRULE_H
