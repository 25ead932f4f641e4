/* The update of a table of rows of two numbers, as specialize-server and the compiler would make
   it, by hand: blocks of four rows, one state, one rate.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tutti/program.h"

#define BLOCK "\"type\": \"f32\", \"shape\": [4, 2]"

TUTTI_EXPORT const char tutti_manifest[] =
    "{\"abi\": 7, \"program\": \"add_gradients\", \"fingerprint\": \"f00d\", \"ranks\": 1,"
    " \"global_batch\": 4, \"local_batch\": 4, \"samples_per_step\": 4, \"batch_policy\": "
    "\"error\","
    " \"shard\": \"none\", \"arena\": {\"initialize\": 0, \"step\": 0, \"evaluate\": 0},"
    " \"variables\": [{\"name\": \"rate\", \"class\": \"other\", \"type\": \"f32\", \"shape\": "
    "[]}],"
    " \"step\": {\"inputs\": [{\"name\": \"rows\", " BLOCK "}, {\"name\": \"sum\", " BLOCK "},"
    " {\"name\": \"gradient\", " BLOCK "}], \"hyperparameters\": [], \"metrics\": [],"
    " \"outputs\": [{\"name\": \"rows\", " BLOCK "}, {\"name\": \"sum\", " BLOCK "}]},"
    " \"plan\": [], \"plan_hash\": \"00\"}";

TUTTI_EXPORT int32_t tutti_initialize(tutti_context *context, void *const *variables,
                                      void *const *results, void *arena) {
  (void)variables, (void)results, (void)arena;
  return tutti_context_status(context);
}

TUTTI_EXPORT int32_t tutti_step(tutti_context *context, void *const *variables, void *const *inputs,
                                void *const *results, void *arena) {
  const float *rate = variables[0], *rows = inputs[0], *sum = inputs[1], *gradient = inputs[2];
  float *new_rows = results[0], *new_sum = results[1];
  for (int i = 0; i < 8; ++i) {
    new_rows[i] = rows[i] - *rate * gradient[i];
    new_sum[i] = sum[i] + gradient[i];
  }
  (void)arena;
  return tutti_context_status(context);
}
