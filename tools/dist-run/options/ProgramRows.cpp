// Declares the flags of what is given beside a model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/ModelOptions.h"

#include <CLI/CLI.hpp>

void tutti::addModelOptions(CLI::App &app, frontend::GivenFiles &given) {
  app.add_option("--optimizer-model", given.artifacts.optimizerModel,
                 "Of a training model of ONNX Runtime (default: optimizer_model.onnx beside it)")
      ->type_name("FILE");
  app.add_option("--checkpoint", given.artifacts.checkpoint,
                 "Of a training model of ONNX Runtime (default: checkpoint beside it)")
      ->type_name("FILE");
  app.add_option("--variables", given.variables,
                 "Values of inputs or initializers of an ONNX model, by name: parameters that its "
                 "graph takes as inputs")
      ->type_name("FILE.safetensors");
  app.add_option_function<std::vector<std::string>>(
         "--size",
         [&given](const std::vector<std::string> &pairs) {
           for (const std::string &pair : pairs)
             if (std::string problem = given.sizes.add(pair); !problem.empty())
               throw CLI::ValidationError("--size", problem);
         },
         "The size of a dimension that an ONNX model names and leaves open, e.g. time=128 "
         "(default: that of the data)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME=SIZE,...");
}
