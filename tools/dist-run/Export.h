// The trained variables back in the model that was given.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_EXPORT_H
#define TUTTI_TOOLS_DISTRUN_EXPORT_H

#include "lib/diagnostics/DiagnosticPrinter.h"
#include "lib/frontend/export/ModelFrame.h"
#include "runtime/host/checkpoint/Frame.h"
#include "runtime/host/program/Manifest.h"
#include "runtime/output/Place.h"
#include "runtime/output/SameFile.h"
#include "tools/dist-run/options/Options.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <vector>

namespace tutti {

/// What `--export` writes. Lives until the ranks have ended: they read files of its memory.
class ModelExport {
public:
  /// Reads `options.input`, which must be an ONNX model. After a diagnostic the error's text is
  /// empty.
  static llvm::Expected<std::unique_ptr<ModelExport>> open(const RunOptions &options);

  /// The files that are written, and those that the model reads beside itself.
  std::vector<runtime::output::NamedPath> outputs() const;
  std::vector<runtime::output::NamedPath> inputs() const;

  /// The files, with places for the variables of `manifest` that the model has. Those that it does
  /// not have are states that a recipe made; a trainable one is an error, as is another type or
  /// shape. Called once.
  llvm::Expected<std::vector<runtime::checkpoint::Frame>>
  frame(const runtime::worker::Manifest &manifest);

  /// Writes the files with the variables of the checkpoint `path` instead of a training; what the
  /// model trains must be there.
  llvm::Error writeFromCheckpoint(const std::string &path);

private:
  ModelExport(std::string input, std::string target);
  llvm::Error check(const std::string &name, bool isTrained, const std::string &own,
                    llvm::StringSet<> &variables) const;
  llvm::Error check(const runtime::worker::Manifest &manifest, llvm::StringSet<> &variables) const;
  llvm::Expected<std::vector<runtime::checkpoint::Frame>>
  makeFrames(const llvm::StringSet<> &variables);
  llvm::Error keep(const frontend::FramedFile &file, runtime::checkpoint::Frame &frame);
  llvm::Expected<llvm::StringSet<>> findVariables();

  std::string input, target;
  diagnostics::DiagnosticPrinter printer;
  mlir::MLIRContext context;
  std::shared_ptr<llvm::MemoryBuffer> content;
  std::unique_ptr<frontend::ModelFrame> model;
  std::vector<runtime::output::Descriptor> contents; ///< files of memory
};

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_EXPORT_H
