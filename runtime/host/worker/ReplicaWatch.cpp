// Hashes of variables, and their comparison.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/ReplicaWatch.h"

#include "tutti/collectives.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

namespace tutti::runtime::worker {
namespace {

constexpr uint64_t prime = 0x100000001b3u, offset = 0xcbf29ce484222325u;

std::string digits(uint64_t hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

/// "rank 2", "ranks 0, 1, 3", "ranks 0, 1, 2 and 61 more".
std::string name_ranks(const std::vector<int64_t> &ranks) {
  constexpr size_t most = 8;
  std::string names = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < std::min(ranks.size(), most); ++i)
    names += text(i ? ", " : "", ranks[i]);
  return ranks.size() > most ? text(names, " and ", ranks.size() - most, " more") : names;
}

} // namespace

uint64_t hash_words(const void *memory, int64_t bytes) {
  constexpr size_t lanes = 4, step = lanes * sizeof(uint64_t);
  const auto *next = static_cast<const char *>(memory);
  std::array<uint64_t, lanes> hashes = {offset, offset + 1, offset + 2, offset + 3};
  auto add = [&](const char *from, size_t count) {
    std::array<uint64_t, lanes> words = {};
    std::memcpy(words.data(), from, count);
    for (size_t lane = 0; lane < lanes; ++lane) {
      uint64_t mixed = (hashes[lane] ^ words[lane]) * prime;
      hashes[lane] = mixed ^ mixed >> 32; // high bits count below, too
    }
  };
  for (; bytes >= int64_t(step); next += step, bytes -= int64_t(step))
    add(next, step);
  add(next, size_t(bytes));
  uint64_t all = offset;
  for (uint64_t lane : hashes)
    all = ((all ^ lane) * prime) ^ all >> 29;
  return all;
}

ReplicaWatch::ReplicaWatch(tutti_context *context, const Manifest &manifest, const Buffers &buffers,
                           int64_t every, int64_t plan_entry)
    : context(context), manifest(manifest), buffers(buffers), every(every), plan_entry(plan_entry) {
  for (size_t i = 0; i < manifest.variables.size(); ++i)
    if (manifest.variables[i].placement == Placement::replicate)
      replicated.push_back(i);
}

uint64_t ReplicaWatch::hash_of(size_t variable) const {
  const Variable &given = manifest.variables[variable];
  return hash_words(buffers.variables[variable], *data::array_bytes(given.type, given.shape));
}

Error ReplicaWatch::compare(int64_t steps_done) {
  // The largest, and the complements of the smallest.
  std::vector<int64_t> own, most;
  for (size_t variable : replicated) {
    own.push_back(int64_t(hash_of(variable)));
    buffers.let_go(variable);
  }
  for (size_t i = 0; i < replicated.size(); ++i)
    own.push_back(~own[i]);
  most.resize(own.size());
  const void *source = own.data();
  void *destination = most.data();
  const int64_t count = int64_t(own.size());
  if (count == 0)
    return Error::success();
  tutti_all_reduce(context, plan_entry, TUTTI_GROUP_WORLD, TUTTI_MAX, TUTTI_I64, 1, &source,
                   &destination, &count);
  if (tutti_context_status(context) != TUTTI_OK)
    return {tutti_context_status(context), tutti_context_message(context)};
  for (size_t i = 0; i < replicated.size(); ++i)
    if (most[i] != ~most[i + replicated.size()])
      return explain(replicated[i], steps_done);
  last_equal = steps_done;
  return Error::success();
}

/// What each rank holds of `variable`; the hash that most ranks have comes first.
Error ReplicaWatch::explain(size_t variable, int64_t steps_done) {
  std::vector<uint64_t> all(size_t(tutti_context_size(context)));
  uint64_t own = hash_of(variable);
  const void *source = &own;
  void *destination = all.data();
  const int64_t count = 1;
  tutti_all_gather(context, plan_entry, TUTTI_GROUP_WORLD, TUTTI_I64, 1, &source, &destination,
                   &count);
  if (tutti_context_status(context) != TUTTI_OK)
    return {tutti_context_status(context), tutti_context_message(context)};
  std::map<uint64_t, std::vector<int64_t>> holders;
  for (size_t rank = 0; rank < all.size(); ++rank)
    holders[all[rank]].push_back(int64_t(rank));
  std::vector<std::pair<uint64_t, std::vector<int64_t>>> sides(holders.begin(), holders.end());
  std::stable_sort(sides.begin(), sides.end(),
                   [](auto &a, auto &b) { return a.second.size() > b.second.size(); });
  std::string told;
  constexpr size_t most_sides = 4;
  for (size_t side = 0; side < std::min(sides.size(), most_sides); ++side)
    told +=
        text(side ? ", " : "", name_ranks(sides[side].second), " with ", digits(sides[side].first));
  std::string rest =
      sides.size() > most_sides ? text(" and ", sides.size() - most_sides, " more") : "";
  return Error::make(TUTTI_BAD_DATA, "variable '", manifest.variables[variable].name,
                     "' is no longer the same on all ranks after step ", steps_done, ": ", told,
                     rest, "\n  replicas were equal after step ", last_equal,
                     "; what differs did not come from the program: look for damaged memory, "
                     "different processors or libraries on the ranks named last");
}

} // namespace tutti::runtime::worker
