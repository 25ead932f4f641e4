// What a server does with what workers ask.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/RowAnswers.h"

#include "runtime/servers/PackedTable.h"
#include "runtime/servers/rpc/Rows.pb.h"

#include <algorithm>
#include <limits>

namespace tutti::runtime::servers {
namespace {

/// The indices of a part, which are whole.
std::vector<int64_t> indices_of(const std::string &bytes) {
  std::vector<int64_t> indices(bytes.size() / sizeof(int64_t));
  bytes.copy(reinterpret_cast<char *>(indices.data()), bytes.size());
  return indices;
}

/// Of what somebody else says.
constexpr size_t shown_characters = 64;

void fill(tutti::rows::Answer &answer, const Error &error) {
  answer.set_status(error.status);
  answer.set_message(error.message);
}

int64_t count_of(const std::string &indices) { return int64_t(indices.size() / sizeof(int64_t)); }

Error check_part(const Table &table, const tutti::rows::PullPart &part) {
  int64_t count = count_of(part.indices());
  if (table.rows() < count)
    return Error::make(TUTTI_BAD_DATA, "a pull asks for ", count, " rows of a table of ",
                       table.rows());
  if (part.is_prefetched() && count > 0)
    return Error::make(TUTTI_BAD_DATA, "a pull names ", count,
                       " rows that it says were asked for ahead");
  return Error::success();
}

Error check_part(const Table &table, const tutti::rows::PushPart &part) {
  int64_t count = count_of(part.indices());
  if (int64_t(part.gradients().size()) == count * packed_bytes(table, /*states=*/false))
    return Error::success();
  return Error::make(TUTTI_BAD_DATA, "a push of ", count, " rows brings ", part.gradients().size(),
                     " bytes of gradients");
}

} // namespace

void RowAnswers::handshake(const tutti::rows::HandshakeRequest &request,
                           tutti::rows::Answer &answer) {
  Error error = check_handshake(run, number, request);
  if (!error)
    error = described.check(request);
  if (error)
    membership.refuse(error);
  fill(answer, error);
}

void RowAnswers::pull(const tutti::rows::PullRequest &request,
                      tutti::rows::PullReply &reply) const {
  fill(*reply.mutable_answer(), pull_parts(request, reply));
}

void RowAnswers::prefetch(const tutti::rows::PullRequest &request,
                          tutti::rows::PullReply &reply) const {
  fill(*reply.mutable_answer(), prefetch_parts(request, reply));
}

void RowAnswers::push(const tutti::rows::PushRequest &request, tutti::rows::Answer &answer) const {
  fill(answer, push_parts(request));
}

void RowAnswers::position(const tutti::rows::PositionRequest &request,
                          tutti::rows::PositionReply &reply) const {
  Result<int64_t> steps = steps_of(request.worker());
  fill(*reply.mutable_answer(), steps.error());
  reply.set_steps(steps ? *steps : 0);
}

void RowAnswers::waits(const tutti::rows::WaitsRequest &, tutti::rows::WaitsReply &reply) const {
  for (const Table *table : tables)
    for (const std::string &wait : table->waits())
      reply.add_waits(wait);
}

void RowAnswers::statistics(const tutti::rows::StatisticsRequest &request,
                            tutti::rows::StatisticsReply &reply) const {
  fill(*reply.mutable_answer(), tell(request, reply));
}

Error RowAnswers::tell(const tutti::rows::StatisticsRequest &request,
                       tutti::rows::StatisticsReply &reply) const {
  if (request.run() != run.fingerprint)
    return Error::make(TUTTI_PLAN_MISMATCH, "this is a server of run '", run.fingerprint,
                       "', not of '", request.run().substr(0, shown_characters), "'");
  for (Table *table : tables) {
    if (Error error = table->settle(request.step(), run.seconds))
      return error;
    const TableStatistics all = table->statistics();
    auto &numbers = *reply.add_tables()->mutable_numbers();
    for_each_number(all, [&](const char *name, int64_t number) { numbers[name] = number; });
    for_each_staleness(all.staleness,
                       [&](const char *name, int64_t number) { numbers[name] = number; });
  }
  return Error::success();
}

Result<int64_t> RowAnswers::steps_of(int64_t worker) const {
  int64_t fewest = std::numeric_limits<int64_t>::max();
  for (Table *table : tables) {
    Result<int64_t> steps = table->steps_of(worker);
    if (!steps)
      return steps.error();
    fewest = std::min(fewest, *steps);
  }
  return fewest;
}

Result<Table *> RowAnswers::table_of(int64_t table) const {
  if (table < 0 || table >= int64_t(tables.size()))
    return Error::make(TUTTI_BAD_PROGRAM, "there is no table ", table, " of ", tables.size());
  return tables[table];
}

/// What all parts of a request are held to before anything is done.
template <typename Request> Error RowAnswers::check_parts(const Request &request) const {
  std::vector<bool> has_table(tables.size());
  for (const auto &part : request.parts()) {
    Result<Table *> table = table_of(part.table());
    if (!table)
      return table.error();
    if (has_table[part.table()])
      return Error::make(TUTTI_BAD_DATA, "a message has two parts of table ", part.table());
    has_table[part.table()] = true;
    if (part.indices().size() % sizeof(int64_t) != 0)
      return Error::make(TUTTI_BAD_DATA, "indices have ", part.indices().size(),
                         " bytes, which is no number of 64-bit integers");
    if (Error error = check_part(**table, part))
      return error;
  }
  return Error::success();
}

Error RowAnswers::pull_parts(const tutti::rows::PullRequest &request,
                             tutti::rows::PullReply &reply) const {
  Error error = check_parts(request);
  for (int number = 0; number < request.parts_size() && !error; ++number)
    error = pull_part(request, request.parts(number), *reply.add_parts());
  if (error)
    reply.clear_parts();
  return error;
}

Error RowAnswers::pull_part(const tutti::rows::PullRequest &request,
                            const tutti::rows::PullPart &part,
                            tutti::rows::PulledRows &pulled) const {
  Table &table = *tables[part.table()];
  if (part.is_prefetched())
    return pull_changed(table, request, pulled);
  std::vector<int64_t> indices = indices_of(part.indices());
  pulled.mutable_rows()->resize(indices.size() * packed_bytes(table, request.states()));
  return pull_packed(table, request.step(), indices, pulled.mutable_rows()->data(), run.seconds,
                     request.states(), request.worker());
}

Error RowAnswers::pull_changed(Table &table, const tutti::rows::PullRequest &request,
                               tutti::rows::PulledRows &pulled) const {
  if (request.states())
    return Error::make(TUTTI_BAD_DATA, "rows with states cannot be asked for ahead");
  std::vector<int64_t> positions;
  std::vector<char> rows;
  if (Error error = pull_prefetched_packed(table, request.worker(), request.step(), run.seconds,
                                           positions, rows))
    return error;
  pulled.set_rows(rows.data(), rows.size());
  pulled.set_positions(positions.data(), positions.size() * sizeof(int64_t));
  return Error::success();
}

Error RowAnswers::prefetch_parts(const tutti::rows::PullRequest &request,
                                 tutti::rows::PullReply &reply) const {
  if (request.states())
    return Error::make(TUTTI_BAD_DATA, "rows with states cannot be asked for ahead");
  Error error = check_parts(request);
  for (int number = 0; number < request.parts_size() && !error; ++number) {
    const tutti::rows::PullPart &part = request.parts(number);
    Table &table = *tables[part.table()];
    std::vector<int64_t> indices = indices_of(part.indices());
    std::string &rows = *reply.add_parts()->mutable_rows();
    rows.resize(indices.size() * packed_bytes(table, /*states=*/false));
    error = prefetch_packed(table, request.worker(), request.step(), indices, rows.data());
  }
  if (error)
    reply.clear_parts();
  return error;
}

Error RowAnswers::push_parts(const tutti::rows::PushRequest &request) const {
  Error error = check_parts(request);
  for (int number = 0; number < request.parts_size() && !error; ++number) {
    const tutti::rows::PushPart &part = request.parts(number);
    error = push_packed(*tables[part.table()], request.worker(), request.step(),
                        indices_of(part.indices()), part.gradients().data(), part.scalars(),
                        run.seconds);
  }
  return error;
}

} // namespace tutti::runtime::servers
