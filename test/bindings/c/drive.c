/* drive-c FILE COMMAND...: does what the commands say through the C API alone, in their order.
   Ends with SIGABRT if the library writes to standard output or standard error by itself.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _POSIX_C_SOURCE 200809L /* dup */
#include "tutti-c/Options.h"
#include "tutti-c/Tutti.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: drive-c [--threads] [--null] FILE|--text TEXT COMMAND...\n"
    "  train | distribute | compile   the pipeline that KEY=VALUE and run are about\n"
    "  KEY=VALUE                      sets a key\n"
    "  run                            runs the pipeline\n"
    "  specialize RANKS | passes TEXT | verify | print | plan CLUSTER RANKS | version\n";

/* Where this program writes; 1 and 2 lead to `silence`, which must stay empty. */
static FILE *output, *report, *silence;

static FILE *move_away(int stream) {
  FILE *moved = fdopen(dup(stream), "w");
  dup2(fileno(silence), stream);
  return moved;
}

static void take_streams(void) {
  silence = tmpfile();
  if (!silence)
    abort();
  output = move_away(STDOUT_FILENO);
  report = move_away(STDERR_FILENO);
}

static void expect_silence(void) {
  char text[4096];
  fflush(output);
  rewind(silence);
  size_t length = fread(text, 1, sizeof text, silence);
  if (!length)
    return;
  fprintf(report, "the library has written by itself: %.*s\n", (int)length, text);
  fflush(report);
  abort();
}

/* What commands work on. */
typedef struct State {
  MlirContext context;
  MlirModule program;
  TuttiOptions options;
} State;

static MlirStringRef ref(const char *text) { return mlirStringRefCreate(text, strlen(text)); }

static void give(MlirStringRef text, void *file) {
  fwrite(text.data, 1, text.length, (FILE *)file);
}

static void print_ref(const char *before, MlirStringRef text) {
  if (text.length)
    fprintf(report, "%s%.*s", before, (int)text.length, text.data);
}

/* FILE:LINE:COLUMN: KIND: MESSAGE {NODE} */
static void tell(const TuttiDiagnostic *diagnostic, void *count) {
  static const char *const kinds[] = {"error", "warning", "note", "remark"};
  print_ref("", diagnostic->file);
  if (diagnostic->line)
    fprintf(report, ":%d:%d", (int)diagnostic->line, (int)diagnostic->column);
  fprintf(report, "%s%s", diagnostic->file.length ? ": " : "", kinds[diagnostic->severity]);
  print_ref(": ", diagnostic->message);
  if (diagnostic->node.length)
    print_ref(" {", diagnostic->node), fputs("}", report);
  fputs("\n", report);
  ++*(int *)count;
}

static int set(State *state, char *word) {
  char *value = strchr(word, '=');
  MlirStringRef key = mlirStringRefCreate(word, (size_t)(value - word));
  int told = 0;
  MlirLogicalResult done = tuttiOptionsSet(state->options, key, ref(value + 1), tell, &told);
  return mlirLogicalResultIsSuccess(done);
}

static void choose(State *state, enum TuttiPipeline pipeline) {
  tuttiOptionsDestroy(state->options);
  state->options = tuttiOptionsCreate(pipeline);
}

/* Commands without an argument. -1: it is none. */
static int obey_word(State *state, char *word) {
  int told = 0;
  if (!strcmp(word, "train"))
    return choose(state, TUTTI_TRAIN), 1;
  if (!strcmp(word, "distribute"))
    return choose(state, TUTTI_DISTRIBUTE), 1;
  if (!strcmp(word, "compile"))
    return choose(state, TUTTI_COMPILE), 1;
  if (!strcmp(word, "run"))
    return mlirLogicalResultIsSuccess(
        tuttiRunPipeline(state->program, state->options, tell, &told));
  if (!strcmp(word, "verify"))
    return mlirLogicalResultIsSuccess(tuttiVerify(state->program, tell, &told));
  if (!strcmp(word, "print"))
    return tuttiProgramPrint(state->program, give, output), 1;
  if (!strcmp(word, "version"))
    return give(tuttiVersion(), output), fputs("\n", output), 1;
  return strchr(word, '=') ? set(state, word) : -1;
}

