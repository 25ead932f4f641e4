// The C API: options, pipelines, passes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bindings/c/Listener.h"
#include "bindings/c/PipelineOptions.h"
#include "lib/options/PassKeys.h"
#include "passes/specialize/Passes.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"

using namespace mlir;
using namespace tutti;
using bindings::Listener;
using bindings::PipelineOptions;

static PipelineOptions *unwrap(TuttiOptions options) {
  return static_cast<PipelineOptions *>(options.ptr);
}

TuttiOptions tuttiOptionsCreate(TuttiPipeline pipeline) {
  switch (pipeline) {
  case TUTTI_TRAIN:
  case TUTTI_DISTRIBUTE:
  case TUTTI_COMPILE:
    return {new PipelineOptions(pipeline)};
  }
  return {nullptr};
}

void tuttiOptionsDestroy(TuttiOptions options) { delete unwrap(options); }

static LogicalResult set(TuttiOptions options, StringRef key, StringRef value,
                         const Listener &listener) {
  if (!options.ptr)
    return listener.refuse("tuttiOptionsSet needs options; these are null, as those of a pipeline "
                           "that there is not");
  return unwrap(options)->set(key, value,
                              [&](const Twine &problem) { return listener.refuse(problem); });
}

MlirLogicalResult tuttiOptionsSet(TuttiOptions options, MlirStringRef key, MlirStringRef value,
                                  TuttiDiagnosticCallback tell, void *userData) {
  return wrap(set(options, unwrap(key), unwrap(value), Listener(tell, userData)));
}

static LogicalResult add(OpPassManager &passes, TuttiOptions options, const Listener &listener) {
  if (!options.ptr)
    return listener.refuse("a pipeline needs options; these are null");
  if (llvm::Error error = unwrap(options)->addTo(passes))
    return listener.refuse(llvm::toString(std::move(error)));
  return success();
}

MlirLogicalResult tuttiAddPipeline(MlirOpPassManager passes, TuttiOptions options,
                                   TuttiDiagnosticCallback tell, void *userData) {
  Listener listener(tell, userData);
  if (!passes.ptr)
    return wrap(listener.refuse("tuttiAddPipeline needs a pass manager; this one is null"));
  return wrap(add(*unwrap(passes), options, listener));
}

static LogicalResult addSpecializeWorld(MlirOpPassManager passes, int64_t ranks,
                                        const Listener &listener) {
  if (!passes.ptr)
    return listener.refuse("tuttiAddSpecializeWorld needs a pass manager; this one is null");
  if (llvm::Error error = options::checkTakesModules(*unwrap(passes), "--specialize-world"))
    return listener.refuse(llvm::toString(std::move(error)));
  unwrap(passes)->addPass(specialize::createSpecializeWorldPass({ranks}));
  return success();
}

MlirLogicalResult tuttiAddSpecializeWorld(MlirOpPassManager passes, int64_t ranks,
                                          TuttiDiagnosticCallback tell, void *userData) {
  return wrap(addSpecializeWorld(passes, ranks, Listener(tell, userData)));
}

/// Runs what `build` puts into a pass manager on modules.
static LogicalResult run(MlirModule program, Listener &listener,
                         function_ref<LogicalResult(OpPassManager &)> build) {
  if (!program.ptr)
    return listener.refuse("passes need a program; this one is null");
  ModuleOp module = unwrap(program);
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  if (failed(build(passes)))
    return failure();
  listener.listenTo(module.getContext());
  return passes.run(module);
}

MlirLogicalResult tuttiRunPipeline(MlirModule program, TuttiOptions options,
                                   TuttiDiagnosticCallback tell, void *userData) {
  Listener listener(tell, userData);
  return wrap(run(program, listener,
                  [&](OpPassManager &passes) { return add(passes, options, listener); }));
}

MlirLogicalResult tuttiSpecializeWorld(MlirModule program, int64_t ranks,
                                       TuttiDiagnosticCallback tell, void *userData) {
  Listener listener(tell, userData);
  return wrap(run(program, listener, [&](OpPassManager &passes) {
    passes.addPass(specialize::createSpecializeWorldPass({ranks}));
    return success();
  }));
}

/// Makes `passes` what `text` names.
static LogicalResult parse(StringRef text, OpPassManager &passes, const Listener &listener) {
  tuttiRegisterPasses();
  auto complain = [&](const Twine &problem) { return listener.refuse(problem); };
  FailureOr<OpPassManager> parsed = options::parsePipeline(text, complain);
  if (failed(parsed))
    return failure();
  if (parsed->getOpAnchorName() != passes.getOpAnchorName())
    return listener.refuse("'" + text + "' is for " + parsed->getOpAnchorName() +
                           "; a program needs builtin.module(PASS,PASS,...)");
  passes = std::move(*parsed);
  return success();
}

MlirLogicalResult tuttiRunPasses(MlirModule program, MlirStringRef passes,
                                 TuttiDiagnosticCallback tell, void *userData) {
  Listener listener(tell, userData);
  return wrap(run(program, listener, [&](OpPassManager &manager) {
    return parse(unwrap(passes), manager, listener);
  }));
}
