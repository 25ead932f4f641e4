// The progress of messages. Each call moves what can be moved without waiting; who cannot move
// anything waits until it can.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/shm/Mailbox.h"

#include "runtime/backends/shm/Team.h"
#include "runtime/core/Context.h"

#include <algorithm>
#include <cstring>

namespace tutti::runtime::shm {
namespace {

/// A message up to this size goes through the ring at once.
constexpr int64_t most_eager_bytes = 16 << 10;
constexpr int64_t head_bytes = sizeof(Letter);
static_assert(head_bytes + most_eager_bytes <= ring_bytes && ring_bytes % head_bytes == 0);

bool match(const Letter &a, const Letter &b) {
  return a.tag == b.tag && a.is_exchange == b.is_exchange;
}

Cargo cargo_of(Letter &letter) { return Cargo({{reinterpret_cast<char *>(&letter), head_bytes}}); }

bool is_open(const Transfer &transfer) { return transfer.state != Transfer::State::finished; }

} // namespace

/// Something can be moved; and it has been.
class Mailbox::Progress : public Condition {
public:
  Progress(Mailbox &box, tutti_context *context, std::vector<Transfer> &transfers)
      : box(box), context(context), transfers(transfers) {}

  /// A wait may ask again after something has been moved: then nothing is left to move at its end.
  bool is_met() override {
    return box.progress(context, transfers) ||
           std::none_of(transfers.begin(), transfers.end(), is_open);
  }

  std::string missing() const override {
    std::string all;
    for (const Transfer &transfer : transfers) {
      if (!is_open(transfer))
        continue;
      all += text(all.empty() ? "" : ", ", box.team.text_of_member(context, transfer.peer),
                  transfer.is_send ? " to receive" : " to send");
      if (!transfer.letter.is_exchange)
        all += text(" what has tag ", transfer.letter.tag);
    }
    return all;
  }

  int64_t awaited() const override {
    auto open = std::find_if(transfers.begin(), transfers.end(), is_open);
    return open == transfers.end() ? -1 : box.team.memory().header().members[open->peer];
  }

