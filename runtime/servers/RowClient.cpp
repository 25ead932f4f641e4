// Pulls and pushes, divided over servers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/RowClient.h"

#include <cstdio>
#include <cstring>
#include <exception>

namespace tutti::runtime::servers {

void RowPush::gather(char *out) const {
  for (int64_t position : positions) {
    wire.pack(gradients + position * row_bytes, row_bytes, out);
    out += wire_row_bytes();
  }
}

namespace {

/// What `ask` returns as the row service says it.
template <typename Ask> int32_t answer(Ask ask, char *message, int64_t message_bytes) {
  Error error;
  try {
    error = ask();
  } catch (const std::exception &thrown) {
    error = Error::make(TUTTI_OUT_OF_MEMORY, thrown.what());
  }
  if (error)
    std::snprintf(message, message_bytes, "%s", error.message.c_str());
  return error.status;
}

int32_t pull_rows(void *self, const tutti_row_list *list, void *rows, char *message,
                  int64_t message_bytes) {
  auto ask = [&] {
    return static_cast<RowClient *>(self)->pull(*list, static_cast<char *>(rows),
                                                /*states=*/false);
  };
  return answer(ask, message, message_bytes);
}

int32_t push_rows(void *self, const tutti_row_list *list, const void *gradients,
                  const void *scalars, int64_t scalar_bytes, char *message, int64_t message_bytes) {
  auto ask = [&] {
    return static_cast<RowClient *>(self)->push(
        *list, static_cast<const char *>(gradients),
        {static_cast<const char *>(scalars), size_t(scalar_bytes)});
  };
  return answer(ask, message, message_bytes);
}

} // namespace

RowClient::RowClient(std::vector<worker::ServedTable> tables,
                     std::vector<std::unique_ptr<RowChannel>> channels)
    : tables(std::move(tables)), channels(std::move(channels)),
      division(int64_t(this->channels.size())),
      answers(this->channels.size()), functions{sizeof functions, this,    pull_rows,
                                                push_rows,        nullptr, nullptr} {
  for (size_t number = 0; number < this->tables.size(); ++number)
    placements.emplace_back(this->tables, number, division.servers());
}

Error RowClient::check(const tutti_row_list &list) const {
  if (list.table < 0 || list.table >= int64_t(tables.size()))
    return Error::make(TUTTI_BAD_PROGRAM, "there is no table ", list.table, " of ", tables.size());
  return Error::success();
}

/// Asks each server for its rows. A pull that was started is finished, whatever the others say.
Error RowClient::ask(const tutti_row_list &list, int64_t row_bytes, bool states) {
  Error first;
  asked.clear();
  for (int64_t server = 0; server < division.servers() && !first; ++server) {
    const std::vector<int64_t> &rows = division.rows_of(server);
    if (rows.empty())
      continue;
    first = channels[server]->start_pull({list.table, list.step, rows, row_bytes, states});
    if (!first)
      asked.push_back(server);
  }
  for (int64_t server : asked) {
    Result<const char *> rows = channels[server]->finish_pull();
    if (rows)
      answers[server] = *rows;
    else if (!first)
      first = rows.error();
  }
  return first;
}

Error RowClient::pull(const tutti_row_list &list, char *out, bool states) {
  if (Error error = check(list))
    return error;
  const worker::ServedTable &table = tables[list.table];
  division.divide_distinct(placements[list.table], list.indices, list.count);
  int64_t bytes = states ? table.held_bytes() : table.row_bytes();
  RowWire wire = states ? RowWire() : RowWire(table.wire);
  int64_t packed = wire.bytes_of(bytes);
  if (Error error = ask(list, packed, states))
    return error;
  for (const RowDivision::Place &place : division.places()) {
    wire.unpack(answers[place.server] + place.number * packed, bytes, out);
    out += bytes;
  }
  return Error::success();
}

/// Every server gets a push, also without rows: it waits for one of each worker.
Error RowClient::push(const tutti_row_list &list, const char *gradients, std::string_view scalars) {
  if (Error error = check(list))
    return error;
  division.divide_all(placements[list.table], list.indices, list.count);
  for (size_t server = 0; server < channels.size(); ++server) {
    RowPush push = {list.table,
                    list.step,
                    division.rows_of(int64_t(server)),
                    division.positions_of(int64_t(server)),
                    tables[list.table].row_bytes(),
                    gradients,
                    scalars,
                    RowWire(tables[list.table].wire)};
    if (Error error = channels[server]->start_push(push))
      return error;
  }
  return Error::success();
}

Error RowClient::finish() {
  Error first;
  for (const std::unique_ptr<RowChannel> &channel : channels)
    if (Error error = channel->finish_pushes(); error && !first)
      first = error;
  return first;
}

} // namespace tutti::runtime::servers
