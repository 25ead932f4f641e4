/* Tables whose rows are held by servers: what a program asks of them, and who answers. The host
   gives a context its row service; the program's manifest lists the tables.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TUTTI_ROWS_H
#define TUTTI_ROWS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Some rows of a table. `table` counts the manifest's tables from 0. Indices count
   from 0, are in range, and may repeat. */
typedef struct tutti_row_list {
  int64_t table;
  int64_t step; /* that of the context: how many steps were done before */
  int64_t count;
  const int64_t *indices;
} tutti_row_list;

/* Answers from the thread of the context. The functions return a status, and write a text of at
   most `message_bytes` with its NUL where that is not TUTTI_OK. They do not throw, and give up as
   the limits of the context say. */
typedef struct tutti_row_service {
  int64_t struct_bytes;
  void *self;
  /* rows[l][i] = row lists[l].indices[i] of its table as it is before its step, which is that of
     all lists: waits until the servers have updated each table `step` times. Several lists may be
     of one table. */
  int32_t (*pull)(void *self, const tutti_row_list *lists, int64_t count, void *const *rows,
                  char *message, int64_t message_bytes);
  /* Gives gradients[i] for row indices[i], and the scalars of the update one after the other, each
     at a multiple of 8 bytes. May return before the servers have them, and wait for the pushes of
     the step's other tables; memory is the caller's again. Called once a table and step. */
  int32_t (*push)(void *self, const tutti_row_list *list, const void *gradients,
                  const void *scalars, int64_t scalar_bytes, char *message, int64_t message_bytes);
  /* Tells what a later step will pull: `step` of the lists is that step, the one after that of the
     context. Changes nothing of what pull() gives. Null: the service has no use for it. */
  int32_t (*prefetch)(void *self, const tutti_row_list *lists, int64_t count, char *message,
                      int64_t message_bytes);
  /* May be null. Writes who waits at the servers, and for whose pushes, with its NUL; nothing if
     nobody does. Gets `teller`, may be called from any thread, beside a pull as well, and gives up
     after a few seconds. */
  void *teller;
  void (*tell_waits)(void *teller, char *text, int64_t text_bytes);
} tutti_row_service;

#ifdef __cplusplus
}
#endif

#endif /* TUTTI_ROWS_H */