  bool may_warn() override { return true; }

private:
  Mailbox &box;
  tutti_context *context;
  std::vector<Transfer> &transfers;
};

int32_t Mailbox::run(tutti_context *context, int64_t plan_entry, std::vector<Transfer> transfers) {
  lines.resize(team.size());
  team.set_plan_entry(plan_entry);
  Progress progress(*this, context, transfers);
  while (std::any_of(transfers.begin(), transfers.end(), is_open)) {
    if (int32_t status = team.wait_until(context, plan_entry, progress))
      return status;
    if (!context->ok())
      return context->status;
  }
  return TUTTI_OK;
}

/// Of each direction of each channel only the first open transfer may move: order is kept.
bool Mailbox::progress(tutti_context *context, std::vector<Transfer> &transfers) {
  bool has_moved = false;
  for (bool is_send : {true, false}) {
    ++passes;
    for (Transfer &transfer : transfers) {
      if (transfer.is_send != is_send || !is_open(transfer))
        continue;
      Line &line = lines[transfer.peer];
      if (line.pass == passes)
        continue;
      line.pass = passes;
      has_moved |= is_send ? send(transfer) : receive(context, transfer);
      if (!context->ok())
        return true;
    }
  }
  return has_moved;
}

Ring Mailbox::outgoing(int64_t peer) const {
  return {team.memory().channel(team.rank(), peer), team.memory().header().bed};
}

Ring Mailbox::incoming(int64_t peer) const {
  return {team.memory().channel(peer, team.rank()), team.memory().header().bed};
}

bool Mailbox::send_head(Transfer &transfer) {
  Ring ring = outgoing(transfer.peer);
  int64_t content = transfer.cargo.bytes();
  bool is_long = content > most_eager_bytes;
  int64_t bytes = head_bytes + (is_long ? 0 : content);
  if (ring.room() < in_lines(bytes))
    return false;
  Letter &letter = transfer.letter;
  letter.bytes = content;
  letter.place = not_shared;
  if (is_long) {
    letter.number = ++lines[transfer.peer].long_messages;
    if (char *memory = transfer.cargo.whole())
      letter.place = team.place().offset_of(memory, content);
  }
  Cargo head = cargo_of(letter);
  ring.write(0, head, head_bytes);
  if (!is_long)
    ring.write(head_bytes, transfer.cargo, content);
  ring.publish(bytes);
  transfer.state = is_long ? Transfer::State::moving : Transfer::State::finished;
  return true;
}

bool Mailbox::send(Transfer &transfer) {
  if (transfer.state == Transfer::State::waiting)
    return send_head(transfer);
  Ring ring = outgoing(transfer.peer);
  const Letter &letter = transfer.letter;
  if (letter.place != not_shared) {
    if (ring.channel.copied.load(std::memory_order_acquire) < letter.number)
      return false;
    transfer.state = Transfer::State::finished;
    return true;
  }
  if (ring.channel.granted.load(std::memory_order_acquire) < letter.number)
    return false;
  int64_t bytes = std::min({transfer.cargo.left(), ring.room(), ring_bytes / 4});
  if (bytes == 0)
    return false;
  ring.write(0, transfer.cargo, bytes);
  ring.publish(bytes);
  if (transfer.cargo.left() == 0)
    transfer.state = Transfer::State::finished;
  return true;
}

bool Mailbox::receive(tutti_context *context, Transfer &transfer) {
  if (transfer.state == Transfer::State::waiting)
    return take_early(context, transfer) || take_next(context, transfer);
  Ring ring = incoming(transfer.peer);
  int64_t bytes = std::min(transfer.cargo.left(), ring.available());
  if (bytes == 0)
    return false;
  ring.read(0, transfer.cargo, bytes);
  ring.release(bytes);
  if (transfer.cargo.left() == 0)
    transfer.state = Transfer::State::finished;
  return true;
}

bool Mailbox::take_early(tutti_context *context, Transfer &transfer) {
  std::deque<Early> &early = lines[transfer.peer].early;
  auto found = std::find_if(early.begin(), early.end(), [&](const Early &message) {
    return match(message.letter, transfer.letter);
  });
  if (found == early.end())
    return false;
  if (accept(context, transfer, found->letter)) {
    if (transfer.state == Transfer::State::moving)
      ask_for(transfer);
    else
      transfer.cargo.write_from(found->content.data(), found->letter.bytes);
  }
  early.erase(found);
  return true;
}

/// Takes the next message from the ring; keeps it for later if it is another than the one wanted.
bool Mailbox::take_next(tutti_context *context, Transfer &transfer) {
  Ring ring = incoming(transfer.peer);
  if (ring.available() < head_bytes)
    return false;
  Letter letter;
  Cargo head = cargo_of(letter);
  ring.read(0, head, head_bytes);
  int64_t content = letter.number != 0 ? 0 : letter.bytes;
  if (!match(letter, transfer.letter)) {
    Early early = {letter, std::vector<char>(content)};
    Cargo cargo({{early.content.data(), content}});
    ring.read(head_bytes, cargo, content);
    lines[transfer.peer].early.push_back(std::move(early));
    ring.release(head_bytes + content);
    return true;
  }
  bool is_right = accept(context, transfer, letter);
  if (is_right && content > 0)
    ring.read(head_bytes, transfer.cargo, content);
  ring.release(head_bytes + content);
  if (is_right && transfer.state == Transfer::State::moving)
    ask_for(transfer);
  return true;
}

/// False, with the reason in `context`, if the message is not what was expected.
bool Mailbox::accept(tutti_context *context, Transfer &transfer, const Letter &letter) {
  std::string wrong = problem(context, transfer, letter);
  if (!wrong.empty()) {
    context->fail(TUTTI_PLAN_MISMATCH, wrong);
    return false;
  }
  transfer.letter = letter;
  transfer.state = letter.number == 0 ? Transfer::State::finished : Transfer::State::moving;
  return true;
}

/// The head of a long message has been taken, and nothing else can be in the ring before it ends.
void Mailbox::ask_for(Transfer &transfer) {
  Ring ring = incoming(transfer.peer);
  const Letter &letter = transfer.letter;
  if (letter.place == not_shared)
    return notify(ring.channel.granted, letter.number, ring.bed);
  const char *arena = team.place().shared().arena(team.memory().header().members[transfer.peer]);
  transfer.cargo.write_from(arena + letter.place, letter.bytes);
  transfer.state = Transfer::State::finished;
  notify(ring.channel.copied, letter.number, ring.bed);
}

std::string Mailbox::problem(tutti_context *context, const Transfer &transfer,
                             const Letter &letter) const {
  const Subject &wanted = transfer.letter.subject, &came = letter.subject;
  int64_t bytes = transfer.cargo.bytes();
  bool is_same = wanted.kind_type_reduction_root == came.kind_type_reduction_root &&
                 wanted.sizes == came.sizes && bytes == letter.bytes;
  if (is_same)
    return "";
  std::string where = context->where(transfer.letter.subject.plan_entry);
  std::string there = context->plan_entry_text(came.plan_entry);
  std::string sender = text(where, ": rank ", team.name_of(transfer.peer));
  std::string receiver = text(", rank ", team.name_of(team.rank()));
  if (letter.is_exchange)
    return text(sender, " sends ", letter.bytes, " bytes in ", there, receiver, " expects ", bytes);
  return text(sender, " sends with tag ", letter.tag, " in ", there, ": ", text_of(came), " (",
              letter.bytes, " bytes)", receiver, " expects: ", text_of(wanted), " (", bytes,
              " bytes)");
}

} // namespace tutti::runtime::shm
