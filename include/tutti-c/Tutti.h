/* Tutti's compiler for programs in C, in the style of MLIR's own C API (mlir-c).

   A program is read or made in a context, goes through pipelines, and is asked what it communicates
   and whether that is right. Handles are those of mlir-c: who links MLIR's C API too may use its
   functions on them, and these functions on handles of its own. Who does not needs nothing of MLIR
   but its headers.

   Errors: nothing here exits, aborts, throws or writes to standard output or standard error, but
   for passes whose purpose that is, such as print-ir, and for MLIR's reader of bytecode, which ends
   the process at sizes that no memory holds. What can go wrong, null handles included, is said
   through a callback, and the result is a failure or a null handle.
   Ownership: what a function with Create, Read or Parse in its name gives belongs to the caller,
   who ends it once with the function that has Destroy in its name; on a null handle that does
   nothing. Texts that are passed in are not kept.
   Threads: a context, and the programs in it, are used by one thread at a time, options as well.
   Several contexts may be used at the same time. The keys of pipelines: tutti-c/Options.h.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TUTTI_C_TUTTI_H
#define TUTTI_C_TUTTI_H

#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version, "1.2.3"; static. */
MLIR_CAPI_EXPORTED MlirStringRef tuttiVersion(void);

/* What went wrong, or is worth knowing. Texts live as long as the call. An error comes before its
   notes, which are diagnostics of their own. Later versions may add members at the end. */
typedef struct TuttiDiagnostic {
  MlirDiagnosticSeverity severity;
  MlirStringRef message;
  MlirStringRef file;   /* empty: it is not about a place in a file */
  int64_t line, column; /* from 1; 0: not known, as in ONNX files */
  MlirStringRef node;   /* of an ONNX model; empty: none */
} TuttiDiagnostic;

/* Gets the diagnostics of one call, one at a time, perhaps on a thread of the context. It must not
   use the context. Where it is null, diagnostics go to the handlers of the context, or else to
   standard error, and what is not about a program, such as a key that there is not, is not said. */
typedef void (*TuttiDiagnosticCallback)(const TuttiDiagnostic *diagnostic, void *userData);

/* ---- Contexts ---- */

/* Adds Tutti's dialects, those of MLIR that training programs are written in, and the models of
   interfaces that its passes ask for, to a registry of mlir-c, which stays the caller's. Nothing is
   registered in the process. May be called for several registries. Fails where this process has
   loaded MLIR's library so that this one does not see it; the error says what to do. */
MLIR_CAPI_EXPORTED MlirLogicalResult tuttiRegisterDialects(MlirDialectRegistry registry,
                                                           TuttiDiagnosticCallback tell,
                                                           void *userData);

/* Registers passes and pipelines under their names, once for the whole process, so that
   mlirParsePassPipeline knows them. Nothing else here needs that. From any thread. */
MLIR_CAPI_EXPORTED void tuttiRegisterPasses(void);

/* A context with all of these dialects; with `threads`, passes run on several threads of its own.
   Null where tuttiRegisterDialects fails. */
MLIR_CAPI_EXPORTED MlirContext tuttiContextCreate(bool threads, TuttiDiagnosticCallback tell,
                                                  void *userData);

/* Its programs must be gone. mlirContextDestroy does the same. */
MLIR_CAPI_EXPORTED void tuttiContextDestroy(MlirContext context);

/* ---- Programs ---- */

/* The program of a file: an ONNX model, MLIR text or MLIR bytecode, told by its content. Null after
   errors. The weights of a large file stay in it, so it must not be changed while the context
   lives. */
MLIR_CAPI_EXPORTED MlirModule tuttiProgramRead(MlirContext context, MlirStringRef path,
                                               TuttiDiagnosticCallback tell, void *userData);

/* The program in `content`, MLIR text or bytecode, which needs no 0 after it; `name` is its file
   in diagnostics. Null after errors. */
MLIR_CAPI_EXPORTED MlirModule tuttiProgramParse(MlirContext context, MlirStringRef content,
                                                MlirStringRef name, TuttiDiagnosticCallback tell,
                                                void *userData);

/* Gives the program to `give` as MLIR text, in one or several parts that live as long as the call.
   `give` must not use the context. Nothing is given of a null program. */
MLIR_CAPI_EXPORTED void tuttiProgramPrint(MlirModule program, MlirStringCallback give,
                                          void *userData);

