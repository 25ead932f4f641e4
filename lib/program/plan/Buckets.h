// Edits of collectives that communicate several values at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_PROGRAM_PLAN_BUCKETS_H
#define TUTTI_LIB_PROGRAM_PLAN_BUCKETS_H

#include "dialects/collective/Collective.h"

#include "llvm/ADT/SmallBitVector.h"

namespace tutti::program {

/// Puts a collective of the members that `kept` marks in the place of `bucket`, which is on
/// tensors; the results of the other members have no uses. Returns it, or null if no member is
/// kept.
/// Where the dialect of `bucket` cannot make the smaller one, that stays as it is.
collective::BucketOpInterface keepMembers(collective::BucketOpInterface bucket,
                                          const llvm::SmallBitVector &kept);

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_PLAN_BUCKETS_H
