// send, recv and exchange: calls as messages. Steps and traffic: see Mailbox.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/engine/backends/shm/Collectives.h"
#include "runtime/engine/backends/shm/Mailbox.h"
#include "runtime/engine/backends/shm/Team.h"
#include "runtime/support/Names.h"

namespace tutti::runtime::shm {
namespace {

template <typename Buffers>
int32_t move_one(Team &team, tutti_context *context, const tutti_call &call, bool is_send,
                 Buffers buffers) {
  Mailbox &mailbox = team.mailbox();
  std::vector<MessageBuffers::Piece> &pieces = mailbox.begin();
  for (int64_t i = 0; i < call.count; ++i)
    pieces.push_back({static_cast<char *>(const_cast<void *>(buffers[i])),
                      call.elements[i] * type_bytes(call.type)});
  Transfer &transfer = mailbox.add(call.peer, is_send);
  transfer.header.tag = call.tag;
  // The same on both sides but for the plan entry, which is for messages.
  tutti_call same = call;
  same.kind = TUTTI_SEND;
  same.reduction = same.peer = 0;
  transfer.header.signature = signature_of(same);
  transfer.buffers = MessageBuffers(pieces);
  return mailbox.run(context, call.plan_entry);
}

} // namespace

int32_t send(Team &team, tutti_context *context, const tutti_call &call) {
  return move_one(team, context, call, true, call.sources);
}

int32_t recv(Team &team, tutti_context *context, const tutti_call &call) {
  return move_one(team, context, call, false, call.destinations);
}

int32_t exchange(Team &team, tutti_context *context, int64_t plan_entry,
                 const tutti_transfer *transfers, int64_t count) {
  Mailbox &mailbox = team.mailbox();
  mailbox.begin();
  for (int64_t i = 0; i < count; ++i) {
    Transfer &transfer = mailbox.add(transfers[i].peer, transfers[i].is_send != 0);
    transfer.header.is_exchange = 1;
    transfer.header.signature = {0, 0, plan_entry};
    transfer.buffers = MessageBuffers(transfers[i].memory, transfers[i].bytes);
  }
  return mailbox.run(context, plan_entry);
}

} // namespace tutti::runtime::shm
