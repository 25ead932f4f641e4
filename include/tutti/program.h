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

/* The manifest, a JSON object. This text follows from manifest.h, which has the same as C++:
   "check_manifest.py . --write" of test/layering writes it. A field that is marked ? may be absent,
   and is then 0, false, empty, or what its text says. A type is spelled as in types.h.

   The manifest:
     "abi": a number; TUTTI_ABI_VERSION
     "program": text; its name
     "fingerprint": text; hexadecimal digits of what it was compiled from
     "ranks": a number; of the world
     "global_batch": a number; samples of a step over all ranks
     "local_batch": a number; samples of a step on this rank
     "samples_per_step": a number; how many samples of the data all ranks take together
     "batch_policy": text; error, drop, pad or weighted
     "shard": none|strided|contiguous; how samples are dealt to ranks
     "neighbours"?: a number; ranks that have the same samples, and parts of one model
     "arena": an arena; bytes of scratch
     "repeated"?: a number; operations of the step that run again, so that its scratch is smaller
     "window"?: a number; bytes of the variables with a use that are in memory at once
     "variables": a list of variables; in the order of buffers
     "step": a step; what tutti_step takes and gives
     "evaluate"?: an evaluation; what tutti_evaluate takes and gives
     "tables"?: a list of tables; that servers hold
     "groups": a list of groups; other than the world
     "values": a list of values; constants that are not in the shared object
     "plan": a list of plan entries; all communication
     "plan_hash": text; hexadecimal digits
     "layout"?: lists of lists of lists [node, bytes, first moment, last moment, offset]; for
       people: of functions by name the largest buffers in their arenas
     "warnings"?: a list of texts; for people: of its compilation

   Of index bounds:
     "low": a number; bounds of what it may hold
     "high": a number; bounds of what it may hold
     "ignored"?: a number; a number outside of them that may stand there, too
     "node": text; its name, for messages
     "of": entries|classes; classes of a loss, or entries of a tensor

   Of a tensor:
     "name": text; its name
     "type": an element type; of its elements
     "shape": a list of numbers; of the buffer on one rank
     "indices"?: a list of index bounds; of an input: how nodes use it as indices
     "labels"?: true|false; of an input: labels, 1 and 0 or shares of 1 between them
     "axis"?: a number; of an input: along which samples lie

   Of a variable, beside what a tensor has:
     "class": text; trainable, state or other
     "placement": replicate|shard|per_rank; what ranks hold of it
     "whole"?: a list of numbers; the shape that is divided, of a sharded one
     "blocks"?: a number; of a sharded one that neighbouring ranks hold in blocks of a dimension:
       their number; rank r has block r modulo it
     "dimension"?: a number; along which these blocks are cut
     "outer"?: a number; equal ranges of that dimension, of each of which a rank has its block
     "parts"?: a number; of the block, in row-major order and filled up with zeros, that ranks with
       the same block keep: their number; rank r of N has part r / (N / parts)
     "use"?: a number; of a state that may lie in a file: the number of its use in the step, see
       states.h

   Of a hyperparameter, beside what a tensor has:
     "value": a number; what it is unless somebody says another

   Of a metric, beside what a tensor has:
     "weight"?: a number; the place of the metric that weighs its values, has its shape and is not
       reported
     "label"?: a number; the place of the metric that holds the labels of these scores: the area
       under the ROC curve is reported
     "exponential"?: true|false; e to the power of the mean is reported
     "sum"?: true|false; the sum is reported
     "batches"?: none|mean|sum|max|min|whole; it is one number of its batch: the mean, sum, maximum
       or minimum over the samples there, and reported over all; or of the whole global batch: then
       the mean over batches is reported, and samples that fill none are left out

   Of a step:
     "inputs": a list of tensors; of its batch
     "hyperparameters": a list of hyperparameters; after the inputs
     "metrics": a list of tensors; one number each
     "outputs": a list of tensors; after the metrics

   Of an evaluation:
     "variables": a list of numbers; places in the list of the program
     "batch": a number; its samples
     "inputs": a list of tensors; of its batch
     "metrics": a list of metrics; all of its results

   Of a row state:
     "name": text; its name
     "value": a number; what it is at first
     "per": element|row; one number of each row; else as many as the row has

   Of initial rows:
     "distribution": given|uniform|normal; of their values
     "first"?: a number; bounds, or mean and standard deviation
     "second"?: a number; bounds, or mean and standard deviation

   Of a table, beside what a tensor has:
     "initial": initial rows; what its rows are at first
     "states": a list of row states; what is kept beside each row
     "placement": range|hash; of rows over servers
     "reduction": sum|mean; of the workers' gradients; else their sum
     "neighbours"?: a number; workers with the same samples count as one
     "whole": true|false; it is one row
     "asynchronous": true|false; each push updates; else all of a step together
     "staleness": a number; by how many steps a worker may then be ahead; -1: no bound
     "warm_up": a number; how many steps are then common ones first
     "wire": none|bf16|f16; as what rows and gradients travel: as they are, or rounded
     "plan": text; all of that as a line, on which workers and servers must agree

   Of a group:
     "number": a number; positive
     "name": text; its name
     "members": text; ranks, per_node, across_nodes or at_run_time
     "sets"?: a list of lists of numbers; ranks of the world, of members "ranks"
     "size"?: a number; of each set, if the program relies on it

   Of a value:
     "name": text; of the resource in the program
     "bytes": a number; how large it is
     "initial": true|false; used before the first step alone

   Of a plan entry:
     "id": a number; its place in the plan
     "function": text; initialize, step or evaluate
     "op": text; all_reduce, broadcast, ...
     "reduction": text; sum, mean, ...; empty where nothing is reduced
     "group": text; of ranks; "servers" of pulls and pushes
     "bucket": a number; which of the function's collectives that move data it is part of: entries
       of one bucket differ in type
     "type": text; of the values
     "wire": text; what travels
     "elements": a list of numbers, or null; of each buffer, where they are constant
     "bytes": a number, or null; of all buffers, as they travel, where they are constant
     "times": a number, or null; in one call of its function, where it is constant
     "root": a number; of those that have one
     "peer": a number; of a message; -1 of others, and `peer` where it depends on the rank
     "tag": a number; of a message; -1 of others, and `peer` where it depends on the rank
     "async": true|false; started here and awaited later
     "source": a list of texts; what each buffer belongs to: a variable, a metric or a node
     "table"?: text; of a pull or a push
     "way"?: text; slices, tree or chain: how an all_reduce goes where ranks send messages
     "predicted_seconds"?: a number; by a cost model; may differ between ranks

   Of an arena:
     "initialize": a number; of its scratch
     "step": a number; of its scratch
     "evaluate": a number; of its scratch
     "prefetch": a number; of its scratch */

#ifdef __cplusplus
}
#endif

#endif /* TUTTI_PROGRAM_H */
