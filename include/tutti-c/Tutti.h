/* Tutti's compiler for programs in C, in the style of MLIR's own C API (mlir-c): dialects,
   pipelines, the communication plan, proofs. Handles of MLIR come from mlir-c, whose functions
   libTuttiC exports too. Nothing here exits or throws, and nothing is kept of texts that are passed
   in. A context, and what belongs to it, is used from one thread at a time. The keys of pipelines
   and their texts: Options.h.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TUTTI_C_TUTTI_H
#define TUTTI_C_TUTTI_H

#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds Tutti's dialects, those of MLIR that training programs are written in, and the models of
   interfaces that its passes ask for. For contexts: nothing is registered in the process. May be
   called for several registries. */
MLIR_CAPI_EXPORTED void tuttiRegisterDialects(MlirDialectRegistry registry);

/* Registers passes and pipelines under their names, once for the whole process, so that
   mlirParsePassPipeline knows them. Nothing else here needs that. */
MLIR_CAPI_EXPORTED void tuttiRegisterPasses(void);

/* The pipelines: from a model to a training step; from one device to many; from a program that is
   specialised for its ranks to LLVM. */
enum TuttiPipeline { TUTTI_TRAIN = 0, TUTTI_DISTRIBUTE = 1, TUTTI_COMPILE = 2 };

/* The options of one pipeline. They start as the defaults, and belong to whoever created them. */
typedef struct TuttiOptions {
  void *ptr;
} TuttiOptions;

MLIR_CAPI_EXPORTED TuttiOptions tuttiOptionsCreate(enum TuttiPipeline pipeline);
MLIR_CAPI_EXPORTED void tuttiOptionsDestroy(TuttiOptions options);

/* Gives `key` (a TUTTI_..._KEY of Options.h) a value. Fails where there is no such key or it takes
   no such value, and says why through `complain`, which may be null; the options are as before
   then. Given twice, the last counts. */
MLIR_CAPI_EXPORTED MlirLogicalResult tuttiOptionsSet(TuttiOptions options, MlirStringRef key,
                                                     MlirStringRef value,
                                                     MlirStringCallback complain, void *userData);

/* Adds the passes of the pipeline to a pass manager on modules. Fails where options contradict each
   other, and says which; nothing is added then. The options may be destroyed afterwards. */
MLIR_CAPI_EXPORTED MlirLogicalResult tuttiAddPipeline(MlirOpPassManager passes,
                                                      TuttiOptions options,
                                                      MlirStringCallback complain, void *userData);

/* Adds the pass that fixes the number of ranks, 1 or more, and runs what waited for it. */
MLIR_CAPI_EXPORTED void tuttiAddSpecializeWorld(MlirOpPassManager passes, int64_t ranks);

/* Gives the communication plan of `program` to `give`, as JSON in one or several parts
   (docs/plan.md describes it). With the name of a cluster file, not empty, it has predicted times
   for `ranks` ranks, or for those of the program or the cluster if `ranks` is 0. Fails with a
   diagnostic of the context. */
MLIR_CAPI_EXPORTED MlirLogicalResult tuttiPlanAsJson(MlirModule program, MlirStringRef clusterFile,
                                                     int64_t ranks, MlirStringCallback give,
                                                     void *userData);

/* One diagnostic. Texts live as long as the call. Without a place in a file, `file` is empty and
 * line and column are 0. */
typedef struct TuttiDiagnostic {
  MlirDiagnosticSeverity severity;
  MlirStringRef message, file;
  int64_t line, column;
} TuttiDiagnostic;

typedef void (*TuttiDiagnosticCallback)(TuttiDiagnostic diagnostic, void *userData);

/* Proves that no rank waits for ever, and of a training program also that variables stay equal on
   all ranks. Changes nothing. Success if both are proved; else failure, and `tell` gets each error
   and, behind it, its notes. */
MLIR_CAPI_EXPORTED MlirLogicalResult tuttiVerify(MlirModule program, TuttiDiagnosticCallback tell,
                                                 void *userData);

/* The version, "0.1.0"; static. */
MLIR_CAPI_EXPORTED MlirStringRef tuttiVersion(void);

#ifdef __cplusplus
}
#endif

#endif /* TUTTI_C_TUTTI_H */
