// --check: everything that keeps a model from being trained, at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTOPT_CHECK_H
#define TUTTI_TOOLS_DISTOPT_CHECK_H

#include "tools/dist-opt/Flags.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tutti {

struct CheckRequest {
  std::string input;
  CheckStyle style;
  /// As of --train and --distribute; absent keys are chosen for the model.
  std::optional<std::string> train, distribute;
};

/// Imports the model and compiles it for two ranks, as a launch would. Whatever is an error on the
/// way is taken out of the program and listed, and the rest is tried again. Prints the list to
/// standard output; returns the status to exit with, 0 if there is nothing.
int check(const CheckRequest &request, const mlir::DialectRegistry &registry);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTOPT_CHECK_H
