// Pulls and pushes, divided over servers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/RowClient.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <utility>

namespace tutti::runtime::servers {

void RowGradients::gather(char *out) const {
  for (int64_t position : positions) {
    wire.pack(numbers + position * row_bytes, row_bytes, out);
    out += wire.bytes_of(row_bytes);
  }
}

namespace {

/// Of the rows that one message asks for; what asks for more is several messages.
constexpr int64_t most_bytes = 64 << 20;
/// Pushes that are as large are sent without those of the other tables.
constexpr int64_t enough_bytes = 1 << 20;

RowRequest begun(RowRequest::Kind kind, int64_t step) {
  RowRequest request;
  request.kind = kind;
  request.step = step;
  return request;
}

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

int32_t pull_rows(void *self, const tutti_row_list *lists, int64_t count, void *const *rows,
                  char *message, int64_t message_bytes) {
  auto ask = [&] {
    return static_cast<RowClient *>(self)->pull(lists, count, rows, /*states=*/false);
  };
  return answer(ask, message, message_bytes);
}

int32_t prefetch_rows(void *self, const tutti_row_list *lists, int64_t count, char *message,
                      int64_t message_bytes) {
  auto ask = [&] { return static_cast<RowClient *>(self)->prefetch(lists, count); };
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
      division(int64_t(this->channels.size())), functions{
                                                    sizeof functions, this,    pull_rows, push_rows,
                                                    prefetch_rows,    nullptr, nullptr} {
  for (size_t number = 0; number < this->tables.size(); ++number)
    placements.emplace_back(this->tables, number, division.servers());
}

Error RowClient::check(const tutti_row_list &list) const {
  if (list.table < 0 || list.table >= int64_t(tables.size()))
    return Error::make(TUTTI_BAD_PROGRAM, "there is no table ", list.table, " of ", tables.size());
  return Error::success();
}

/// Puts the lists of each table together.
Error RowClient::collect(const tutti_row_list *lists, int64_t count, bool states,
                         Asks &asks) const {
  asks.used = 0;
  asks.of_list.clear();
  asks.step = count > 0 ? lists[0].step : -1;
  for (int64_t l = 0; l < count; ++l) {
    if (Error error = check(lists[l]))
      return error;
    if (lists[l].step != asks.step)
      return Error::make(TUTTI_BAD_PROGRAM, "lists of one pull are of steps ", asks.step, " and ",
                         lists[l].step);
    size_t number = 0;
    while (number < asks.used && asks.all[number].table != lists[l].table)
      ++number;
    if (number == asks.all.size())
      asks.all.emplace_back(division.servers());
    Ask &ask = asks.all[number];
    if (number == asks.used) {
      const worker::ServedTable &table = tables[lists[l].table];
      asks.used = number + 1;
      ask.table = lists[l].table;
      ask.row_bytes = states ? table.held_bytes() : table.row_bytes();
      ask.wire = states ? RowWire() : RowWire(table.wire);
      ask.states = states;
      ask.is_prefetched = false;
      ask.unpacked = 0;
      ask.indices.clear();
    }
    ask.indices.insert(ask.indices.end(), lists[l].indices, lists[l].indices + lists[l].count);
    asks.of_list.push_back(int64_t(number));
  }
  return Error::success();
}

/// Whether the rows of `wanted` are on their way: then it becomes what was asked for.
bool RowClient::take_prefetched(Ask &wanted, int64_t step) {
  for (size_t number = 0; ahead.step == step && !wanted.states && number < ahead.used; ++number) {
    Ask &asked = ahead.all[number];
    if (asked.table != wanted.table || !asked.is_prefetched || asked.indices != wanted.indices)
      continue;
    std::swap(asked, wanted); // `asked` is not prefetched now
    return true;
  }
  return false;
}

/// Asks each server for its rows of asks [begin, end). A pull that was started is finished,
/// whatever the others say.
Error RowClient::ask(Asks &asks, size_t begin, size_t end) {
  Error first;
  std::vector<std::pair<int64_t, std::vector<Ask *>>> asked;
  for (int64_t server = 0; server < division.servers() && !first; ++server) {
    std::vector<Ask *> of_server;
    request = begun(RowRequest::Kind::pull, asks.step);
    for (size_t number = begin; number < end; ++number) {
      Ask &ask = asks.all[number];
      ask.answers.resize(division.servers());
      if (ask.division.rows_of(server).empty())
        continue;
      of_server.push_back(&ask);
      request.states = ask.states;
      RowPart &part = request.parts.emplace_back(ask.part_of(server));
      part.is_prefetched = ask.is_prefetched;
      if (part.is_prefetched)
        part.indices = {};
    }
    if (request.parts.empty())
      continue;
    first = channels[server]->start_pull(request);
    if (!first)
      asked.emplace_back(server, std::move(of_server));
  }
  for (auto &[server, of_server] : asked) {
    Result<std::vector<char *>> rows = channels[server]->finish_pull();
    for (size_t part = 0; rows && part < of_server.size(); ++part)
      of_server[part]->answers[server] = (*rows)[part];
    if (!rows && !first)
      first = rows.error();
  }
  return first;
}

RowPart RowClient::Ask::part_of(int64_t server) const {
  RowPart part;
  part.table = table;
  part.indices = indices_of(division.rows_of(server));
  part.row_bytes = packed_bytes();
  return part;
}

void RowClient::Ask::unpack(int64_t count, char *out) {
  for (int64_t i = 0; i < count; ++i, out += row_bytes) {
    const RowDivision::Place &place = division.places()[unpacked++];
    wire.unpack(answers[place.server] + place.number * packed_bytes(), row_bytes, out);
  }
}

Error RowClient::pull(const tutti_row_list *lists, int64_t count, void *const *out, bool states) {
  if (Error error = collect(lists, count, states, asks))
    return error;
  for (size_t number = 0; number < asks.used; ++number)
    if (Ask &ask = asks.all[number]; !take_prefetched(ask, asks.step))
      ask.division.divide_distinct(placements[ask.table], ask.indices, distinct);
  for (size_t begin = 0, end; begin < asks.used; begin = end) {
    int64_t bytes = 0;
    for (end = begin; end < asks.used && (end == begin || bytes < most_bytes); ++end)
      bytes += int64_t(asks.all[end].indices.size()) * asks.all[end].packed_bytes();
    if (Error error = ask(asks, begin, end))
      return error;
    for (int64_t l = 0; l < count; ++l)
      if (size_t number = size_t(asks.of_list[l]); number >= begin && number < end)
        asks.all[number].unpack(lists[l].count, static_cast<char *>(out[l]));
  }
  return has_next && !states ? post_prefetch() : Error::success();
}

Error RowClient::prefetch(const tutti_row_list *lists, int64_t count) {
  has_next = false;
  if (Error error = collect(lists, count, /*states=*/false, next))
    return error;
  int64_t bytes = 0;
  size_t most = next.used;
  for (next.used = 0; next.used < most && bytes < most_bytes; ++next.used) {
    Ask &ask = next.all[next.used];
    ask.division.divide_distinct(placements[ask.table], ask.indices, distinct);
    ask.is_prefetched = true;
    bytes += int64_t(ask.indices.size()) * ask.packed_bytes();
  }
  has_next = next.used > 0;
  return Error::success();
}

/// Each server forgets what it was asked for before, also one that has none of these rows.
Error RowClient::post_prefetch() {
  std::swap(next, ahead);
  has_next = false;
  for (int64_t server = 0; server < division.servers(); ++server) {
    request = begun(RowRequest::Kind::prefetch, ahead.step);
    for (size_t number = 0; number < ahead.used; ++number)
      if (const Ask &ask = ahead.all[number]; !ask.division.rows_of(server).empty())
        request.parts.push_back(ask.part_of(server));
    if (Error error = channels[server]->prefetch(request))
      return error;
  }
  return Error::success();
}

/// Every server gets a push, also without rows: it waits for one of each worker.
Error RowClient::push(const tutti_row_list &list, const char *gradients, std::string_view scalars) {
  if (Error error = check(list))
    return error;
  const worker::ServedTable &table = tables[list.table];
  division.divide_all(placements[list.table], list.indices, list.count);
  for (size_t server = 0; server < channels.size(); ++server) {
    RowGradients pushed_rows = {division.positions_of(int64_t(server)), table.row_bytes(),
                                gradients, RowWire(table.wire)};
    RowPart part;
    part.table = list.table;
    part.indices = indices_of(division.rows_of(int64_t(server)));
    part.scalars = scalars;
    part.row_bytes = pushed_rows.wire.bytes_of(pushed_rows.row_bytes);
    open_bytes += pushed_rows.wire_bytes();
    if (Error error = channels[server]->add_push(list.step, part, pushed_rows))
      return error;
  }
  pushed = list.step == pushed_step ? pushed + 1 : 1;
  pushed_step = list.step;
  bool is_due = pushed == int64_t(tables.size()) || open_bytes >= enough_bytes;
  return is_due ? post_pushes() : Error::success();
}

Error RowClient::post_pushes() {
  open_bytes = 0;
  for (const std::unique_ptr<RowChannel> &channel : channels)
    if (Error error = channel->post_pushes())
      return error;
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
