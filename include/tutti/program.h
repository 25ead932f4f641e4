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
/* Tells the row service of the context what the step after that of the context will pull; `inputs`
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

/* The manifest, a JSON object. A field that is marked ? may be absent. A type is spelled as in
   types.h, a shape is that of the buffer on one rank, and a tensor is {"name", "type", "shape"}.

   "abi": 7, "program": its name, "fingerprint": hexadecimal digits of what it was compiled from
   "ranks", "global_batch", "local_batch", "samples_per_step": numbers; of a step over all ranks
     and on this one, and how many samples of the data all ranks take together
   "batch_policy": error|drop|pad|weighted, "shard": none|strided|contiguous
   "arena": {"initialize", "step", "evaluate", "prefetch"}: bytes of scratch
   "repeated"?: how many operations of the step run again, so that its scratch is smaller

   "variables": a list of tensors, and of each
     "class": trainable|state|other
     "placement": replicate|shard|per_rank; replicate where it is absent. A sharded one is
       part r, on rank r of N, of a value, flattened in row-major order and filled up with zeros
       to N equal parts; one per rank is a value of that rank alone
     "whole"?: the shape of the value, of a sharded one

   "step": {"inputs", "hyperparameters", "metrics", "outputs"}, lists of tensors.
     Of an input:
     "axis"?: the dimension along which samples lie, if it is not the first
     "indices"?: how it is used as indices, a list of {"low", "high", "ignored"?: bounds of what
       it may hold, and a number beside them that may stand there, too; "of": classes|entries;
       "node"}
     "labels"?: true where it is the labels of an area, from 0 to 1
     Of a hyperparameter: "value", what it is unless somebody says another

   "evaluate"?: {"variables": places in the list above, "batch": its samples, "inputs",
     "metrics"}; it is absent without tutti_evaluate. A metric has a value or more for each
     sample, and their mean is reported, unless it has
     "weight"?, the place of the metric that weighs its values, has its shape and is not reported
     "label"?, the place of the metric that holds the labels of these scores: the area under the
       ROC curve is reported
     "exponential"?, true: e to the power of the mean is reported
     "sum"?, true: the sum is reported
     "batches"?: mean|sum|max|min|whole: it is one number of its batch, the mean, sum, maximum or
       minimum over the samples there, and reported over all samples; or of the whole batch, which
       is then the global one: the mean over batches is reported, and samples that fill none are
       left out

   "tables"?: those that servers hold, tensors whose rows are the first dimension, and of each
     "initial": {"distribution": given|uniform|normal, "first"?, "second"?}: bounds, or mean and
       standard deviation; given rows come with the program
     "states": what is kept beside each row, {"name", "value": what it is at first, "per":
       element|row}
     "placement": range|hash, of rows over servers; "reduction": mean|sum, of the workers'
       gradients
     "whole": true where it is one row; "wire": none|f16|bf16, as what rows and gradients travel
     "asynchronous": whether each push updates; "staleness": by how many steps a worker may then
       be ahead, or -1; "warm_up": how many steps are common ones first
     "plan": all of that as a line of text, on which workers and servers must agree

   "groups": those beside the world, {"number", "name", "members":
     ranks|per_node|across_nodes|at_run_time, "sets"?: lists of ranks of the world, of members
     "ranks", "size"?: the number of ranks that each set must have}. The host makes them, each
     under its number, before it calls tutti_initialize, but for those at_run_time
   "values"?: constants that are not in the shared object, see above: {"name", "bytes", "initial"}

   "plan": a list of all communication, {"id", "function", "op", "reduction", "group", "bucket",
     "type", "wire", "elements", "bytes", "times", "root", "peer", "tag", "async", "source",
     "table"?, "way"?, "predicted_seconds"?}. "type" is that of the values, "wire" what travels
     and what "bytes" counts; it is called "times" times in one call of its function; both, and
     "elements", are null where they are not constant. "bucket" numbers the collectives of a
     function that move data; a bucket of several types is several entries. "peer" and "tag" are
     -1 where there is none, and "peer" where it depends on the rank. "source" names what is in
     it. "table" is that of a pull or a push, whose "group" is "servers"; "way" is
     slices|tree|chain, how an all_reduce goes where ranks send messages. "predicted_seconds" is
     there where a cost model was asked, and may differ between ranks
   "plan_hash": hexadecimal digits
   "layout"?: for people, of functions by name the largest buffers in their arenas, each
     [node, bytes, first moment, last moment, offset]; a moment is the number of an operation */

#ifdef __cplusplus
}
#endif

#endif /* TUTTI_PROGRAM_H */
