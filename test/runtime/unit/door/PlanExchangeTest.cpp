// What ranks compare before step 0, and what they say of a difference.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/RankThreads.h"
#include "tutti/collectives.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using testing::HasSubstr;
using tutti::runtime::text;

namespace {

struct Shown {
  const char *fingerprint;
  const char *plan;
  const char *run = nullptr;
};

/// What each rank says where rank r shows `shown[r]`.
std::vector<std::string> said_of(const std::vector<Shown> &shown) {
  return RankThreads{int32_t(shown.size())}.run([&](tutti_context *context, int32_t rank) {
    tutti_context_describe_run(context, shown[rank].run);
    int32_t status =
        tutti_context_exchange_plan(context, shown[rank].fingerprint, shown[rank].plan);
    EXPECT_EQ(status, tutti_context_status(context));
    EXPECT_TRUE(status == TUTTI_OK || status == TUTTI_PLAN_MISMATCH) << status;
    return std::string(tutti_context_message(context));
  });
}

void expect_all(const std::vector<Shown> &shown, const std::string &difference) {
  for (const std::string &said : said_of(shown))
    EXPECT_EQ(said, "the ranks would not run the same program: " + difference +
                        ". Start every rank with the same library and the same compiled program.");
}

/// As runtime/engine/door/PlanExchange.cpp lays it out; a library of any version reads these
/// fields.
struct Card {
  char library_version[16];
  int64_t abi_version, world_size, plan_bytes;
  uint64_t plan_hash;
  char fingerprint[72];
  int64_t run_bytes;
  uint64_t run_hash;
  char unused[120];
};

/// What rank 0 says of the card of rank 1, which `change` has made from one that agrees.
template <typename Change> std::string said_of_card(Change change) {
  std::vector<std::string> said = RankThreads{2}.run([&](tutti_context *context, int32_t rank) {
    if (rank == 0)
      tutti_context_exchange_plan(context, "f", "");
    else {
      Card card = {{}, TUTTI_ABI_VERSION, 2, 0, 0xcbf29ce484222325u, "f", 0, 0,
                   {}}; // FNV-1a of nothing
      std::strncpy(card.library_version, tutti_version(), sizeof card.library_version - 1);
      change(card);
      Card all[2];
      const void *source = &card;
      void *destination = all;
      int64_t bytes = sizeof card;
      tutti_all_gather(context, -1, 0, TUTTI_U8, 1, &source, &destination, &bytes);
    }
    return std::string(tutti_context_message(context));
  });
  return said[0];
}

} // namespace

TEST(PlanExchange, passes_equal_plans) {
  for (Shown shown : {Shown{"f", "a\nb\n"}, Shown{"", ""}, Shown{nullptr, nullptr}})
    for (size_t ranks : {1, 2, 3})
      EXPECT_EQ(said_of(std::vector<Shown>(ranks, shown)), std::vector<std::string>(ranks));
  EXPECT_EQ(said_of({{"", ""}, {nullptr, nullptr}}), std::vector<std::string>(2));
}

TEST(PlanExchange, names_the_first_line_that_differs) {
  expect_all({{"f", "a\nb\nc\n"}, {"f", "a\nx\ny\n"}},
             "line 1 of the communication plan: rank 0 has 'b', rank 1 has 'x'");
  expect_all({{"f", "a\n"}, {"f", "x\n"}},
             "line 0 of the communication plan: rank 0 has 'a', rank 1 has 'x'");
  expect_all({{"f", "a\n"}, {"f", "a\nb"}},
             "line 1 of the communication plan: rank 0 has no such entry, rank 1 has 'b'");
  expect_all({{"f", "a\n\nb\n"}, {"f", "a\nb\n"}},
             "line 1 of the communication plan: rank 0 has '', rank 1 has 'b'");
  expect_all({{"f", "a\n"}, {"f", "a\n\n"}},
             "line 1 of the communication plan: rank 0 has no such entry, rank 1 has ''");
  expect_all({{"f", ""}, {"f", "a\n"}},
             "line 0 of the communication plan: rank 0 has no such entry, rank 1 has 'a'");
  expect_all({{"f", "a\n"}, {"f", "a"}},
             "the plans of rank 0 and rank 1 differ only in their hash"); // lines are the same
}

