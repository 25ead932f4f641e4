// Wraps the compiler for C: include/tutti-c/Tutti.h says what each function does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tutti-c/Tutti.h"

#include "bindings/c/PipelineOptions.h"
#include "passes/communication/Passes.h"
#include "passes/distribution/Passes.h"
#include "passes/planning/Report.h"
#include "passes/specialize/Passes.h"
#include "tools/registration/RegisterAll.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tutti;
using bindings::PipelineOptions;

void tuttiRegisterDialects(MlirDialectRegistry registry) {
  registerAllTuttiDialects(*unwrap(registry));
}

void tuttiRegisterPasses(void) { registerAllTuttiPasses(); }

MlirStringRef tuttiVersion(void) { return mlirStringRefCreateFromCString(TUTTI_VERSION); }

TuttiOptions tuttiOptionsCreate(TuttiPipeline pipeline) { return {new PipelineOptions(pipeline)}; }

static PipelineOptions *unwrap(TuttiOptions options) {
  return static_cast<PipelineOptions *>(options.ptr);
}

void tuttiOptionsDestroy(TuttiOptions options) { delete unwrap(options); }

/// Gives `problem` to a callback, if there is one; fails.
static LogicalResult report(const Twine &problem, MlirStringCallback complain, void *userData) {
  std::string text = problem.str();
  if (complain)
    complain(mlirStringRefCreate(text.data(), text.size()), userData);
  return failure();
}

MlirLogicalResult tuttiOptionsSet(TuttiOptions options, MlirStringRef key, MlirStringRef value,
                                  MlirStringCallback complain, void *userData) {
  auto explain = [&](const Twine &problem) { return report(problem, complain, userData); };
  return wrap(unwrap(options)->set(unwrap(key), unwrap(value), explain));
}

MlirLogicalResult tuttiAddPipeline(MlirOpPassManager passes, TuttiOptions options,
                                   MlirStringCallback complain, void *userData) {
  if (llvm::Error error = unwrap(options)->addTo(*unwrap(passes)))
    return wrap(report(llvm::toString(std::move(error)), complain, userData));
  return wrap(success());
}

void tuttiAddSpecializeWorld(MlirOpPassManager passes, int64_t ranks) {
  unwrap(passes)->addPass(specialize::createSpecializeWorldPass({ranks}));
}

MlirLogicalResult tuttiPlanAsJson(MlirModule program, MlirStringRef clusterFile, int64_t ranks,
                                  MlirStringCallback give, void *userData) {
  FailureOr<planning::Report> report =
      planning::reportOn(unwrap(program), unwrap(clusterFile), ranks);
  if (failed(report))
    return wrap(failure());
  std::string text = llvm::formatv("{0:2}", planning::toJson(*report));
  give(mlirStringRefCreate(text.data(), text.size()), userData);
  return wrap(success());
}

static MlirDiagnosticSeverity severityOf(const Diagnostic &diagnostic) {
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    return MlirDiagnosticError;
  case DiagnosticSeverity::Warning:
    return MlirDiagnosticWarning;
  case DiagnosticSeverity::Note:
    return MlirDiagnosticNote;
  case DiagnosticSeverity::Remark:
    return MlirDiagnosticRemark;
  }
  return MlirDiagnosticError;
}

static void tellOne(const Diagnostic &diagnostic, TuttiDiagnosticCallback tell, void *userData) {
  std::string message = diagnostic.str();
  auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
  StringRef file = place ? place.getFilename().strref() : "";
  tell({severityOf(diagnostic), mlirStringRefCreate(message.data(), message.size()), wrap(file),
        place ? place.getLine() : 0, place ? place.getColumn() : 0},
       userData);
}

MlirLogicalResult tuttiVerify(MlirModule program, TuttiDiagnosticCallback tell, void *userData) {
  ModuleOp module = unwrap(program);
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
    tellOne(diagnostic, tell, userData);
    for (const Diagnostic &note : diagnostic.getNotes())
      tellOne(note, tell, userData);
    return success();
  });
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  passes.addPass(communication::createCollectiveVerifyOrderPass());
  if (module->hasAttr(train::TrainDialect::kProgram))
    passes.addPass(distribution::createVerifyReplicationPass());
  OwningOpRef<ModuleOp> copy = module.clone(); // proofs may annotate what they prove
  return wrap(passes.run(*copy));
}
