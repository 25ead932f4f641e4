// Before step 0 every rank shows what it is about to run; ranks that disagree all stop, with both
// sides named. Costs one small all_gather; the plans themselves travel only when they differ.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/Context.h"
#include "runtime/core/Door.h"
#include "runtime/support/Fnv1a.h"
#include "runtime/support/LineDifference.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
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
  char unused[136];
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

class Exchange {
public:
  Exchange(tutti_context *context, std::string_view fingerprint, std::string_view plan)
      : context(context), plan(plan) {
    Card card = {{}, TUTTI_ABI_VERSION, context->size, int64_t(plan.size()), fnv1a(plan), {}, {}};
    std::strncpy(card.library_version, tutti_version(), sizeof card.library_version - 1);
    std::copy_n(fingerprint.data(), std::min(fingerprint.size(), sizeof card.fingerprint - 1),
                card.fingerprint);
    std::vector<char> all = gather(context, &card, sizeof card);
    cards.resize(context->size);
    std::memcpy(cards.data(), all.data(), all.size());
  }

  void compare() {
    for (int32_t rank = 1; rank < context->size && context->ok(); ++rank)
      if (std::memcmp(&cards[0], &cards[rank], sizeof(Card)) != 0)
        return fail(difference(rank));
  }

private:
  void fail(const std::string &what) {
    if (context->ok()) // the peers find the same, so no one needs to be told
      context->fail(
          TUTTI_PLAN_MISMATCH,
          text("the ranks would not run the same program: ", what,
               ". Start every rank with the same library and the same compiled program."));
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

  std::string plans_differ(int32_t rank) {
    int64_t longest = 0;
    for (const Card &card : cards)
      longest = std::max(longest, card.plan_bytes);
    std::string padded(plan);
    padded.resize(longest);
    std::vector<char> all = gather(context, padded.data(), longest);
    auto plan_of = [&](int32_t r) {
      return std::string_view(all.data() + r * longest, cards[r].plan_bytes);
    };
    return plan_difference(plan_of(0), 0, plan_of(rank), rank);
  }

  tutti_context *context;
  std::string_view plan;
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
