// The three files of ONNX Runtime's on-device training.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_ARTIFACTS_ARTIFACTFILES_H
#define TUTTI_LIB_FRONTEND_ARTIFACTS_ARTIFACTFILES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace tutti::frontend {

/// Paths of the files that belong to a training model. Where one is empty, the file lies beside the
/// training model under the name that ONNX Runtime gives it.
struct ArtifactFiles {
  static constexpr const char *kOptimizerModel = "optimizer_model.onnx";
  static constexpr const char *kCheckpoint = "checkpoint";

  /// Why they are refused where the program is in MLIR.
  static constexpr const char *kNotForMlir =
      "--optimizer-model and --checkpoint are about a training model of ONNX Runtime, but this is "
      "MLIR, where the program holds its optimizer and its values; drop them";

  std::string optimizerModel = {}, checkpoint = {};

  bool isEmpty() const { return optimizerModel.empty() && checkpoint.empty(); }
};

/// The content of one of them. Only regular files are opened: one may lie there unasked, and a pipe
/// would be waited for.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> openArtifact(llvm::StringRef path);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_ARTIFACTS_ARTIFACTFILES_H
