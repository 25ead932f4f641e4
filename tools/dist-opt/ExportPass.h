// --export-onnx: the program after all passes, as an ONNX model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTOPT_EXPORTPASS_H
#define TUTTI_TOOLS_DISTOPT_EXPORTPASS_H

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace tutti {

/// Writes the module to the file `path`, whole or not at all; "-" is standard output. The module
/// stays as it is.
std::unique_ptr<mlir::Pass> createExportOnnxPass(const std::string &path);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTOPT_EXPORTPASS_H
