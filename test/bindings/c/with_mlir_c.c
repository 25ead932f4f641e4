/* with-mlir-c FILE RANKS: MLIR's own C API and Tutti's on the same context, registry, program and
   pass manager. Prints what MLIR's API finds in the program, which depends on traits.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tutti-c/Options.h"
#include "tutti-c/Tutti.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MlirStringRef ref(const char *text) { return mlirStringRefCreateFromCString(text); }

static void give(MlirStringRef text, void *file) {
  fwrite(text.data, 1, text.length, (FILE *)file);
}

static void tell(const TuttiDiagnostic *diagnostic, void *file) {
  give(diagnostic->message, file);
  fputs("\n", (FILE *)file);
}

static MlirContext create_context(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  MlirLogicalResult done = tuttiRegisterDialects(registry, tell, stderr);
  MlirContext context = {NULL};
  if (mlirLogicalResultIsSuccess(done))
    context = mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/true);
  mlirDialectRegistryDestroy(registry);
  return context;
}

/* Tutti's pipeline in a pass manager of MLIR's API, with a pass that is named in text. */
static bool distribute(MlirContext context, MlirModule program, int64_t ranks) {
  MlirPassManager manager = mlirPassManagerCreate(context);
  MlirOpPassManager passes = mlirPassManagerGetAsOpPassManager(manager);
  TuttiOptions options = tuttiOptionsCreate(TUTTI_DISTRIBUTE);
  tuttiRegisterPasses();
  bool done = mlirLogicalResultIsSuccess(tuttiOptionsSet(options, ref(TUTTI_DISTRIBUTE_OVERLAP),
                                                         ref("true"), tell, stderr)) &&
              mlirLogicalResultIsSuccess(tuttiAddPipeline(passes, options, tell, stderr)) &&
              mlirLogicalResultIsSuccess(
                  mlirOpPassManagerAddPipeline(passes, ref("canonicalize"), give, stderr)) &&
              mlirLogicalResultIsSuccess(tuttiAddSpecializeWorld(passes, ranks, tell, stderr));
  tuttiOptionsDestroy(options);
  done = done && mlirLogicalResultIsSuccess(
                     mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(program)));
  mlirPassManagerDestroy(manager);
  return done;
}

/* Pipelines are for whole programs; a pass manager on functions is refused, each time in words. */
static bool refuses_functions(MlirContext context) {
  static const enum TuttiPipeline pipelines[] = {TUTTI_TRAIN, TUTTI_DISTRIBUTE, TUTTI_COMPILE};
  MlirPassManager manager = mlirPassManagerCreateOnOperation(context, ref("func.func"));
  MlirOpPassManager passes = mlirPassManagerGetAsOpPassManager(manager);
  bool is_refused = mlirLogicalResultIsFailure(tuttiAddSpecializeWorld(passes, 2, tell, stdout));
  for (int i = 0; i < 3; ++i) {
    TuttiOptions options = tuttiOptionsCreate(pipelines[i]);
    is_refused &= mlirLogicalResultIsFailure(tuttiAddPipeline(passes, options, tell, stdout));
    tuttiOptionsDestroy(options);
  }
  mlirPassManagerDestroy(manager);
  return is_refused;
}

/* A table of symbols is for operations that have the trait of one. */
static bool look_up(MlirModule program) {
  MlirSymbolTable symbols = mlirSymbolTableCreate(mlirModuleGetOperation(program));
  if (mlirSymbolTableIsNull(symbols))
    return fputs("no table of symbols: MLIR's C API does not find the trait\n", stderr), false;
  MlirOperation step = mlirSymbolTableLookup(symbols, ref("step"));
  bool is_found = !mlirOperationIsNull(step) && mlirOperationVerify(step);
  printf("step is %s\n", is_found ? "found" : "missing");
  mlirSymbolTableDestroy(symbols);
  return is_found;
}

int main(int count, char **words) {
  if (count != 3)
    return fputs("usage: with-mlir-c FILE RANKS\n", stderr), 2;
  MlirContext context = create_context();
  if (mlirContextIsNull(context))
    return 1;
  MlirModule program = tuttiProgramRead(context, ref(words[1]), tell, stderr);
  bool done = !mlirModuleIsNull(program) && refuses_functions(context) && look_up(program) &&
              distribute(context, program, atoll(words[2])) && look_up(program) &&
              mlirLogicalResultIsSuccess(tuttiVerify(program, tell, stderr));
  if (done)
    mlirOperationPrint(mlirModuleGetOperation(program), give, stdout);
  mlirModuleDestroy(program);
  mlirContextDestroy(context);
  return !done;
}
