// One table of names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/options/OtherNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <utility>

using namespace mlir;
using namespace tutti::options;

/// Theirs, and ours of the same meaning.
static constexpr std::pair<StringLiteral, StringLiteral> table[] = {
    {"lr", "learning-rate"},
    {"batch-size", "global-batch"},
    {"wd", "weight-decay"},
    {"eps", "epsilon"},
    {"clip-grad-norm", "clip-norm"},
    {"max-grad-norm", "clip-norm"},
    {"grad-norm", "gradient-norm"},
    {"lr-schedule", "schedule"},
    {"gradient-accumulation-steps", "accumulate"},
};

void tutti::options::takeOtherNames(SmallVectorImpl<GivenKey> &given, ArrayRef<StringRef> known) {
  for (GivenKey &key : given)
    for (const auto &[theirs, ours] : table)
      if (key.name == theirs && !llvm::is_contained(known, theirs) &&
          llvm::is_contained(known, ours)) {
        key.name = ours.str();
        break;
      }
}

SmallVector<StringRef> tutti::options::otherNames(StringRef key) {
  SmallVector<StringRef> names;
  for (const auto &[theirs, ours] : table)
    if (ours == key)
      names.push_back(theirs);
  return names;
}
