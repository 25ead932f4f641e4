/* print-plan PROGRAM RANKS [KEY=VALUE ...]: distributes a training program with these keys, proves
   it, and prints what it communicates.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti-c/Options.h>
#include <tutti-c/Tutti.h>

static MlirStringRef ref(const char *text) { return mlirStringRefCreate(text, strlen(text)); }

static void print(MlirStringRef text, void *file) { fwrite(text.data, 1, text.length, file); }

/* FILE:LINE:COLUMN: KIND: MESSAGE */
static void tell(const TuttiDiagnostic *diagnostic, void *file) {
  static const char *const kinds[] = {"error", "warning", "note", "remark"};
  if (diagnostic->file.length > 0) {
    print(diagnostic->file, file);
    fprintf(file, ":%d:%d: ", (int)diagnostic->line, (int)diagnostic->column);
  }
  fprintf(file, "%s: ", kinds[diagnostic->severity]);
  print(diagnostic->message, file);
  fputs("\n", file);
}

static bool is_done(MlirLogicalResult result) { return mlirLogicalResultIsSuccess(result); }

/* Sets what the command line says, on top of our own choice. */
static bool set_keys(TuttiOptions options, int count, char **keys) {
  bool done =
      is_done(tuttiOptionsSet(options, ref(TUTTI_DISTRIBUTE_OVERLAP), ref("true"), tell, stderr));
  for (int i = 0; done && i < count; ++i) {
    size_t length = strcspn(keys[i], "=");
    const char *value = keys[i] + length + (keys[i][length] == '=');
    MlirStringRef key = mlirStringRefCreate(keys[i], length);
    done = is_done(tuttiOptionsSet(options, key, ref(value), tell, stderr));
  }
  return done;
}

/* The program for any number of ranks, in place. */
static bool distribute(MlirModule program, int count, char **keys) {
  TuttiOptions options = tuttiOptionsCreate(TUTTI_DISTRIBUTE);
  bool done =
      set_keys(options, count, keys) && is_done(tuttiRunPipeline(program, options, tell, stderr));
  tuttiOptionsDestroy(options);
  return done;
}

static bool print_plan(MlirModule program, int64_t ranks, int count, char **keys) {
  return distribute(program, count, keys) &&
         is_done(tuttiSpecializeWorld(program, ranks, tell, stderr)) &&
         is_done(tuttiVerify(program, tell, stderr)) &&
         is_done(tuttiPlanAsJson(program, ref(""), 0, print, stdout, tell, stderr));
}

int main(int count, char **arguments) {
  if (count < 3)
    return fputs("usage: print-plan PROGRAM RANKS [KEY=VALUE ...]\n", stderr), 1;
  MlirContext context = tuttiContextCreate(/*threads=*/false, tell, stderr);
  if (mlirContextIsNull(context))
    return 1;
  MlirModule program = tuttiProgramRead(context, ref(arguments[1]), tell, stderr);
  bool done = !mlirModuleIsNull(program) &&
              print_plan(program, atoll(arguments[2]), count - 3, arguments + 3);
  tuttiProgramDestroy(program);
  tuttiContextDestroy(context);
  return !done;
}
