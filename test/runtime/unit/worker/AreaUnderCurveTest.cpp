// The area under the ROC curve: what counting all pairs gives, on any number of ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/evaluation/AreaUnderCurve.h"
#include "test/runtime/RankThreads.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using testing::HasSubstr;

namespace {

struct Sample {
  double score, label, weight = 1;
};

/// Pair by pair.
double counted(const std::vector<Sample> &samples) {
  double won = 0, all = 0;
  for (const Sample &up : samples)
    for (const Sample &down : samples) {
      double pairs = up.weight * up.label * down.weight * (1 - down.label);
      all += pairs;
      won += pairs * (up.score > down.score ? 1 : up.score == down.score ? 0.5 : 0);
    }
  return won / all;
}

struct Outcome {
  double area = -1;
  std::string error;
};

/// What each of `ranks` has, to which the samples are dealt in turn.
std::vector<Outcome> areas(const std::vector<Sample> &samples, int32_t ranks) {
  std::vector<Outcome> all(ranks);
  RankThreads{ranks}.run([&](tutti_context *context, int32_t rank) -> std::string {
    AreaUnderCurve curve;
    for (size_t i = rank; i < samples.size(); i += ranks)
      curve.add(samples[i].score, samples[i].label, samples[i].weight);
    Result<double> area = curve.over_ranks(context, 0);
    if (area)
      all[rank].area = *area;
    else
      all[rank].error = area.error().message;
    return "";
  });
  return all;
}

void expect_everywhere(const std::vector<Sample> &samples, double area) {
  for (int32_t ranks : {1, 2, 3, 5})
    for (const Outcome &outcome : areas(samples, ranks)) {
      EXPECT_EQ(outcome.error, "");
      EXPECT_DOUBLE_EQ(outcome.area, area) << ranks << " ranks";
    }
}

void expect_error(const std::vector<Sample> &samples, const std::string &part) {
  for (int32_t ranks : {1, 3})
    for (const Outcome &outcome : areas(samples, ranks))
      EXPECT_THAT(outcome.error, HasSubstr(part)) << ranks << " ranks";
}

/// Scores of a few values, so that many are tied.
std::vector<Sample> draw(int count, int values) {
  std::mt19937 random(count);
  std::vector<Sample> samples;
  for (int i = 0; i < count; ++i) {
    double score = int(random() % values) - values / 2.0;
    samples.push_back({score, double(random() % 100 < 40 + 5 * score)});
  }
  return samples;
}

} // namespace

TEST(AreaUnderCurve, is_the_share_of_pairs_in_order) {
  expect_everywhere({{1, 0}, {2, 1}}, 1);
  expect_everywhere({{2, 0}, {1, 1}}, 0);
  expect_everywhere({{3, 1}, {3, 0}}, 0.5);
  expect_everywhere({{0.1, 0}, {0.4, 0}, {0.35, 1}, {0.8, 1}}, 0.75);
  double infinity = std::numeric_limits<double>::infinity();
  expect_everywhere({{-infinity, 0}, {infinity, 1}, {0, 0}, {0, 1}}, 3.5 / 4);
}

TEST(AreaUnderCurve, is_that_of_all_pairs_and_equal_bits_on_any_number_of_ranks) {
  for (int values : {1, 2, 7, 10000}) {
    std::vector<Sample> samples = draw(301, values);
    double expected = counted(samples);
    ASSERT_TRUE(expected >= 0 && expected <= 1);
    double first = areas(samples, 1)[0].area;
    EXPECT_NEAR(first, expected, 1e-14);
    for (int32_t ranks : {2, 3, 4, 7})
      for (const Outcome &outcome : areas(samples, ranks))
        EXPECT_EQ(outcome.area, first) << ranks << " ranks, " << values << " values";
  }
}

TEST(AreaUnderCurve, takes_weights_and_probabilities) {
  std::vector<Sample> samples = {{1, 0.25, 2}, {2, 1, 0.5}, {2, 0.5, 1}, {3, 0, 4}, {4, 0.75, 1}};
  expect_everywhere(samples, counted(samples));
  samples.push_back({std::nan(""), std::nan(""), 0}); // whatever it is
  expect_everywhere(samples, counted({samples.begin(), samples.end() - 1}));
}

TEST(AreaUnderCurve, is_none_without_both_classes) {
  expect_error({{1, 1}, {2, 1}}, "all labels are 1; the area under the ROC curve compares");
  expect_error({{1, 0}}, "all labels are 0; the area");
}

TEST(AreaUnderCurve, refuses_labels_that_are_none) {
  expect_error({{1, 0}, {2, 1}, {3, 2}}, "1 labels are not between 0 and 1");
  expect_error({{1, 0}, {2, -1}, {3, std::nan("")}}, "2 labels are not between 0 and 1");
}

TEST(AreaUnderCurve, is_no_number_where_a_score_is_none) {
  for (const Outcome &outcome : areas({{1, 0}, {std::nan(""), 1}, {2, 1}}, 2)) {
    EXPECT_EQ(outcome.error, "");
    EXPECT_TRUE(std::isnan(outcome.area));
  }
}
