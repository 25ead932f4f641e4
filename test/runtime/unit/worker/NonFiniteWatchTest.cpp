// What ends a run that does not compute with numbers any more, and that all ranks agree on it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/NonFiniteWatch.h"
#include "test/runtime/RankForks.h"

#include <cmath>
#include <gmock/gmock.h>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using testing::HasSubstr;

namespace {

Variable variable(const std::string &name, const std::string &kind) {
  Variable made;
  made.name = name;
  made.type = TUTTI_F32;
  made.shape = {4};
  made.kind = kind;
  return made;
}

/// A rank with two variables and a mask.
struct Rank {
  Rank() {
    manifest.variables = {variable("w", "trainable"), variable("m", "state"),
                          variable("mask", "other")};
    mask[1] = -INFINITY;
    buffers.variables = {w, m, mask};
  }

  void start(tutti_context *context) {
    config.shared_descriptor = 0;
    watch.emplace(context, config, manifest, buffers, 5);
  }
  std::string look(int64_t last_checkpoint = -1) {
    Error error = watch->look(9, last_checkpoint);
    return error ? error.message : "goes on";
  }

  float w[4] = {}, m[4] = {}, mask[4] = {};
  Manifest manifest;
  WorkerConfig config;
  Buffers buffers;
  std::optional<NonFiniteWatch> watch;
};

/// What each of two ranks says, where `disturb` has changed it; "" if both say `expected`.
std::string both(
    const std::string &expected, const std::function<void(Rank &, int32_t)> &disturb,
    const std::function<void(Rank &)> &prepare = [](Rank &) {}) {
  RankForks forks;
  forks.ranks = 2;
  return forks.run([&](tutti_context *context, int32_t number) {
    Rank rank;
    rank.config.rank = number;
    prepare(rank);
    rank.start(context);
    disturb(rank, number);
    std::string said = rank.look();
    return said.find(expected) == said.npos ? said : "";
  });
}

} // namespace

TEST(NonFiniteWatch, lets_finite_numbers_go_on) {
  EXPECT_EQ(both("goes on", [](Rank &rank, int32_t) { rank.watch->see(1, 0.5); }), "");
}

TEST(NonFiniteWatch, tells_all_ranks_what_one_has) {
  EXPECT_EQ(
      both("variable 'm' is not finite after step 9: element 2 is -infinity; the loss is still "
           "finite",
           [](Rank &rank, int32_t number) { rank.m[2] = number == 1 ? -INFINITY : 0; }),
      "");
  EXPECT_EQ(
      both("variable 'w' is not finite after step 9: element 3 is nan; the first loss that was "
           "not finite is that of step 4",
           [](Rank &rank, int32_t number) {
             rank.w[3] = NAN;
             rank.watch->see(number == 1 ? 4 : 6, NAN);
           }),
      "");
}

TEST(NonFiniteWatch, names_the_rank_of_a_part) {
  auto cut = [](Rank &rank) { rank.manifest.variables[0].placement = Placement::shard; };
  EXPECT_EQ(both(
                "element 0 of rank 1 is nan",
                [](Rank &rank, int32_t number) { rank.w[0] = number == 1 ? NAN : 0; }, cut),
            "");
}

TEST(NonFiniteWatch, ends_by_an_infinite_loss_and_not_by_the_mean_over_nothing) {
  EXPECT_EQ(
      both("the loss of step 3 is infinite",
           [](Rank &rank, int32_t number) { rank.watch->see(3, number == 0 ? INFINITY : 1); }),
      "");
  EXPECT_EQ(both("goes on", [](Rank &rank, int32_t) { rank.watch->see(3, NAN); }), "");
}

TEST(NonFiniteWatch, leaves_steps_out_that_overflow_where_the_loss_is_scaled) {
  auto scale = [](Rank &rank) { rank.manifest.metrics.push_back({"skipped", TUTTI_F32, {}}); };
  EXPECT_EQ(both(
                "goes on", [](Rank &rank, int32_t) { rank.watch->see(3, INFINITY); }, scale),
            "");
  EXPECT_EQ(both(
                "variable 'w'", [](Rank &rank, int32_t) { rank.w[0] = NAN; }, scale),
            "")
      << "but not where a variable has changed";
}

TEST(NonFiniteWatch, cannot_look_into_tables_of_servers) {
  auto serve = [](Rank &rank) { rank.manifest.tables.emplace_back(); };
  EXPECT_EQ(
      both(
          "the loss of step 3 is nan", [](Rank &rank, int32_t) { rank.watch->see(3, NAN); }, serve),
      "");
}

TEST(NonFiniteWatch, goes_on_if_it_is_told_to) {
  for (const char *policy : {"warn", "ignore"})
    EXPECT_EQ(both(
                  "goes on",
                  [](Rank &rank, int32_t) {
                    rank.w[0] = NAN;
                    rank.watch->see(3, INFINITY);
                  },
                  [&](Rank &rank) { rank.config.run.on_non_finite = policy; }),
              "");
}

TEST(NonFiniteWatch, forgets_a_loss_once_it_has_looked) {
  RankForks one;
  EXPECT_EQ(one.run([](tutti_context *context, int32_t) {
    Rank rank;
    rank.start(context);
    rank.watch->see(3, NAN);
    if (!rank.watch->is_alarmed())
      return std::string("it is not alarmed");
    rank.look();
    return std::string(rank.watch->is_alarmed() ? "it is still alarmed" : "");
  }),
            "");
}

TEST(NonFiniteWatch, says_which_checkpoint_stays) {
  RankForks one;
  EXPECT_EQ(one.run([](tutti_context *context, int32_t) {
    Rank rank;
    rank.config.run.model_dir = "run";
    rank.start(context);
    rank.w[0] = NAN;
    std::string with = rank.look(6), without = rank.look();
    bool is_right =
        with.find("the checkpoint of step 6 in 'run' stays the last one") != with.npos &&
        without.find("--model-dir FOLDER keeps some") != without.npos;
    return is_right ? std::string() : with + without;
  }),
            "");
}
