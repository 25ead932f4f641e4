// The C API: what a program communicates, and whether that is right.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bindings/c/Listener.h"
#include "dialects/train/Train.h"
#include "passes/communication/Passes.h"
#include "passes/distribution/Passes.h"
#include "passes/planning/Report.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tutti;
using bindings::Listener;

MlirLogicalResult tuttiPlanAsJson(MlirModule program, MlirStringRef clusterFile, int64_t ranks,
                                  MlirStringCallback give, void *giveData,
                                  TuttiDiagnosticCallback tell, void *tellData) {
  Listener listener(tell, tellData);
  if (!program.ptr)
    return wrap(listener.refuse("tuttiPlanAsJson needs a program; this one is null"));
  listener.listenTo(unwrap(program).getContext());
  FailureOr<planning::Report> report =
      planning::reportOn(unwrap(program), unwrap(clusterFile), ranks);
  if (failed(report))
    return wrap(failure());
  std::string text = llvm::formatv("{0:2}\n", planning::toJson(*report));
  if (give)
    give(wrap(StringRef(text)), giveData);
  return wrap(success());
}

static LogicalResult prove(ModuleOp module) {
  if (failed(verify(module)))
    return failure();
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  passes.addPass(communication::createCollectiveVerifyOrderPass());
  if (module->hasAttr(train::TrainDialect::kProgram))
    passes.addPass(distribution::createVerifyReplicationPass());
  OwningOpRef<ModuleOp> copy = module.clone(); // proofs may annotate what they prove
  return passes.run(*copy);
}

MlirLogicalResult tuttiVerify(MlirModule program, TuttiDiagnosticCallback tell, void *userData) {
  Listener listener(tell, userData);
  if (!program.ptr)
    return wrap(listener.refuse("tuttiVerify needs a program; this one is null"));
  listener.listenTo(unwrap(program).getContext());
  return wrap(prove(unwrap(program)));
}
