// Globs over the names of variables or nodes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_OPTIONS_NAMEGLOBS_H
#define TUTTI_LIB_OPTIONS_NAMEGLOBS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/GlobPattern.h"

#include <optional>
#include <string>
#include <vector>

namespace tutti::options {

/// The globs of one key: `*` stands for any characters, `?` for one, `[ab]` for one of some. A glob
/// that is a name stands for that name, whatever characters it has.
class NameGlobs {
public:
  using Complain = llvm::function_ref<mlir::LogicalResult(const llvm::Twine &)>;

  /// Complains about a glob that is none, and about one that matches none of `names`: then it names
  /// those that are nearest. `noun` is what has the names, "variable" or "node". The globs must
  /// live as long as what is created.
  static mlir::FailureOr<NameGlobs> create(llvm::StringRef key, llvm::StringRef noun,
                                           llvm::ArrayRef<std::string> globs,
                                           llvm::ArrayRef<llvm::StringRef> names,
                                           Complain complain);

  bool empty() const { return globs.empty(); }
  /// Which glob is the first that matches; none if none does.
  std::optional<unsigned> find(llvm::StringRef name) const;
  bool matches(llvm::StringRef name) const { return find(name).has_value(); }

private:
  struct Glob {
    llvm::StringRef text;
    llvm::GlobPattern pattern;

    bool matches(llvm::StringRef name) const { return name == text || pattern.match(name); }
  };
  std::vector<Glob> globs;
};

} // namespace tutti::options

#endif // TUTTI_LIB_OPTIONS_NAMEGLOBS_H