/* Before its context. mlirModuleDestroy does the same. */
MLIR_CAPI_EXPORTED void tuttiProgramDestroy(MlirModule program);

/* ---- Pipelines ---- */

/* From a model to a training step; from one device to many; from a program that is specialised for
   its ranks to LLVM. */
enum TuttiPipeline { TUTTI_TRAIN = 0, TUTTI_DISTRIBUTE = 1, TUTTI_COMPILE = 2 };

/* The options of one pipeline. They belong to no context, and serve any number of programs. */
typedef struct TuttiOptions {
  void *ptr;
} TuttiOptions;

/* The defaults. Null where there is no such pipeline. */
MLIR_CAPI_EXPORTED TuttiOptions tuttiOptionsCreate(enum TuttiPipeline pipeline);
MLIR_CAPI_EXPORTED void tuttiOptionsDestroy(TuttiOptions options);

/* Gives `key` (a TUTTI_..._KEY of tutti-c/Options.h) a value, as text. Fails where there is no such
   key or it takes no such value, and says what there is; the options are as before then. Given
   twice, the last counts. */
MLIR_CAPI_EXPORTED MlirLogicalResult tuttiOptionsSet(TuttiOptions options, MlirStringRef key,
                                                     MlirStringRef value,
                                                     TuttiDiagnosticCallback tell, void *userData);

/* Runs the pipeline on `program`. Fails where options contradict each other, and says which; the
   program is as before then. Or fails in a pass; then the program is somewhere within the pipeline,
   and good for nothing but to be destroyed. */
MLIR_CAPI_EXPORTED MlirLogicalResult tuttiRunPipeline(MlirModule program, TuttiOptions options,
                                                      TuttiDiagnosticCallback tell, void *userData);

/* Fixes the number of ranks, 1 or more, and runs what waited for it. Fails in a pass as
   tuttiRunPipeline does. */
MLIR_CAPI_EXPORTED MlirLogicalResult tuttiSpecializeWorld(MlirModule program, int64_t ranks,
                                                          TuttiDiagnosticCallback tell,
                                                          void *userData);

/* Runs passes and pipelines by name, as --pass-pipeline of dist-opt does:
   "builtin.module(distribute,specialize-world{ranks=2})". Registers passes if tuttiRegisterPasses
   has not. Fails where the text is no pipeline, or names a key or value that there is not; the
   program is as before then. Or fails in a pass, as tuttiRunPipeline does. */
MLIR_CAPI_EXPORTED MlirLogicalResult tuttiRunPasses(MlirModule program, MlirStringRef passes,
                                                    TuttiDiagnosticCallback tell, void *userData);

/* For pass managers of mlir-c, on modules: adds the passes of the pipeline. Fails where options
   contradict each other, and for pass managers on other operations; nothing is added then. The
   options may be destroyed afterwards. */
MLIR_CAPI_EXPORTED MlirLogicalResult tuttiAddPipeline(MlirOpPassManager passes,
                                                      TuttiOptions options,
                                                      TuttiDiagnosticCallback tell, void *userData);

/* The same for the pass of tuttiSpecializeWorld, which fails when it runs if `ranks` is below 1. */
MLIR_CAPI_EXPORTED MlirLogicalResult tuttiAddSpecializeWorld(MlirOpPassManager passes,
                                                             int64_t ranks,
                                                             TuttiDiagnosticCallback tell,
                                                             void *userData);

/* ---- Answers ---- */

/* Gives the communication plan of `program` to `give`, as JSON in one or several parts: the text of
   dist-opt --plan (docs/plan.md). With the name of a cluster file, not empty, it has predicted
   times for `ranks` ranks, or for those of the program or the cluster if `ranks` is 0. Changes
   nothing. Fails where the file makes no sense; nothing is given then. */
MLIR_CAPI_EXPORTED MlirLogicalResult tuttiPlanAsJson(MlirModule program, MlirStringRef clusterFile,
                                                     int64_t ranks, MlirStringCallback give,
                                                     void *giveData, TuttiDiagnosticCallback tell,
                                                     void *tellData);

/* Proves that the program is well-formed, that no rank waits for ever, and of a training program
   also that variables stay equal on all ranks. Changes nothing. Success if all is proved. */
MLIR_CAPI_EXPORTED MlirLogicalResult tuttiVerify(MlirModule program, TuttiDiagnosticCallback tell,
                                                 void *userData);

#ifdef __cplusplus
}
#endif

#endif /* TUTTI_C_TUTTI_H */
