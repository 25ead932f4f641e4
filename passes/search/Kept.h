// How many bytes of gathered variables a rank has memory to keep.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_SEARCH_KEPT_H
#define TUTTI_PASSES_SEARCH_KEPT_H

#include "passes/search/Trial.h"

namespace tutti::search {

/// Tries keep-gathered=BYTES|all for a candidate that keeps variables in parts.
class KeptSearch {
public:
  /// In `limit` bytes a rank; 0: no limit.
  KeptSearch(mlir::ModuleOp program, Trials &trials, int64_t limit);

  /// `keys` with variables in parts where they ask for parts of anything (shard-optimizer=1|2|3);
  /// "" if they ask for none or say already what is kept, or if `fixed` says another stage.
  static std::string inParts(llvm::StringRef keys, llvm::StringRef fixed);

  /// The keys of `inParts` with as much kept as fits, of less than all to 1/16 of all variables. If
  /// that takes values that are computed again, also with as much as fits without.
  std::vector<Candidate> find(const std::string &keys);

private:
  enum class Outcome { Fits, FitsRepeating, KeepsNothing, NotPossible };
  Outcome attempt(Candidate &candidate, const Candidate &without);
  std::optional<Candidate> findSome(const Candidate &without, bool mayRepeat);

  Trials &trials;
  int64_t limit;
  int64_t total = 0; ///< bytes of all trainable variables
};

} // namespace tutti::search

#endif // TUTTI_PASSES_SEARCH_KEPT_H
