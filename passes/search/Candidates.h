// The combinations of keys that a search tries.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_SEARCH_CANDIDATES_H
#define TUTTI_PASSES_SEARCH_CANDIDATES_H

#include "lib/cost/Cluster.h"
#include "lib/options/KeyText.h"
#include "passes/search/Search.h"

namespace tutti::search {

/// How what ranks exchange travels.
struct Travel {
  std::string keys; ///< "" for what the keys that are given make
  bool hidesMost;   ///< of those that move the same bytes, it lets the step wait the least
  bool dividesTokens = false; ///< neighbours exchange tokens, not sums
};

/// A way to divide the work: "", "shard-optimizer=1", "mesh=dp:2,tp:2", ...
struct Work {
  std::string mesh; ///< of the keys, that which divides the model
  std::string keys;
  std::vector<Travel> travels; ///< that of no keys first
};

/// The choices of a search: a candidate has the keys `fixed`, those of a work, and those of one of
/// its travels.
struct Space {
  std::string fixed;
  std::vector<Work> works;

  Candidate candidate(llvm::StringRef work, llvm::StringRef travel) const;
};

/// What `question` leaves open on `cluster` with `ranks` ranks. Fails, and says why, where its keys
/// are none.
mlir::FailureOr<Space> spaceOf(const Question &question, const cost::Cluster &cluster,
                               int64_t ranks, options::Complain complain);

/// `keys`, of a model that neighbours share, with `microBatches` of them computed together: those
/// that are, or so many. "" where the keys that are given leave no choice.
std::string interleave(llvm::StringRef keys, const Space &space, int64_t microBatches);

/// The same, with what neighbours exchange in so many chunks.
std::string exchangeInChunks(llvm::StringRef keys, const Space &space, int64_t chunks);

/// Why the keys of `candidate` exclude each other, if they do.
void checkKeys(Candidate &candidate);

} // namespace tutti::search

#endif // TUTTI_PASSES_SEARCH_CANDIDATES_H
