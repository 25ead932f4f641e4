// Whether what the ranks communicate fits together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_LIB_ANALYSIS_ORDER_RENDEZVOUS_H
#define TUTTI_LIB_ANALYSIS_ORDER_RENDEZVOUS_H

#include "lib/analysis/order/RankTrace.h"

namespace tutti {

/// Checks the traces of ranks 0, 1, ... of one world against each other:
/// - every send has a matching receive (same peer, tag, group and types), and every receive a send;
/// - a run in which a send waits for its receive (no buffer anywhere) comes to its end: no rank
/// waits
///   for itself through others, none for one that never comes, and the members of a set issue one
///   and the same collective at a time.
/// Emits the error, with every rank and operation that it rests on.
mlir::LogicalResult verifyRendezvous(llvm::ArrayRef<RankTrace> traces);

/// The first half alone: messages one by one.
mlir::LogicalResult verifyMessages(llvm::ArrayRef<RankTrace> traces);

} // namespace tutti

#endif // TUTTI_LIB_ANALYSIS_ORDER_RENDEZVOUS_H
