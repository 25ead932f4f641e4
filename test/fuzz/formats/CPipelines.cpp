// Bytes as a pipeline, and as keys, that somebody gives to the C API.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/formats/CallC.h"

using namespace tutti::fuzz;

static const char *const program = R"(module attributes {train.program} {
  train.dataset @data {global_batch = 8 : i64}
  func.func private @double(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = arith.addf %x, %x : tensor<4xf32>
    return %y : tensor<4xf32>
  }
  func.func @initialize() -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #train.variable<"w", trainable>},
                  %x: tensor<?x4xf32> {train.input = #train.input<"input", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 0.1 : f64>})
      -> (tensor<4xf32> {train.variable = #train.variable<"w", trainable>}) {
    %g = func.call @double(%w) : (tensor<4xf32>) -> tensor<4xf32>
    %marked = train.mark_gradient %g : tensor<4xf32>
    %new = train.sgd %w gradient %marked rate %lr : tensor<4xf32>, tensor<f32>
    return %new : tensor<4xf32>
  }
})";

static void setKey(std::string_view text) {
  size_t end = text.find('=');
  std::string_view value = end == text.npos ? "" : text.substr(end + 1);
  for (TuttiPipeline pipeline : {TUTTI_TRAIN, TUTTI_DISTRIBUTE, TUTTI_COMPILE}) {
    TuttiOptions options = tuttiOptionsCreate(pipeline);
    tuttiOptionsSet(options, refTo(text.substr(0, end)), refTo(value), readDiagnostic, nullptr);
    tuttiOptionsDestroy(options);
  }
}

/// Passes whose purpose is to write.
static bool writes(std::string_view text) {
  for (std::string_view word : {"print", "view-op-graph", "emit-plan", "dump"})
    if (text.find(word) != text.npos)
      return true;
  return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text = textOf(data, size);
  setKey(text);
  if (writes(text))
    return 0;
  MlirContext context = nextCContext();
  MlirModule module =
      tuttiProgramParse(context, refTo(program), refTo("memory"), readDiagnostic, nullptr);
  if (!module.ptr)
    std::abort();
  tuttiRunPasses(module, refTo(text), readDiagnostic, nullptr);
  tuttiProgramDestroy(module);
  expectSilence();
  return 0;
}
