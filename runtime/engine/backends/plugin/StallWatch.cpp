// Which rank waits for which, put together from notes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/plugin/StallWatch.h"

#include "runtime/support/Error.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace tutti::runtime::plugin {
namespace {

// How long the peers have to tell where they wait.
constexpr double seconds_for_notes = 0.5;

double rounded(double seconds) { return double(int64_t(seconds * 10)) / 10; }

void append(std::string &all, const std::string &item) { all += (all.empty() ? "" : ", ") + item; }

} // namespace

void Note::set_text(const std::string &what) {
  size_t length = std::min(what.size(), sizeof text - 1);
  std::memcpy(text, what.data(), length);
  text[length] = 0;
}

int64_t identity(const tutti_group &group) {
  uint64_t hash = 0xcbf29ce484222325u;
  auto mix = [&](uint64_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15u; };
  for (int32_t i = 0; i < group.size; ++i)
    mix(uint64_t(group.members[i]) + 1);
  mix(uint64_t(group.occurrence));
  return int64_t(hash >> 1) | 1;
}

std::string listed(const std::vector<int32_t> &ranks) {
  std::string all;
  for (int32_t rank : ranks)
    append(all, std::to_string(rank));
  return all;
}

/// What one member is known to do.
struct StallWatch::Standing {
  int32_t rank;
  bool is_pending; ///< has not done its part, as far as this rank knows
  bool is_here;    ///< waits in the same place
  std::string elsewhere;
};

StallWatch::StallWatch(Place given, const tutti_limits &limits, NoteBoard &board)
    : place(std::move(given)), limits(limits), board(board) {}

StallWatch::~StallWatch() {
  if (announced_at >= 0 && reason.empty())
    board.post(Note());
}

double StallWatch::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int32_t StallWatch::fail(int32_t status, std::string text) {
  reason = std::move(text);
  return status;
}

void StallWatch::announce() {
  Note note;
  note.group = place.group;
  note.plan_entry = place.plan_entry;
  note.step = place.step;
  note.set_text(place.describe());
  board.post(note);
  announced_at = seconds();
}

bool StallWatch::is_here(const Note &note) const {
  return !note.is_failure() && note.group == place.group && note.plan_entry == place.plan_entry &&
         note.step == place.step;
}

std::vector<StallWatch::Standing> StallWatch::standings(const std::vector<int32_t> &pending) {
  std::vector<Note> notes = board.notes();
  std::vector<Standing> all;
  for (int32_t member : *place.members) {
    if (member == place.world_rank)
      continue;
    bool is_pending =
        pending.empty() || std::find(pending.begin(), pending.end(), member) != pending.end();
    const Note &note = notes[member];
    bool waits_elsewhere = !note.is_failure() && note.group != 0 && !is_here(note);
    all.push_back({member, is_pending, is_here(note), waits_elsewhere ? note.text : ""});
  }
  return all;
}

std::string StallWatch::waited_for(const std::vector<int32_t> &pending) {
  std::vector<Standing> all = standings(pending);
  auto named = [&](auto is_listed, const char *addition) {
    std::string names;
    for (const Standing &standing : all)
      if (is_listed(standing))
        append(names, text("rank ", standing.rank, addition,
                           standing.elsewhere.empty() ? "" : " (which waits elsewhere: ",
                           standing.elsewhere, standing.elsewhere.empty() ? "" : ")"));
    return names;
  };
  // First the ranks that this one needs; if all of them wait, the ranks that they wait for.
  std::string missing = named([](const Standing &s) { return s.is_pending && !s.is_here; }, "");
  if (missing.empty())
    missing = named([](const Standing &s) { return !s.is_here; }, "");
  if (missing.empty())
    missing = named([](const Standing &s) { return s.is_pending; }, " (which waits as well)");
  std::string arrived = named([](const Standing &s) { return s.is_here; }, "");
  return text(place.describe(), ": waited ", rounded(seconds()), " s for ", missing,
              "; arrived: rank ", place.world_rank, arrived.empty() ? "" : ", ", arrived);
}

/// The failure to report: a death, or one that is not just another's, if there is one.
static Error failure_among(const std::vector<Note> &notes) {
  Error found;
  for (size_t rank = 0; rank < notes.size(); ++rank) {
    const Note &note = notes[rank];
    if (note.status == TUTTI_RANK_DIED)
      return {TUTTI_RANK_DIED, note.text};
    if (note.is_failure() && note.status != TUTTI_PEER_FAILED)
      found = Error::make(TUTTI_PEER_FAILED, "rank ", rank, " failed: ", note.text);
    else if (note.is_failure() && !found)
      found = {TUTTI_PEER_FAILED, note.text};
  }
  return found;
}

int32_t StallWatch::check(const std::vector<int32_t> &pending) {
  std::vector<Note> notes = board.notes();
  if (Error failure = failure_among(notes))
    return fail(failure.status, text(failure.message, "; stopped ", place.describe()));
  double waited = seconds();
  if (waited < std::min(limits.stall_warning, limits.stall_error))
    return TUTTI_OK;
  if (announced_at < 0)
    announce();
  if (waited < announced_at + seconds_for_notes)
    return TUTTI_OK;
  if (waited >= limits.stall_error)
    return fail(TUTTI_STALLED,
                waited_for(pending) + ". Raise the limit for a stall if this can take so long.");
  if (has_warned)
    return TUTTI_OK;
  has_warned = true;
  for (int32_t member : *place.members) // the first rank that waits warns for all
    if (member < place.world_rank && is_here(notes[member]))
      return TUTTI_OK;
  std::fprintf(stderr, "tutti: warning: %s\n", waited_for(pending).c_str());
  return TUTTI_OK;
}

} // namespace tutti::runtime::plugin
