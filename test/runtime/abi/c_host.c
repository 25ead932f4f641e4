/* A host in plain C11 that uses the whole door: it must compile, link with the shared library
   alone, and run. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tutti/collectives.h"
#include "tutti/kernels.h"
#include "tutti/program.h"

#include <stdio.h>

int main(void) {
  tutti_context_options options = {
      .struct_bytes = sizeof options, .backend = tutti_backend_self(), .size = 1};
  tutti_context *context = 0;
  if (tutti_context_create(&options, &context) != TUTTI_OK)
    return 1;
  void *memory = 0;
  if (tutti_context_alloc(context, 4, &memory) != TUTTI_OK)
    return 2;
  *(float *)memory = 3;
  const void *source = memory;
  int64_t one = 1;
  tutti_all_reduce(context, 0, TUTTI_GROUP_WORLD, TUTTI_SUM, TUTTI_F32, 1, &source, &memory, &one);
  tutti_all_reduce(context, 0, 5, TUTTI_SUM, TUTTI_F32, 1, &source, &memory, &one);
  int is_refused = tutti_context_status(context) == TUTTI_INVALID_ARGUMENT;
  printf("%s\n", tutti_context_message(context));
  int is_right = *(float *)memory == 3;
  tutti_context_destroy(context);
  return is_refused && is_right ? 0 : 3;
}
