/* print-plan PROGRAM.mlir RANKS [KEY=VALUE ...]: distributes a training program, proves it, and
   prints what it communicates.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti-c/Options.h>
#include <tutti-c/Tutti.h>

static void print(MlirStringRef text, void *file) { fwrite(text.data, 1, text.length, file); }

static void tell(TuttiDiagnostic diagnostic, void *file) {
  const char *kind = diagnostic.severity == MlirDiagnosticError ? "error" : "note";
  fprintf(file, "%.*s:%d: %s: %.*s\n", (int)diagnostic.file.length, diagnostic.file.data,
          (int)diagnostic.line, kind, (int)diagnostic.message.length, diagnostic.message.data);
}

static int set_all(TuttiOptions options, int count, char **keys) {
  for (int i = 0; i < count; ++i) {
    char *value = strchr(keys[i], '=');
    if (!value)
      return fprintf(stderr, "'%s' is not KEY=VALUE\n", keys[i]), 0;
    MlirStringRef key = mlirStringRefCreate(keys[i], value - keys[i]);
    if (mlirLogicalResultIsFailure(tuttiOptionsSet(
            options, key, mlirStringRefCreateFromCString(value + 1), print, stderr)))
      return fputs("\n", stderr), 0;
  }
  return 1;
}

/* The program for `ranks` ranks, in place. */
static int distribute(MlirContext context, MlirModule program, int64_t ranks, int count,
                      char **keys) {
  MlirPassManager manager = mlirPassManagerCreate(context);
  MlirOpPassManager passes = mlirPassManagerGetAsOpPassManager(manager);
  TuttiOptions options = tuttiOptionsCreate(TUTTI_DISTRIBUTE);
  MlirStringRef overlap = mlirStringRefCreateFromCString(TUTTI_DISTRIBUTE_OVERLAP);
  tuttiOptionsSet(options, overlap, mlirStringRefCreateFromCString("true"), NULL, NULL);
  int is_set = set_all(options, count, keys);
  int is_built =
      is_set && mlirLogicalResultIsSuccess(tuttiAddPipeline(passes, options, print, stderr));
  if (is_set && !is_built)
    fputs("\n", stderr);
  if (is_built)
    tuttiAddSpecializeWorld(passes, ranks);
  int done = is_built && mlirLogicalResultIsSuccess(
                             mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(program)));
  tuttiOptionsDestroy(options);
  mlirPassManagerDestroy(manager);
  return done;
}

static int run(MlirContext context, const char *text, int64_t ranks, int count, char **keys) {
  MlirModule program = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
  if (mlirModuleIsNull(program))
    return 0; /* the context has said why */
  MlirStringRef no_cluster = mlirStringRefCreateFromCString("");
  int done = distribute(context, program, ranks, count, keys) &&
             mlirLogicalResultIsSuccess(tuttiVerify(program, tell, stderr)) &&
             mlirLogicalResultIsSuccess(tuttiPlanAsJson(program, no_cluster, 0, print, stdout));
  mlirModuleDestroy(program);
  return done;
}

static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  char *text = calloc(1 << 20, 1);
  size_t size = file && text ? fread(text, 1, (1 << 20) - 1, file) : 0;
  if (file)
    fclose(file);
  return size ? text : NULL;
}

int main(int count, char **arguments) {
  char *text = count >= 3 ? read_file(arguments[1]) : NULL;
  if (!text)
    return fprintf(stderr, "usage: print-plan PROGRAM.mlir RANKS [KEY=VALUE ...]\n"), 1;
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  tuttiRegisterDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false);
  int done = run(context, text, atoi(arguments[2]), count - 3, arguments + 3);
  mlirContextDestroy(context);
  mlirDialectRegistryDestroy(registry);
  free(text);
  puts("");
  return !done;
}
