/* calls-c PROGRAM: calls every function of the C API rightly and wrongly, in every order that is
   allowed, and on several threads; for builds with sanitizers, and for valgrind.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tutti-c/Options.h"
#include "tutti-c/Tutti.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

/* Ends the program where `what` is not so. */
#define EXPECT(what)                                                                               \
  do {                                                                                             \
    if (!(what)) {                                                                                 \
      fprintf(stderr, "calls.c:%d: not so: %s\n", __LINE__, #what);                                \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

static const char *path;

static MlirStringRef ref(const char *text) { return mlirStringRefCreate(text, strlen(text)); }

/* What a call has told. */
typedef struct Told {
  int errors, others;
  size_t bytes; /* each of them is read, for the sake of sanitizers */
} Told;

static size_t read_all(MlirStringRef text) {
  size_t sum = 0;
  for (size_t i = 0; i < text.length; ++i)
    sum += text.data[i] != 0;
  return sum;
}

static void tell(const TuttiDiagnostic *diagnostic, void *told_) {
  Told *told = told_;
  EXPECT(diagnostic->message.length > 0);
  told->bytes += read_all(diagnostic->message) + read_all(diagnostic->file);
  told->bytes += read_all(diagnostic->node);
  *(diagnostic->severity == MlirDiagnosticError ? &told->errors : &told->others) += 1;
}

/* A text that grows. */
typedef struct Text {
  char *data;
  size_t length;
} Text;

static void append(MlirStringRef part, void *text_) {
  Text *text = text_;
  text->data = realloc(text->data, text->length + part.length + 1);
  EXPECT(text->data);
  memcpy(text->data + text->length, part.data, part.length);
  text->length += part.length;
  text->data[text->length] = 0;
}

static Text print_program(MlirModule program) {
  Text text = {NULL, 0};
  tuttiProgramPrint(program, append, &text);
  EXPECT(text.length > 0);
  return text;
}

static bool is_success(MlirLogicalResult result) { return mlirLogicalResultIsSuccess(result); }

/* A failure is told as an error. */
static bool is_refused(MlirLogicalResult result, Told *told) {
  bool is = !is_success(result) && told->errors > 0;
  *told = (Told){0, 0, 0};
  return is;
}

static MlirModule read_program(MlirContext context) {
  Told told = {0, 0, 0};
  MlirModule program = tuttiProgramRead(context, ref(path), tell, &told);
  EXPECT(program.ptr && !told.errors);
  return program;
}

static TuttiOptions overlapping(void) {
  Told told = {0, 0, 0};
  TuttiOptions options = tuttiOptionsCreate(TUTTI_DISTRIBUTE);
  EXPECT(is_success(
      tuttiOptionsSet(options, ref(TUTTI_DISTRIBUTE_OVERLAP), ref("true"), tell, &told)));
  return options;
}

/* Everything that a program goes through; its text at the end. */
static Text distribute(MlirContext context) {
  Told told = {0, 0, 0};
  MlirModule program = read_program(context);
  TuttiOptions options = overlapping();
  EXPECT(is_success(tuttiRunPipeline(program, options, tell, &told)));
  tuttiOptionsDestroy(options);
  EXPECT(is_success(tuttiSpecializeWorld(program, 2, tell, &told)));
  EXPECT(is_success(tuttiVerify(program, tell, &told)));
  Text plan = {NULL, 0};
  EXPECT(is_success(tuttiPlanAsJson(program, ref(""), 0, append, &plan, tell, &told)));
  EXPECT(plan.length > 0 && plan.data[0] == '{');
  free(plan.data);
  EXPECT(is_success(tuttiPlanAsJson(program, ref(""), 0, NULL, NULL, tell, &told)));
  (void)tuttiPlanAsJson(program, mlirStringRefCreate(NULL, 0), -1, NULL, NULL, tell, &told);
  Text text = print_program(program);
  tuttiProgramDestroy(program);
  return text;
}

/* What is printed is read again; without a 0 after it, too, and with names that are not there. */
static void parse_what_is_printed(MlirContext context) {
  Told told = {0, 0, 0};
  Text text = distribute(context);
  char *exact = malloc(text.length);
  EXPECT(exact);
  memcpy(exact, text.data, text.length);
  MlirStringRef content = mlirStringRefCreate(exact, text.length);
  MlirModule first = tuttiProgramParse(context, content, ref("memory"), tell, &told);
  MlirModule second =
      tuttiProgramParse(context, content, mlirStringRefCreate(NULL, 0), tell, &told);
  free(exact); /* texts are not kept */
  EXPECT(first.ptr && second.ptr && !told.errors);
  tuttiProgramDestroy(first);
  Text again = print_program(second);
  EXPECT(!strcmp(text.data, again.data));
  tuttiProgramDestroy(second);
  free(again.data);
  free(text.data);
}

static void refuse_texts(MlirContext context) {
  static const char *const texts[] = {"module {", "\"a\"(",      "func.func @f( {",
                                      "}",        "module {\0}", "func.func @f() -> i32 { return }",
                                      "%a = %a",  "!",           "#a = #a"};
  Told told = {0, 0, 0};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    MlirModule program = tuttiProgramParse(context, ref(texts[i]), ref("memory"), tell, &told);
    EXPECT(!program.ptr && told.errors > 0);
  }
  EXPECT(!tuttiProgramRead(context, ref("/nowhere/at.all"), tell, &told).ptr);
  EXPECT(!tuttiProgramRead(context, mlirStringRefCreate(NULL, 0), tell, &told).ptr);
  MlirModule none = tuttiProgramParse(context, mlirStringRefCreate(NULL, 0), ref(""), tell, &told);
  EXPECT(none.ptr); /* an empty text is an empty module */
  tuttiProgramDestroy(none);
}

static void refuse_keys(void) {
  static const char *const keys[][2] = {{"", ""},
                                        {"overlap", ""},
                                        {"overlap", "x"},
                                        {"overlaps", "true"},
                                        {"=", "="},
                                        {"bucket-bytes", "-1"},
                                        {"root", "99999999999999999999"}};
  Told told = {0, 0, 0};
  TuttiOptions options = tuttiOptionsCreate(TUTTI_DISTRIBUTE);
  MlirStringRef empty = mlirStringRefCreate(NULL, 0);
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i)
    EXPECT(
        is_refused(tuttiOptionsSet(options, ref(keys[i][0]), ref(keys[i][1]), tell, &told), &told));
  EXPECT(is_refused(tuttiOptionsSet(options, empty, empty, tell, &told), &told));
  EXPECT(!is_success(tuttiOptionsSet(options, ref("overlaps"), ref("true"), NULL, NULL)));
  tuttiOptionsDestroy(options);
  EXPECT(!tuttiOptionsCreate((enum TuttiPipeline)7).ptr);
}

/* The program stays good where options contradict each other. */
static void refuse_contradictions(MlirContext context) {
  Told told = {0, 0, 0};
  MlirModule program = read_program(context);
  TuttiOptions options = overlapping();
  Text before = print_program(program);
  EXPECT(is_success(
      tuttiOptionsSet(options, ref(TUTTI_DISTRIBUTE_BUCKETS), ref("auto"), tell, &told)));
  EXPECT(is_refused(tuttiRunPipeline(program, options, tell, &told), &told));
  Text after = print_program(program);
  EXPECT(!strcmp(before.data, after.data));
  EXPECT(is_success(
      tuttiOptionsSet(options, ref(TUTTI_DISTRIBUTE_BUCKETS), ref("none"), tell, &told)));
  EXPECT(is_success(tuttiRunPipeline(program, options, tell, &told)));
  tuttiProgramDestroy(program);
  tuttiOptionsDestroy(options);
  free(before.data);
  free(after.data);
}

static void refuse_pipelines(MlirContext context) {
  static const char *const pipelines[] = {
      "",
      "(",
      "cse",
      "builtin.module",
      "builtin.module(",
      "builtin.module(cse))",
      "builtin.module(specialize-world{ranks=x})",
      "builtin.module(specialize-world{ranks=1 ranks=2})",
      "builtin.module(specialize-world{ranks=\t2})",
      "builtin.module(func.func(distribute))",
      "builtin.module(func.func(train{optimizer=sgd}))",
      "builtin.module(func.func(compile))",
      "builtin.module(func.func(specialize-world{ranks=2}))",
      "builtin.module(inline{op-pipelines=x})",
      "any(cse)",
  };
  Told told = {0, 0, 0};
  MlirModule program = read_program(context);
  for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines; ++i)
    EXPECT(is_refused(tuttiRunPasses(program, ref(pipelines[i]), tell, &told), &told));
  EXPECT(is_refused(tuttiRunPasses(program, mlirStringRefCreate(NULL, 0), tell, &told), &told));
  EXPECT(is_success(tuttiRunPasses(program, ref("builtin.module(cse)"), tell, &told)));
  tuttiProgramDestroy(program);
}

