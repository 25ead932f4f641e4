// The row service of one process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/LocalRows.h"

#include <cstdio>

namespace tutti::runtime::servers {

LocalRows::LocalRows(std::vector<Table *> tables, int64_t worker, double seconds)
    : tables(std::move(tables)), worker(worker),
      seconds(seconds), functions{sizeof functions, this, pull, push} {}

static int32_t answer(const Error &error, char *message, int64_t message_bytes) {
  if (!error)
    return TUTTI_OK;
  std::snprintf(message, message_bytes, "%s", error.message.c_str());
  return error.status;
}

/// Calls ask(table), whatever happens in it.
template <typename Ask>
static int32_t guarded(const std::vector<Table *> &tables, int64_t table, char *message,
                       int64_t message_bytes, Ask ask) {
  try {
    if (table < 0 || table >= int64_t(tables.size()))
      return answer(
          Error::make(TUTTI_BAD_PROGRAM, "there is no table ", table, " of ", tables.size()),
          message, message_bytes);
    return answer(ask(*tables[table]), message, message_bytes);
  } catch (const std::exception &error) {
    std::snprintf(message, message_bytes, "%s", error.what());
    return TUTTI_OUT_OF_MEMORY;
  }
}

int32_t LocalRows::pull(void *self, const tutti_row_list *list, void *rows, char *message,
                        int64_t message_bytes) {
  auto &local = *static_cast<LocalRows *>(self);
  return guarded(local.tables, list->table, message, message_bytes, [&](Table &table) {
    return table.pull(list->step, list->indices, list->count, static_cast<char *>(rows),
                      local.seconds);
  });
}

int32_t LocalRows::push(void *self, const tutti_row_list *list, const void *gradients,
                        const void *scalars, int64_t scalar_bytes, char *message,
                        int64_t message_bytes) {
  auto &local = *static_cast<LocalRows *>(self);
  return guarded(local.tables, list->table, message, message_bytes, [&](Table &table) {
    return table.push(local.worker, list->step, list->indices, list->count,
                      static_cast<const char *>(gradients),
                      {static_cast<const char *>(scalars), size_t(scalar_bytes)});
  });
}

} // namespace tutti::runtime::servers
