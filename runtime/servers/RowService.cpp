// Checking requests, and packing rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/RowService.h"

#include "runtime/servers/RowWire.h"

namespace tutti::runtime::servers {
namespace {

using Kind = RowRequest::Kind;

/// As what rows of `table` travel.
RowWire wire_of(const Table &table, bool states) {
  return states ? RowWire() : RowWire(table.description().wire);
}

/// Of a row in `table`.
int64_t bytes_of(const Table &table, bool states) {
  return states ? table.description().held_bytes() : table.description().row_bytes();
}

/// read() writes `bytes` bytes of a table's numbers where it is told; they are packed to `packed`.
template <typename Read> Error pack(const RowWire &wire, int64_t bytes, char *packed, Read read) {
  if (wire.is_plain())
    return read(packed);
  std::vector<char> numbers(static_cast<size_t>(bytes));
  Error error = read(numbers.data());
  if (!error)
    wire.pack(numbers.data(), bytes, packed);
  return error;
}

} // namespace

Result<int64_t> RowService::row_bytes(int64_t table, bool states) const {
  if (table < 0 || table >= table_count())
    return Error::make(TUTTI_BAD_PROGRAM, "there is no table ", table, " of ", tables.size());
  return wire_of(*tables[table], states).bytes_of(bytes_of(*tables[table], states));
}

void RowService::leave(int64_t worker) const {
  for (Table *table : tables)
    table->leave(worker);
}

/// What all parts are held to before anything is done.
Error RowService::check(const RowRequest &request) const {
  if (request.states && request.kind == Kind::prefetch)
    return Error::make(TUTTI_BAD_DATA, "rows with states cannot be asked for ahead");
  std::vector<bool> has_table(tables.size());
  for (const RowPart &part : request.parts) {
    if (Error error = check_part(request, part))
      return error;
    if (has_table[part.table])
      return Error::make(TUTTI_BAD_DATA, "a request has two parts of table ", part.table);
    has_table[part.table] = true;
  }
  return Error::success();
}

Error RowService::check_part(const RowRequest &request, const RowPart &part) const {
  Result<int64_t> bytes = row_bytes(part.table, request.states);
  if (!bytes)
    return bytes.error();
  bool is_push = request.kind == Kind::push;
  if (part.indices.size() % sizeof(int64_t) != 0)
    return Error::make(TUTTI_BAD_DATA, "indices have ", part.indices.size(),
                       " bytes, which is no number of 64-bit integers");
  if (is_push && int64_t(part.gradients.size()) != part.count() * *bytes)
    return Error::make(TUTTI_BAD_DATA, "a push of ", part.count(), " rows brings ",
                       part.gradients.size(), " bytes of gradients");
  if (!is_push && part.count() > tables[part.table]->description().rows())
    return Error::make(TUTTI_BAD_DATA, "a pull asks for ", part.count(), " rows of a table of ",
                       tables[part.table]->description().rows());
  if (!is_push && !part.scalars.empty())
    return Error::make(TUTTI_BAD_DATA, "a pull brings ", part.scalars.size(), " bytes of scalars");
  if (!part.is_prefetched)
    return Error::success();
  if (request.kind != Kind::pull)
    return Error::make(TUTTI_BAD_DATA, "only a pull has rows that were asked for ahead");
  if (request.states)
    return Error::make(TUTTI_BAD_DATA, "rows with states cannot be asked for ahead");
  if (part.count() > 0)
    return Error::make(TUTTI_BAD_DATA, "a pull names ", part.count(),
                       " rows that it says were asked for ahead");
  return Error::success();
}

Error RowService::serve(const RowRequest &request, RowReply &reply) const {
  Error error = check(request);
  std::vector<int64_t> rows;
  for (size_t number = 0; number < request.parts.size() && !error; ++number)
    error = serve_part(request, number, rows, reply);
  return error;
}

/// Indices are copied to `rows`, and checked there: others may write where the request lies.
Error RowService::serve_part(const RowRequest &request, size_t number, std::vector<int64_t> &rows,
                             RowReply &reply) const {
  const RowPart &part = request.parts[number];
  if (part.is_prefetched)
    return pull_changed(request, number, reply);
  rows.resize(part.count());
  part.indices.copy(reinterpret_cast<char *>(rows.data()), part.indices.size());
  if (request.kind == Kind::push)
    return push(request, part, rows);
  Table &table = *tables[part.table];
  RowWire wire = wire_of(table, request.states);
  int64_t bytes = part.count() * bytes_of(table, request.states);
  auto read = [&](char *out) {
    return request.kind == Kind::prefetch
               ? table.prefetch(request.worker, request.step, rows.data(), part.count(), out)
               : table.pull(request.step, rows.data(), part.count(), out, seconds, request.states,
                            Table::Due::in_turn, request.worker);
  };
  return pack(wire, bytes, reply.room(number, wire.bytes_of(bytes)), read);
}

Error RowService::push(const RowRequest &request, const RowPart &part,
                       const std::vector<int64_t> &rows) const {
  Table &table = *tables[part.table];
  RowWire wire = wire_of(table, /*states=*/false);
  const char *gradients = part.gradients.data();
  std::vector<char> numbers;
  if (!wire.is_plain()) {
    numbers.resize(rows.size() * size_t(bytes_of(table, /*states=*/false)));
    wire.unpack(gradients, int64_t(numbers.size()), numbers.data());
    gradients = numbers.data();
  }
  return table.push(request.worker, request.step, rows.data(), int64_t(rows.size()), gradients,
                    part.scalars, seconds);
}

Error RowService::pull_changed(const RowRequest &request, size_t number, RowReply &reply) const {
  Table &table = *tables[request.parts[number].table];
  std::vector<int64_t> positions;
  std::vector<char> rows;
  if (Error error = table.pull_prefetched(request.worker, request.step, seconds, positions, rows))
    return error;
  RowWire wire = wire_of(table, /*states=*/false);
  if (!wire.is_plain()) {
    std::vector<char> packed(size_t(wire.bytes_of(int64_t(rows.size()))));
    wire.pack(rows.data(), int64_t(rows.size()), packed.data());
    rows = std::move(packed);
  }
  return reply.replace(number, positions, rows);
}

} // namespace tutti::runtime::servers