/* Commands with one; `*at` is after it then. -1: it is none. */
static int obey_words(State *state, char **words, int *at, int count) {
  int told = 0;
  if (!strcmp(words[*at], "specialize") && *at + 1 < count)
    return mlirLogicalResultIsSuccess(
        tuttiSpecializeWorld(state->program, atoll(words[++*at]), tell, &told));
  if (!strcmp(words[*at], "passes") && *at + 1 < count)
    return mlirLogicalResultIsSuccess(
        tuttiRunPasses(state->program, ref(words[++*at]), tell, &told));
  if (!strcmp(words[*at], "plan") && *at + 2 < count) {
    *at += 2;
    return mlirLogicalResultIsSuccess(tuttiPlanAsJson(
        state->program, ref(words[*at - 1]), atoll(words[*at]), give, output, tell, &told));
  }
  return -1;
}

static int obey(State *state, char **words, int count) {
  for (int at = 0; at < count; ++at) {
    int done = obey_words(state, words, &at, count);
    if (done < 0)
      done = obey_word(state, words[at]);
    if (done < 0)
      fprintf(report, "no command '%s'\n%s", words[at], usage);
    if (done != 1)
      return 0;
  }
  return 1;
}

/* With null handles everything is refused in words. */
static int obey_nothing(void) {
  State none = {{NULL}, {NULL}, {NULL}};
  MlirDialectRegistry no_registry = {NULL};
  MlirOpPassManager no_passes = {NULL};
  int told = 0;
  tuttiProgramRead(none.context, ref("a"), tell, &told);
  tuttiProgramParse(none.context, ref("a"), ref("b"), tell, &told);
  tuttiRegisterDialects(no_registry, tell, &told);
  tuttiOptionsSet(tuttiOptionsCreate((enum TuttiPipeline)7), ref("a"), ref("b"), tell, &told);
  tuttiRunPipeline(none.program, none.options, tell, &told);
  tuttiAddPipeline(no_passes, none.options, tell, &told);
  tuttiAddSpecializeWorld(no_passes, 2, tell, &told);
  tuttiSpecializeWorld(none.program, 2, tell, &told);
  tuttiRunPasses(none.program, ref("a"), tell, &told);
  tuttiPlanAsJson(none.program, ref(""), 0, give, output, tell, &told);
  tuttiVerify(none.program, tell, &told);
  tuttiVerify(none.program, NULL, NULL);
  tuttiProgramPrint(none.program, give, output);
  tuttiProgramPrint(none.program, NULL, NULL);
  tuttiProgramDestroy(none.program);
  tuttiOptionsDestroy(none.options);
  tuttiContextDestroy(none.context);
  return fprintf(output, "%d refused\n", told) < 0;
}

static int drive(bool threads, bool is_text, char **words, int count) {
  int told = 0;
  State state = {tuttiContextCreate(threads, tell, &told), {NULL}, {NULL}};
  if (!state.context.ptr)
    return 1;
  state.program = is_text
                      ? tuttiProgramParse(state.context, ref(*words), ref("memory"), tell, &told)
                      : tuttiProgramRead(state.context, ref(*words), tell, &told);
  int done = state.program.ptr && obey(&state, words + 1, count - 1);
  tuttiOptionsDestroy(state.options);
  tuttiProgramDestroy(state.program);
  tuttiContextDestroy(state.context);
  return !done;
}

int main(int count, char **words) {
  take_streams();
  int at = 1, status = 2;
  bool threads = at < count && !strcmp(words[at], "--threads");
  at += threads;
  bool is_text = at + 1 < count && !strcmp(words[at], "--text");
  at += is_text;
  if (at < count && !strcmp(words[at], "--null"))
    status = obey_nothing();
  else if (at < count)
    status = drive(threads, is_text, words + at, count - at);
  else
    fputs(usage, report);
  expect_silence();
  return status;
}
