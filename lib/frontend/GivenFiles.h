// What is given beside a model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_GIVENFILES_H
#define TUTTI_LIB_FRONTEND_GIVENFILES_H

#include "lib/frontend/artifacts/ArtifactFiles.h"
#include "lib/frontend/model/values/GivenSizes.h"

namespace tutti::frontend {

struct GivenFiles {
  ArtifactFiles artifacts;    ///< of a training model of ONNX Runtime
  std::string variables = {}; ///< safetensors: values of inputs or initializers of the graph
  GivenSizes sizes = {};      ///< of dimensions that the model leaves open

  /// Why they are refused where the program is in MLIR; null if none is given.
  const char *whyNotForMlir() const {
    if (!artifacts.isEmpty())
      return ArtifactFiles::kNotForMlir;
    if (!sizes.byName.empty())
      return "--size fixes a dimension that an ONNX model names, but this is MLIR, where types say "
             "the sizes; drop it, or change the types";
    return variables.empty()
               ? nullptr
               : "--variables gives an ONNX model values, but this is MLIR, where "
                 "@initialize does; drop it here, and give it to the dist-opt that makes "
                 "MLIR of the model";
  }
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_GIVENFILES_H
