// A pass as people write it on a command line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_PASSTEXT_H
#define TUTTI_PASSES_PASSTEXT_H

#include "mlir/Pass/Pass.h"

#include <string>

namespace tutti {

/// The options of `pass` that are not as in `defaults`, a pass of the same kind: "a=1 b=2".
std::string spellOptions(mlir::Pass &pass, mlir::Pass &defaults);

/// The name of `pass` with these options: "name{a=1 b=2}", or "name" if there are none.
std::string spellPass(mlir::Pass &pass, mlir::Pass &defaults);

} // namespace tutti

#endif // TUTTI_PASSES_PASSTEXT_H
