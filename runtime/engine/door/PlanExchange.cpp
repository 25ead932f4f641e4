// Before step 0 every rank shows what it is about to run; ranks that disagree all stop, with both
// sides named. Costs one small all_gather; the texts themselves travel only when they differ.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Context.h"
#include "runtime/engine/core/Door.h"
#include "runtime/support/Fnv1a.h"
#include "runtime/support/LineDifference.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <string_view>
#include <vector>

using namespace tutti::runtime;

namespace {

/// What each rank publishes first. Its size and the places of its fields never change, so that
/// ranks with different versions of the library can still tell each other so.
struct Card {
  char library_version[16];
  int64_t abi_version;
  int64_t world_size;
  int64_t plan_bytes;
  uint64_t plan_hash;
  char fingerprint[72];
  int64_t run_bytes; ///< of what the host described; 0: nothing
  uint64_t run_hash;
  char unused[120];
};
static_assert(sizeof(Card) == 256 && offsetof(Card, fingerprint) == 48);

/// Gathers `elements` bytes of every rank.
std::vector<char> gather(tutti_context *context, const void *source, int64_t elements) {
  std::vector<char> all(elements * context->size);
  void *destination = all.data();
  tutti_all_gather(context, -1, TUTTI_GROUP_WORLD, TUTTI_U8, 1, &source, &destination, &elements);
  return all;
}

/// The first line in which two plans differ.
std::string plan_difference(std::string_view a, int32_t rank_a, std::string_view b,
                            int32_t rank_b) {
  if (std::optional<LineDifference> found = LineDifference::find(a, b))
    return text("line ", found->line, " of the communication plan: rank ", rank_a, " has ",
                found->first, ", rank ", rank_b, " has ", found->second);
  return text("the plans of rank ", rank_a, " and rank ", rank_b, " differ only in their hash");
}

using Keys = std::map<std::string_view, std::string_view>;

/// Of lines "KEY: VALUE".
Keys keys_of(std::string_view record) {
  Keys keys;
  while (!record.empty()) {
    size_t end = std::min(record.find('\n'), record.size());
    std::string_view line = record.substr(0, end);
    size_t colon = std::min(line.find(": "), line.size());
    keys[line.substr(0, colon)] = line.substr(std::min(colon + 2, line.size()));
    record.remove_prefix(std::min(end + 1, record.size()));
  }
  return keys;
}

std::string value_of(const Keys &keys, std::string_view key) {
  constexpr size_t shown_letters = 120;
  auto found = keys.find(key);
  return found == keys.end() ? "its default" : std::string(found->second.substr(0, shown_letters));
}

/// The first key on which `all` disagree, with what the first rank has and those that differ.
std::string run_difference(const std::vector<Keys> &all) {
  constexpr size_t most_named = 4;
  Keys names;
  for (const Keys &keys : all)
    names.insert(keys.begin(), keys.end());
  for (const auto &[key, unused] : names) {
    std::string first = value_of(all[0], key), others;
    size_t differ = 0;
    for (size_t rank = 1; rank < all.size(); ++rank)
      if (std::string value = value_of(all[rank], key); value != first && differ++ < most_named)
        others += text(", rank ", rank, " has ", value);
    if (differ > most_named)
      others += text(", and ", differ - most_named, " more differ");
    if (differ > 0)
      return text(key, ": rank 0 has ", first, others);
  }
  return "";
}

class Exchange {
public:
  Exchange(tutti_context *context, std::string_view fingerprint, std::string_view plan)
      : context(context), plan(plan), run(context->described_run) {
    Card card = {};
    card.abi_version = TUTTI_ABI_VERSION;
    card.world_size = context->size;
    card.plan_bytes = int64_t(plan.size());
    card.plan_hash = fnv1a(plan);
    card.run_bytes = int64_t(run.size());
    card.run_hash = run.empty() ? 0 : fnv1a(run);
    std::strncpy(card.library_version, tutti_version(), sizeof card.library_version - 1);
    std::copy_n(fingerprint.data(), std::min(fingerprint.size(), sizeof card.fingerprint - 1),
                card.fingerprint);
    std::vector<char> all = gather(context, &card, sizeof card);
    cards.resize(context->size);
    std::memcpy(cards.data(), all.data(), all.size());
  }

