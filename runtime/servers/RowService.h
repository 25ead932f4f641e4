// What a server does with requests, whichever way they come.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_ROWSERVICE_H
#define TUTTI_RUNTIME_SERVERS_ROWSERVICE_H

#include "runtime/servers/RowRequest.h"
#include "runtime/servers/Table.h"

namespace tutti::runtime::servers {

/// Where the rows of an answer go. RowService calls one of both for each part of a pull or a
/// prefetch, in order, once the whole request has been checked.
class RowReply {
public:
  virtual ~RowReply() = default;
  /// Room for all rows of part `part`, which are `bytes` bytes as they travel.
  virtual char *room(size_t part, int64_t bytes) = 0;
  /// Of the rows of part `part`, which were asked for ahead, those at `positions` have become
  /// `rows`. An error if the worker has them nowhere.
  virtual Error replace(size_t part, const std::vector<int64_t> &positions,
                        const std::vector<char> &rows) = 0;
};

/// Checks requests and serves them. Nothing in them is believed: what does not fit is an error, and
/// leaves nothing behind. Rows with states, which become checkpoints, travel as they are. Any
/// number of threads.
class RowService {
public:
  /// `tables` must outlive it. A worker waits for another at most `seconds`.
  RowService(std::vector<Table *> tables, double seconds)
      : tables(std::move(tables)), seconds(seconds) {}

  /// Serves the parts one after the other, up to the first error; a push that was taken stays so.
  Error serve(const RowRequest &request, RowReply &reply) const;

  int64_t table_count() const { return int64_t(tables.size()); }
  /// Of a row of table `table` as it travels, or why there is no such table.
  Result<int64_t> row_bytes(int64_t table, bool states) const;
  /// No table waits for worker `worker` any more: it is gone for good.
  void leave(int64_t worker) const;

private:
  Error check(const RowRequest &request) const;
  Error check_part(const RowRequest &request, const RowPart &part) const;
  Error serve_part(const RowRequest &request, size_t number, std::vector<int64_t> &rows,
                   RowReply &reply) const;
  Error push(const RowRequest &request, const RowPart &part,
             const std::vector<int64_t> &rows) const;
  Error pull_changed(const RowRequest &request, size_t number, RowReply &reply) const;

  std::vector<Table *> tables;
  double seconds;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_ROWSERVICE_H