/* A pipeline that MLIR would follow by recursion until the stack ends. */
static void refuse_depth(MlirContext context) {
  static const char level[] = "builtin.module(";
  enum { levels = 100000 };
  Told told = {0, 0, 0};
  MlirModule program = read_program(context);
  Text deep = {NULL, 0};
  for (int i = 0; i < levels; ++i)
    append(ref(level), &deep);
  EXPECT(is_refused(
      tuttiRunPasses(program, mlirStringRefCreate(deep.data, deep.length), tell, &told), &told));
  free(deep.data);
  tuttiProgramDestroy(program);
}

/* After a pass has failed a program can be printed and destroyed. */
static void fail_in_passes(MlirContext context) {
  Told told = {0, 0, 0};
  MlirModule program = read_program(context);
  TuttiOptions options = overlapping();
  EXPECT(
      is_refused(tuttiPlanAsJson(program, ref("/nowhere"), 2, append, NULL, tell, &told), &told));
  EXPECT(is_success(tuttiRunPipeline(program, options, tell, &told)));
  EXPECT(is_refused(tuttiRunPipeline(program, options, tell, &told), &told));
  EXPECT(is_refused(tuttiSpecializeWorld(program, 3, tell, &told), &told));
  free(print_program(program).data);
  tuttiProgramDestroy(program);
  tuttiOptionsDestroy(options);
}

