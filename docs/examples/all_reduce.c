/* Four processes add up their numbers: cc all_reduce.c -ltutti
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <sys/wait.h>
#include <tutti/collectives.h>
#include <unistd.h>

enum { ranks = 4, elements = 1000 };

static int run(int rank, const char *connection) {
  tutti_context_options options = {.struct_bytes = sizeof options, .backend = tutti_backend_shm()};
  options.connection = connection;
  options.rank = rank;
  options.size = ranks;
  tutti_context *context;
  void *memory = NULL;
  tutti_context_create(&options, &context);
  tutti_context_alloc(context, elements * sizeof(float), &memory);
  for (int i = 0; memory && i < elements; ++i)
    ((float *)memory)[i] = rank + 1;
  const void *source = memory;
  int64_t count = elements;
  tutti_all_reduce(context, 0, TUTTI_GROUP_WORLD, TUTTI_SUM, TUTTI_F32, 1, &source, &memory,
                   &count);
  int status = tutti_context_status(context); /* of everything above: the first error stays */
  if (status == TUTTI_OK)
    printf("rank %d: 1 + 2 + 3 + 4 = %g\n", rank, ((float *)memory)[elements - 1]);
  else
    fprintf(stderr, "rank %d: %s\n", rank, tutti_context_message(context));
  tutti_context_destroy(context);
  return status;
}

int main(void) {
  tutti_meeting *meeting;
  if (tutti_meeting_create(tutti_backend_shm(), ranks, elements * sizeof(float), &meeting))
    return fprintf(stderr, "%s\n", tutti_meeting_message(meeting)), 1;
  for (int rank = 1; rank < ranks; ++rank)
    if (fork() == 0)
      return run(rank, tutti_meeting_connection(meeting));
  int failed = run(0, tutti_meeting_connection(meeting)), status;
  while (wait(&status) > 0)
    failed |= status;
  tutti_meeting_destroy(meeting);
  return failed != 0;
}