TEST(PlanExchange, names_the_first_rank_that_differs_from_rank_0) {
  expect_all({{"f", "a\n"}, {"f", "a\n"}, {"f", "b\n"}, {"f", "c\n"}},
             "line 0 of the communication plan: rank 0 has 'a', rank 2 has 'b'");
  expect_all({{"f", "a\n"}, {"g", "a\n"}, {"f", "b\n"}}, "fingerprint: rank 0 has f, rank 1 has g");
}

TEST(PlanExchange, compares_plans_before_fingerprints) {
  expect_all({{"f", "a\n"}, {"g", "b\n"}},
             "line 0 of the communication plan: rank 0 has 'a', rank 1 has 'b'");
}

TEST(PlanExchange, names_the_key_in_which_runs_differ_and_the_ranks) {
  auto expect_run = [](const std::vector<const char *> &runs, const std::string &difference) {
    std::vector<Shown> shown;
    for (size_t rank = 0; rank < runs.size(); ++rank)
      shown.push_back({rank == 0 ? "f" : "g", rank == 0 ? "a\n" : "b\n", runs[rank]});
    for (const std::string &said : said_of(shown))
      EXPECT_EQ(said, "the ranks would not compute the same run: " + difference +
                          ". Start every rank with the same options and the same files.");
  };
  expect_run({"seed: 0\nsteps: 4\n", "seed: 7\nsteps: 4\n"}, "seed: rank 0 has 0, rank 1 has 7");
  expect_run({"seed: 0\nsteps: 4\n", "seed: 0\nsteps: 4\n", "seed: 0\nsteps: 5\n", "seed: 0\n"},
             "steps: rank 0 has 4, rank 2 has 5, rank 3 has its default");
  expect_run({"a: 0\n", "a: 1\n", "a: 2\n", "a: 3\n", "a: 4\n", "a: 5\n", "a: 6\n"},
             "a: rank 0 has 0, rank 1 has 1, rank 2 has 2, rank 3 has 3, rank 4 has 4, and 2 more "
             "differ");
  expect_run({"data: f32 [4: 4]\n", nullptr},
             "data: rank 0 has f32 [4: 4], rank 1 has its default");
  for (const char *run : {"seed: 0\n", "", "no key", ": \n"})
    EXPECT_EQ(said_of({{"f", "a", run}, {"f", "a", run}}), std::vector<std::string>(2));
}

TEST(PlanExchange, compares_fingerprints_as_far_as_a_card_has_room) {
  std::string longest(71, 'x'), other = longest;
  other[70] = 'y';
  expect_all({{longest.c_str(), ""}, {other.c_str(), ""}},
             "fingerprint: rank 0 has " + longest + ", rank 1 has " + other);
  std::string longer = longest + "1", cut = longest + "2";
  EXPECT_EQ(said_of({{longer.c_str(), ""}, {cut.c_str(), ""}}), std::vector<std::string>(2));
}

TEST(PlanExchange, reads_cards_of_other_libraries) {
  EXPECT_EQ(said_of_card([](Card &) {}), "");
  EXPECT_THAT(said_of_card([](Card &card) { card.abi_version = 99; }),
              HasSubstr(text("ABI version: rank 0 has ", TUTTI_ABI_VERSION, ", rank 1 has 99")));
  EXPECT_THAT(said_of_card([](Card &card) { card.world_size = 5; }),
              HasSubstr("number of ranks: rank 0 has 2, rank 1 has 5"));
  EXPECT_THAT(said_of_card([](Card &card) { // no zero ends it
                std::memset(card.library_version, '9', 16);
                card.abi_version = 99;
              }),
              HasSubstr("version of the library: rank 0 has " + std::string(tutti_version()) +
                        ", rank 1 has 999999999999999."));
}

TEST(PlanExchange, is_not_made_after_an_error) {
  std::vector<std::string> said = RankThreads{1}.run([](tutti_context *context, int32_t) {
    tutti_context_fail(context, TUTTI_BAD_DATA, "no data");
    EXPECT_EQ(tutti_context_exchange_plan(context, "f", "a\n"), TUTTI_BAD_DATA);
    tutti_counters counters = {};
    tutti_context_counters(context, &counters);
    EXPECT_EQ(counters.collectives, 0);
    return std::string(tutti_context_message(context));
  });
  EXPECT_EQ(said[0], "no data");
}
