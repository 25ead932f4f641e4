// The flags of dist-run that give something beside an ONNX model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_MODELOPTIONS_H
#define TUTTI_TOOLS_DISTRUN_MODELOPTIONS_H

#include "lib/frontend/GivenFiles.h"

namespace CLI {
class App;
}

namespace tutti {

/// Declares them; what is parsed goes into `given`, which must outlive `app`.
void addModelOptions(CLI::App &app, frontend::GivenFiles &given);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_MODELOPTIONS_H
