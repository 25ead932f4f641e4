// Keys that cannot be asked for together, and keys that need others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_STRATEGIES_CONFLICTS_H
#define TUTTI_PASSES_STRATEGIES_CONFLICTS_H

#include "lib/diagnostics/Refusal.h"
#include "lib/options/KeyTable.h"

namespace tutti::strategies {

/// The rows of all strategies. A row holds for both of its sides, so either strategy may write it.
///
/// A term is "key", for any value but the default, or "key=value", for this value, which may be the
/// default. Rows keep their texts by reference: they are literals.
class ConflictTable {
public:
  struct Row {
    llvm::StringRef term;
    llvm::SmallVector<llvm::StringRef> others;
    llvm::StringRef why;
  };

  /// `term` cannot be had together with any of `others`.
  void exclude(llvm::StringRef term, std::initializer_list<llvm::StringRef> others,
               llvm::StringRef why) {
    exclusions.push_back({term, others, why});
  }

  /// Each of `terms` means nothing without `needed`, which the message calls `spelled`.
  void need(std::initializer_list<llvm::StringRef> terms, llvm::StringRef needed,
            llvm::StringRef spelled) {
    needs.push_back({needed, terms, spelled});
  }

  /// "b=2 conflicts with a=1: why" or "b=2 has no meaning without a=N", for the first row that what
  /// `keys` holds breaks. `defaults` is the table of the same struct without changes.
  Refusal find(const options::KeyTable &keys, const options::KeyTable &defaults) const;

  llvm::ArrayRef<Row> getExclusions() const { return exclusions; }
  llvm::ArrayRef<Row> getNeeds() const { return needs; }

private:
  std::vector<Row> exclusions, needs;
};

/// The rows of all strategies.
ConflictTable allConflicts();

} // namespace tutti::strategies

#endif // TUTTI_PASSES_STRATEGIES_CONFLICTS_H
