/* drive-c FILE COMMAND...: does what the commands say through the C API alone, in their order.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tutti-c/Options.h"
#include "tutti-c/Tutti.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: drive-c [--threads] [--null] FILE|--text TEXT COMMAND...\n"
    "  train | distribute | compile   the pipeline that KEY=VALUE and run are about\n"
    "  KEY=VALUE                      sets a key\n"
    "  run                            runs the pipeline\n"
    "  specialize RANKS | passes TEXT | verify | print | plan CLUSTER RANKS | version\n";

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
    fprintf(stderr, "%s%.*s", before, (int)text.length, text.data);
}

/* FILE:LINE:COLUMN: KIND: MESSAGE {NODE} */
static void tell(const TuttiDiagnostic *diagnostic, void *count) {
  static const char *const kinds[] = {"error", "warning", "note", "remark"};
  print_ref("", diagnostic->file);
  if (diagnostic->line)
    fprintf(stderr, ":%d:%d", (int)diagnostic->line, (int)diagnostic->column);
  fprintf(stderr, "%s%s", diagnostic->file.length ? ": " : "", kinds[diagnostic->severity]);
  print_ref(": ", diagnostic->message);
  if (diagnostic->node.length)
    print_ref(" {", diagnostic->node), fputs("}", stderr);
  fputs("\n", stderr);
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
    return tuttiProgramPrint(state->program, give, stdout), 1;
  if (!strcmp(word, "version"))
    return give(tuttiVersion(), stdout), puts(""), 1;
  return strchr(word, '=') ? set(state, word) : -1;
}

/* Commands with one; `*at` is behind it then. -1: it is none. */
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
        state->program, ref(words[*at - 1]), atoll(words[*at]), give, stdout, tell, &told));
  }
  return -1;
}

static int obey(State *state, char **words, int count) {
  for (int at = 0; at < count; ++at) {
    int done = obey_words(state, words, &at, count);
    if (done < 0)
      done = obey_word(state, words[at]);
    if (done < 0)
      fprintf(stderr, "no command '%s'\n%s", words[at], usage);
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
  tuttiAddSpecializeWorld(no_passes, 2);
  tuttiSpecializeWorld(none.program, 2, tell, &told);
  tuttiRunPasses(none.program, ref("a"), tell, &told);
  tuttiPlanAsJson(none.program, ref(""), 0, give, stdout, tell, &told);
  tuttiVerify(none.program, tell, &told);
  tuttiVerify(none.program, NULL, NULL);
  tuttiProgramPrint(none.program, give, stdout);
  tuttiProgramPrint(none.program, NULL, NULL);
  tuttiProgramDestroy(none.program);
  tuttiOptionsDestroy(none.options);
  tuttiContextDestroy(none.context);
  return printf("%d refused\n", told) < 0;
}

int main(int count, char **words) {
  int told = 0, at = 1;
  bool threads = at < count && !strcmp(words[at], "--threads");
  at += threads;
  if (at < count && !strcmp(words[at], "--null"))
    return obey_nothing();
  bool is_text = at + 1 < count && !strcmp(words[at], "--text");
  at += is_text;
  if (at >= count)
    return fputs(usage, stderr), 2;
  State state = {tuttiContextCreate(threads, tell, &told), {NULL}, {NULL}};
  if (!state.context.ptr)
    return 1;
  state.program = is_text
                      ? tuttiProgramParse(state.context, ref(words[at]), ref("memory"), tell, &told)
                      : tuttiProgramRead(state.context, ref(words[at]), tell, &told);
  int done = state.program.ptr && obey(&state, words + at + 1, count - at - 1);
  tuttiOptionsDestroy(state.options);
  tuttiProgramDestroy(state.program);
  tuttiContextDestroy(state.context);
  return !done;
}