  /// What people gave says more than what the compiler made of it.
  void compare() {
    if (is_one_library() && has_other_runs())
      if (std::string what = runs_differ(); !what.empty())
        return fail(text("the ranks would not compute the same run: ", what,
                         ". Start every rank with the same options and the same files."));
    for (int32_t rank = 1; rank < context->size && context->ok(); ++rank)
      if (std::memcmp(&cards[0], &cards[rank], sizeof(Card)) != 0)
        return fail(text("the ranks would not run the same program: ", difference(rank),
                         ". Start every rank with the same library and the same compiled "
                         "program."));
  }

private:
  void fail(const std::string &what) {
    if (context->ok()) // the peers find the same, so no one needs to be told
      context->fail(TUTTI_PLAN_MISMATCH, what);
  }

  /// Ranks of another one would not take part in what follows.
  bool is_one_library() const {
    const Card &a = cards[0];
    return std::all_of(cards.begin(), cards.end(), [&](const Card &b) {
      return std::strncmp(a.library_version, b.library_version, sizeof a.library_version) == 0 &&
             a.abi_version == b.abi_version && a.world_size == b.world_size;
    });
  }
  bool has_other_runs() const {
    const Card &a = cards[0];
    return std::any_of(cards.begin(), cards.end(), [&](const Card &b) {
      return a.run_hash != b.run_hash || a.run_bytes != b.run_bytes;
    });
  }

  std::string difference(int32_t rank) {
    const Card &a = cards[0], &b = cards[rank];
    auto both = [&](const char *what, auto value_a, auto value_b) {
      return text(what, ": rank 0 has ", value_a, ", rank ", rank, " has ", value_b);
    };
    if (std::strncmp(a.library_version, b.library_version, sizeof a.library_version) != 0)
      return both("version of the library", std::string(a.library_version, 15).c_str(),
                  std::string(b.library_version, 15).c_str());
    if (a.abi_version != b.abi_version)
      return both("ABI version", a.abi_version, b.abi_version);
    if (a.world_size != b.world_size)
      return both("number of ranks", a.world_size, b.world_size);
    if (a.plan_hash != b.plan_hash || a.plan_bytes != b.plan_bytes)
      return plans_differ(rank);
    return both("fingerprint", a.fingerprint, b.fingerprint);
  }

  /// The texts of all ranks, of which this one's is `own`.
  std::vector<std::string> gather_texts(std::string_view own, int64_t Card::*bytes) {
    int64_t longest = 0;
    for (const Card &card : cards)
      longest = std::max(longest, card.*bytes);
    std::string padded(own);
    padded.resize(longest);
    std::vector<char> all = gather(context, padded.data(), longest);
    std::vector<std::string> texts;
    for (size_t rank = 0; rank < cards.size(); ++rank)
      texts.emplace_back(all.data() + int64_t(rank) * longest, cards[rank].*bytes);
    return texts;
  }

  std::string plans_differ(int32_t rank) {
    std::vector<std::string> plans = gather_texts(plan, &Card::plan_bytes);
    return plan_difference(plans[0], 0, plans[size_t(rank)], rank);
  }

  std::string runs_differ() {
    std::vector<std::string> runs = gather_texts(run, &Card::run_bytes);
    std::vector<Keys> keys;
    for (const std::string &of_rank : runs)
      keys.push_back(keys_of(of_rank));
    return run_difference(keys);
  }

  tutti_context *context;
  std::string_view plan, run;
  std::vector<Card> cards;
};

} // namespace

int32_t door::tutti_context_exchange_plan(tutti_context *context, const char *fingerprint,
                                          const char *plan) {
  if (context->ok())
    Exchange(context, fingerprint ? fingerprint : "", plan ? plan : "").compare();
  return context->status;
}

const char *door::tutti_version(void) { return TUTTI_VERSION; }
