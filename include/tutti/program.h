/* What a compiled program exports: the symbols of program.so, and the text of its manifest.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TUTTI_PROGRAM_H
#define TUTTI_PROGRAM_H

#include "tutti/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Signatures of tutti_initialize, tutti_step, tutti_evaluate and tutti_prefetch. All buffers are
   dense, row-major and 64-byte aligned, belong to the caller, and are in the order of the manifest.
   Returns the sticky status of the context. Variables are updated in place. `arena` is scratch of
   at least the manifest's size for that function. */
typedef int32_t (*tutti_initialize_function)(tutti_context *context, void *const *variables,
                                             void *const *results /* null */, void *arena);
typedef int32_t (*tutti_step_function)(tutti_context *context, void *const *variables,
                                       void *const *inputs /* inputs, then hyperparameters */,
                                       void *const *results /* metrics, then outputs */,
                                       void *arena);
typedef tutti_step_function tutti_evaluate_function;
/* Tells the row service of the context what the step behind that of the context will pull; `inputs`
   are its batch, in the order of those of tutti_step. Variables and results are null. */
typedef tutti_step_function tutti_prefetch_function;

/* Names of the symbols. The manifest is a NUL-terminated JSON text in constant data without
   relocations, so that it can be read from the file without loading it. tutti_evaluate and
   tutti_prefetch may be absent. tutti_values, which is absent if the manifest lists no values, is
   an array of pointers, one a value of that list and in its order: before the first call the host
   writes there where each value lies. It belongs to the host, is only read, and is aligned as its
   element type wants. What is "initial" may go once tutti_initialize has returned; the others stay
   as long as the program is called. */
#define TUTTI_SYMBOL_MANIFEST "tutti_manifest"
#define TUTTI_SYMBOL_INITIALIZE "tutti_initialize"
#define TUTTI_SYMBOL_STEP "tutti_step"
#define TUTTI_SYMBOL_EVALUATE "tutti_evaluate"
#define TUTTI_SYMBOL_PREFETCH "tutti_prefetch"
#define TUTTI_SYMBOL_VALUES "tutti_values"

/* Manifest:
   { "abi": 6, "program": "digits_cnn", "fingerprint": hex, "ranks": 4, "global_batch": 64,
   "local_batch": 16, "samples_per_step": 64, "batch_policy": "error|drop|pad|weighted", "shard":
   "none|strided|contiguous", "arena": {"initialize": bytes, "step": bytes, "evaluate": bytes,
   "prefetch": bytes},
     "variables": [{"name", "class": "trainable|state|other", "type", "shape": [..],
                    "placement": "replicated|sharded|per_rank", "whole": [..]}],
     "step": {"inputs": [{"name", "type", "shape"}], "hyperparameters": [{.., "value": 0.1}],
              "metrics": [..], "outputs": [..]},
     "evaluate": {"variables": [indices], "batch": 16, "inputs": [..], "metrics": [{"name", "type",
   "shape", "weight", "label", "exponential", "sum", "batches": "mean|sum|max|min|whole"}]},
     "groups": [{"number", "name", "members": "ranks|per_node|across_nodes|at_run_time",
                 "sets": [[world ranks]], "size"}],
     "values": [{"name", "bytes", "initial": false}],
     "plan": [{"id", "function", "op", "reduction", "group", "bucket", "type", "wire", "elements":
   [..], "bytes", "times", "root", "peer", "tag", "async", "source": [names], "predicted_seconds"}],
   "plan_hash": hex } Types are spelled as in types.h. "shape" is that of the buffer on one rank. Of
   a "sharded" variable that is part r, on rank r of N, of the value of shape "whole", flattened in
   row-major order and filled up with zeros to N equal parts; of a "per_rank" one it is a value of
   that rank alone. Without "placement" a variable is "replicated". "evaluate" is absent without
   tutti_evaluate; its metrics have one value or more for each sample, and their means are reported,
   or of one that is "sum" its sum. One that has "batches" is a single number of its batch, which is
   the mean, sum, maximum or minimum over the samples there, and reported over all samples; or of
   the "whole" batch, which is then the global one, and its mean over batches is reported: samples
   that fill no batch are left out. The mean of one that has a
   "weight" is weighed by the values of the metric of that index, which has its shape and is not
   reported; of one that is "exponential" e to the power of the mean is reported. One that has a
   "label" holds scores, and the metric of that index their labels, from 0 to 1: what is reported is
   the area under the ROC curve. Inputs that are "labels": true hold such labels. "groups" are those
   beside the world; the host makes them, each under its number, before it calls tutti_initialize,
   but for those of "at_run_time". "values" are constants that are not in the shared object, see
   above; the list may be absent. "sets" belong to "ranks"; "size", where it is there, is the
   number of ranks that each set must have. "type" of an entry of the plan is that of the values,
   "wire" what travels and what "bytes" counts; it is called "times" times in one call of its
   function, null where that is not constant. "bucket" numbers the collectives of a function that
   move data; a bucket of several types is several entries. "peer" and "tag" are -1 where it has
   none, and "peer" where it depends on the rank. "predicted_seconds" is there where a cost model
   was asked; the entries of ranks may differ in it. "table" is there where the "op" is a pull or a
   push: it names the table, and "group" is "servers". */

#ifdef __cplusplus
}
#endif

#endif /* TUTTI_PROGRAM_H */
