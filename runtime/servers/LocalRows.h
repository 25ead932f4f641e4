// Tables in the process of their only worker.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_LOCALROWS_H
#define TUTTI_RUNTIME_SERVERS_LOCALROWS_H

#include "runtime/servers/Table.h"
#include "tutti/rows.h"

#include <memory>
#include <vector>

namespace tutti::runtime::servers {

/// Answers a context for tables that this process holds itself, as worker `worker` of them. The
/// tables must outlive it.
class LocalRows {
public:
  LocalRows(std::vector<Table *> tables, int64_t worker, double seconds);
  LocalRows(const LocalRows &) = delete;

  /// For tutti_context_set_rows; this object's.
  const tutti_row_service *service() const { return &functions; }

private:
  static int32_t pull(void *self, const tutti_row_list *list, void *rows, char *message,
                      int64_t message_bytes);
  static int32_t push(void *self, const tutti_row_list *list, const void *gradients,
                      const void *scalars, int64_t scalar_bytes, char *message,
                      int64_t message_bytes);

  std::vector<Table *> tables;
  int64_t worker;
  double seconds; ///< that a pull waits
  tutti_row_service functions;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_LOCALROWS_H
