// The binomial graph, and the bookkeeping of which neighbour has which note.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/plugin/NoteSpread.h"

#include <algorithm>
#include <set>

namespace tutti::runtime::plugin {

static std::vector<int32_t> binomial_neighbours(int32_t rank, int32_t ranks) {
  std::set<int32_t> all;
  for (int64_t distance = 1; distance < ranks; distance *= 2)
    for (int64_t peer : {rank + distance, rank - distance + ranks})
      if (peer % ranks != rank)
        all.insert(int32_t(peer % ranks));
  return {all.begin(), all.end()};
}

NoteSpread::NoteSpread(int32_t rank, int32_t ranks)
    : rank(rank), peers(binomial_neighbours(rank, ranks)), known(size_t(ranks)),
      versions(size_t(ranks)) {
  for (int32_t peer : peers)
    told[peer].resize(size_t(ranks));
}

bool NoteSpread::knows_failure() const {
  return std::any_of(known.begin(), known.end(),
                     [](const Note &note) { return note.is_failure(); });
}

void NoteSpread::post(const Note &note) {
  if (known[size_t(rank)].is_failure())
    return;
  bool follows_another = note.status == TUTTI_PEER_FAILED && knows_failure();
  known[size_t(rank)] = note;
  uint32_t version = ++versions[size_t(rank)];
  for (auto &[peer, has] : told)
    if (follows_another)
      has[size_t(rank)] = version;
}

void NoteSpread::receive(int32_t neighbour, const Entry *entries, size_t count) {
  auto from = told.find(neighbour);
  for (const Entry *entry = entries; entry != entries + count && from != told.end(); ++entry) {
    if (entry->rank < 0 || size_t(entry->rank) >= known.size() || entry->rank == rank)
      continue;
    size_t about = size_t(entry->rank);
    from->second[about] = std::max(from->second[about], entry->version);
    if (entry->version <= versions[about])
      continue;
    versions[about] = entry->version;
    known[about] = entry->note;
    known[about].text[sizeof known[about].text - 1] = 0; // it came from elsewhere
  }
}

std::vector<NoteSpread::Entry> NoteSpread::news_for(int32_t neighbour) {
  std::vector<Entry> news;
  std::vector<uint32_t> &has = told[neighbour];
  for (size_t about = 0; about < known.size() && news.size() < most_entries; ++about) {
    if (has[about] >= versions[about])
      continue;
    has[about] = versions[about];
    if (int32_t(about) != neighbour) // it has the newest note of its own
      news.push_back({int32_t(about), versions[about], known[about]});
  }
  return news;
}

} // namespace tutti::runtime::plugin
