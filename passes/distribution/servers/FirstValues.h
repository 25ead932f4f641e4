// How tables that servers hold begin, where the program is not to say it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_SERVERS_FIRSTVALUES_H
#define TUTTI_PASSES_DISTRIBUTION_SERVERS_FIRSTVALUES_H

#include "dialects/ps/Ps.h"
#include "lib/options/NameGlobs.h"

namespace tutti::distribution {

/// Rules of the form `[GLOB:]normal:MEAN:DEVIATION` or `[GLOB:]uniform:FROM:TO`: tables of these
/// names, or all, begin as random numbers instead of the program's values. The first rule that
/// matches a name counts.
class FirstValues {
public:
  /// Complains about a rule of another form, and about one that is for none of the tables `names`.
  static mlir::FailureOr<FirstValues> create(mlir::MLIRContext *context,
                                             llvm::ArrayRef<std::string> rules,
                                             llvm::ArrayRef<llvm::StringRef> names,
                                             options::NameGlobs::Complain complain);

  /// Null: `name` begins as the program says.
  ps::RandomAttr of(llvm::StringRef name) const;

  FirstValues(FirstValues &&) = default;
  FirstValues &operator=(FirstValues &&) = default;

private:
  FirstValues() = default;

  std::vector<std::string> texts;          ///< a glob for each rule
  std::vector<ps::RandomAttr> randoms;     ///< what each says
  std::optional<options::NameGlobs> globs; ///< of `texts`; none without rules
};

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_SERVERS_FIRSTVALUES_H