/* One context; programs of it go in any order. */
static void call_everything(bool threads) {
  Told told = {0, 0, 0};
  MlirContext context = tuttiContextCreate(threads, tell, &told);
  EXPECT(context.ptr && !told.errors);
  parse_what_is_printed(context);
  refuse_texts(context);
  refuse_keys();
  refuse_contradictions(context);
  refuse_pipelines(context);
  refuse_depth(context);
  fail_in_passes(context);
  MlirModule first = read_program(context), second = read_program(context);
  tuttiProgramDestroy(first);
  tuttiProgramDestroy(second);
  tuttiContextDestroy(context);
}

/* What the program must be on every thread. */
static Text expected;

static int run_thread(void *unused) {
  (void)unused;
  for (int i = 0; i < 2; ++i) {
    Told told = {0, 0, 0};
    MlirContext context = tuttiContextCreate(/*threads=*/i == 1, tell, &told);
    Text text = distribute(context);
    EXPECT(!strcmp(text.data, expected.data));
    refuse_pipelines(context);
    free(text.data);
    tuttiContextDestroy(context);
  }
  return 0;
}

static void run_threads(void) {
  enum { count = 4 };
  thrd_t threads[count];
  for (int i = 0; i < count; ++i)
    EXPECT(thrd_create(&threads[i], run_thread, NULL) == thrd_success);
  for (int i = 0; i < count; ++i)
    EXPECT(thrd_join(threads[i], NULL) == thrd_success);
}

static void expect_from_one_thread(void) {
  Told told = {0, 0, 0};
  MlirContext context = tuttiContextCreate(/*threads=*/false, tell, &told);
  expected = distribute(context);
  tuttiContextDestroy(context);
}

/* Contexts that live at the same time end in either order. */
static void interleave_contexts(void) {
  Told told = {0, 0, 0};
  MlirContext first = tuttiContextCreate(false, tell, &told);
  MlirContext second = tuttiContextCreate(true, tell, &told);
  MlirModule a = read_program(first), b = read_program(second);
  tuttiProgramDestroy(a);
  tuttiContextDestroy(first);
  EXPECT(is_success(tuttiVerify(b, tell, &told)) || told.errors);
  tuttiProgramDestroy(b);
  tuttiContextDestroy(second);
}

int main(int count, char **words) {
  if (count != 2)
    return fputs("usage: calls-c PROGRAM\n", stderr), 2;
  path = words[1];
  EXPECT(tuttiVersion().length > 0);
  tuttiRegisterPasses();
  tuttiRegisterPasses();
  call_everything(/*threads=*/false);
  call_everything(/*threads=*/true);
  interleave_contexts();
  expect_from_one_thread();
  run_threads();
  free(expected.data);
  puts("every call did what it must");
  return 0;
}
