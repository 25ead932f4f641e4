// The combinations of keys that a search tries.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_SEARCH_CANDIDATES_H
#define TUTTI_PASSES_SEARCH_CANDIDATES_H

#include "lib/cost/Cluster.h"
#include "lib/options/KeyText.h"
#include "passes/search/Search.h"

namespace tutti::search {

/// The choices of a search: a candidate has the keys `fixed`, one entry of `works` and one of
/// `travels`.
struct Space {
  std::string fixed;
  std::vector<std::string> works;   ///< how ranks divide the work: "", "shard-optimizer=1", ...
  std::vector<std::string> travels; ///< how gradients travel: "" first, what hides most last

  Candidate candidate(llvm::StringRef work, llvm::StringRef travel) const;
};

/// What `question` leaves open on `cluster` with `ranks` ranks. Fails, and says why, where its keys
/// are none.
mlir::FailureOr<Space> spaceOf(const Question &question, const cost::Cluster &cluster,
                               int64_t ranks, options::Complain complain);

/// Why the keys of `candidate` exclude each other, if they do.
void checkKeys(Candidate &candidate);

} // namespace tutti::search

#endif // TUTTI_PASSES_SEARCH_CANDIDATES_H
