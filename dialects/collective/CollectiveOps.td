// All operations of the collective dialect. The text of these files is their only specification.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_COLLECTIVE_OPS
#define TUTTI_COLLECTIVE_OPS

include "dialects/collective/CollectiveAsync.td"
include "dialects/collective/CollectiveExchanges.td"
include "dialects/collective/CollectiveFlat.td"
include "dialects/collective/CollectiveGroups.td"
include "dialects/collective/CollectiveMoves.td"
include "dialects/collective/CollectivePointToPoint.td"
include "dialects/collective/CollectiveReductions.td"

#endif // TUTTI_COLLECTIVE_OPS
