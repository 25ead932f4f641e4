// An import that looks for all obstacles of a model, and goes on after each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_SURVEY_H
#define TUTTI_LIB_FRONTEND_MODEL_SURVEY_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tutti::frontend {

/// On operations that stand for a node which a diagnostic is about.
inline constexpr llvm::StringLiteral kStandIn = "onnx.stand_in";

/// What an import that looks for all obstacles assumes, and has found besides its diagnostics.
struct Survey {
  /// Stands for a size that only data would say; 0 leaves such sizes open.
  int64_t assumedSize = 0;

  /// What keeps nobody from training, but should be looked at.
  struct Hint {
    std::string problem, remedy;
  };

  std::vector<Hint> hints;
  std::vector<std::string> assumed; ///< dimensions of that size, as --size calls them
  int64_t skippedNodes = 0;         ///< because what they use has no known type
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_SURVEY_H
