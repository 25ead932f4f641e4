// What a server does with what workers ask.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/RowAnswers.h"

#include "runtime/servers/rpc/Rows.pb.h"

#include <algorithm>
#include <limits>

namespace tutti::runtime::servers {
namespace {

/// Of what somebody else says.
constexpr size_t shown_characters = 64;

void fill(tutti::rows::Answer &answer, const Error &error) {
  answer.set_status(error.status);
  answer.set_message(error.message);
}

/// A request without its parts.
template <typename Message> RowRequest request_of(const Message &message, RowRequest::Kind kind) {
  RowRequest request;
  request.kind = kind;
  request.worker = message.worker();
  request.step = message.step();
  return request;
}

RowRequest decoded(const tutti::rows::PullRequest &message, RowRequest::Kind kind) {
  RowRequest request = request_of(message, kind);
  request.states = message.states();
  for (const tutti::rows::PullPart &part : message.parts())
    request.parts.push_back({part.table(), part.indices(), part.is_prefetched()});
  return request;
}

RowRequest decoded(const tutti::rows::PushRequest &message) {
  RowRequest request = request_of(message, RowRequest::Kind::push);
  for (const tutti::rows::PushPart &part : message.parts())
    request.parts.push_back(
        {part.table(), part.indices(), /*is_prefetched=*/false, part.gradients(), part.scalars()});
  return request;
}

/// Rows as the parts of a message. Without one nothing is asked for.
class EncodedRows final : public RowReply {
public:
  explicit EncodedRows(tutti::rows::PullReply *message = nullptr) : message(message) {}

  char *room(size_t, int64_t bytes) override {
    std::string &rows = *message->add_parts()->mutable_rows();
    rows.resize(size_t(bytes));
    return rows.data();
  }
  Error replace(size_t, const std::vector<int64_t> &positions,
                const std::vector<char> &rows) override {
    tutti::rows::PulledRows &part = *message->add_parts();
    part.set_rows(rows.data(), rows.size());
    part.set_positions(positions.data(), positions.size() * sizeof(int64_t));
    return Error::success();
  }

private:
  tutti::rows::PullReply *message;
};

} // namespace

void RowAnswers::handshake(const tutti::rows::HandshakeRequest &request,
                           tutti::rows::Answer &answer) {
  Error error = check_handshake(run, number, request);
  if (!error)
    error = described.check(request);
  if (error)
    membership.refuse(request.worker(), error);
  fill(answer, error);
}

void RowAnswers::answer(const RowRequest &request, tutti::rows::PullReply &reply) const {
  EncodedRows rows(&reply);
  Error error = service.serve(request, rows);
  if (error)
    reply.clear_parts();
  fill(*reply.mutable_answer(), error);
}

void RowAnswers::pull(const tutti::rows::PullRequest &request,
                      tutti::rows::PullReply &reply) const {
  answer(decoded(request, RowRequest::Kind::pull), reply);
}

void RowAnswers::prefetch(const tutti::rows::PullRequest &request,
                          tutti::rows::PullReply &reply) const {
  answer(decoded(request, RowRequest::Kind::prefetch), reply);
}

void RowAnswers::push(const tutti::rows::PushRequest &request, tutti::rows::Answer &answer) const {
  EncodedRows none;
  fill(answer, service.serve(decoded(request), none));
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

} // namespace tutti::runtime::servers
